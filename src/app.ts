import { Hono } from "hono";
import { hasLooped } from "./core/loop.ts";
import { Failure } from "./core/problem.ts";
import { siteFinder, type Site } from "./core/site.ts";
import { ownAcceptEncoding, splitUrl, type Arrival } from "./serve/arrival.ts";
import { forward } from "./serve/forward.ts";
import { takeHook } from "./serve/hooks.ts";
import { serve, serveReady, type JourneyParts } from "./serve/journey.ts";
import { failureResponse, problemResponse } from "./serve/problem-response.ts";

/** What the control routes need beside the journey. */
export type AppParts = {
  readonly journey: JourneyParts;
  /** The metrics as Prometheus text, and its media type. */
  readonly scrape: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Whether a bearer token is the control token, in constant time. */
  readonly isControlToken: (token: string) => Promise<boolean>;
  /** Told of failures that are not the client's or the origin's. */
  readonly onFault: (error: unknown) => void;
};

export type Defer = (work: Promise<unknown>) => void;

const CONTROL = "/-/forgefront/";

/** The Worker's one entry: which site, control or content, and every failure turned into a response. */
export function createApp(parts: AppParts): (request: Request, defer: Defer) => Response | Promise<Response> {
  const find = siteFinder(parts.journey.isolate.ports.config.sites);
  const control = controlRoutes(parts);

  const answer = async (arrival: Arrival, request: Request): Promise<Response> => {
    const { site, headers } = arrival;
    if (hasLooped(headers.get("cdn-loop"), site)) throw new Failure("loop");
    return (await serve(parts.journey, arrival)) ?? (await forward(parts.journey, arrival, request));
  };

  const answerSafely = async (request: Request, defer: Defer): Promise<Response> => {
    const { url, method, headers } = request;
    const { host, path, search } = splitUrl(url);
    const found = find(host);
    if (found === undefined) return problemResponse("unknown_host");
    if (path.startsWith(CONTROL) && found.bucket === undefined)
      return await control.fetch(request, { site: found.site, defer });
    const acceptEncoding = () => ownAcceptEncoding(request);
    const arrival = { ...found, host, method, url, path, search, headers, acceptEncoding, defer };
    try {
      return await answer(arrival, request);
    } catch (error) {
      if (error instanceof Failure) return failureResponse(arrival, error);
      parts.onFault(error);
      return failureResponse(arrival, { problem: "internal" });
    }
  };

  return (request, defer) => serveReady(parts.journey, request) ?? answerSafely(request, defer);
}

/** What a control route knows beside its request. */
type Bindings = { readonly site: Site; readonly defer: Defer };

/** Health, metrics and events; what needs the control token is not there without one. */
function controlRoutes({ journey, scrape, isControlToken }: AppParts): Hono<{ Bindings: Bindings }> {
  const { config } = journey.isolate.ports;
  const routes = new Hono<{ Bindings: Bindings }>().basePath(CONTROL);
  routes.get("/health", (context) => context.json({ status: "ok" }));
  routes.get("/metrics", async (context) => {
    if (config.controlToken === undefined) return problemResponse("not_found");
    const [scheme, token = ""] = (context.req.header("authorization") ?? "").split(" ");
    if (scheme?.toLowerCase() !== "bearer" || !(await isControlToken(token))) {
      return problemResponse("unauthorized", { "WWW-Authenticate": 'Bearer realm="forgefront"' });
    }
    const { type, text } = await scrape();
    return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
  });
  routes.post(
    "/hooks",
    async ({ req, env }) => await takeHook(journey.isolate, env.site, req.raw, env.defer),
  );
  routes.all("/hooks", () =>
    config.webhookSecret === undefined
      ? problemResponse("not_found")
      : problemResponse("method_not_allowed", { Allow: "POST" }),
  );
  routes.all("/health", () => problemResponse("method_not_allowed", { Allow: "GET, HEAD" }));
  routes.all("/metrics", () => problemResponse("method_not_allowed", { Allow: "GET, HEAD" }));
  routes.notFound(() => problemResponse("not_found"));
  return routes;
}
