/** `whsec_` and a key in Base64 (Standard Webhooks). */
const SIGNING_KEY = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** The key of GitLab's signed webhooks that a secret is, in Base64; `undefined` for a secret that is none. */
export function signingKeyOf(secret: string): string | undefined {
  return SIGNING_KEY.exec(secret)?.[1];
}
