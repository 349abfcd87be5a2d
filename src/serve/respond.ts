type Head = { readonly status?: number; readonly headers: Headers };

/** A response whose bytes go out as they are stored: a content coding they have already is not applied to them again. */
export function respond(body: BodyInit | null, { status = 200, headers }: Head): Response {
  return new Response(body, { status, headers, encodeBody: "manual" });
}
