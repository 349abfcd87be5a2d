import { countDenial, sendHtml, sendJson, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Refusal } from "./gate.ts";

const EXPIRED = {
  error: "invalid_token",
  error_description: "Token is expired. You can either do re-authorization or token refresh.",
};

/** How the API refuses: a project that is hidden is one that is missing. */
export function refuseApi(exchange: Exchange, refusal: Refusal): void {
  countDenial(exchange);
  if (refusal.kind !== "rejected") return sendJson(exchange, 404, { message: "404 Project Not Found" });
  sendJson(exchange, 401, refusal.reason === "expired" ? EXPIRED : { message: "401 Unauthorized" });
}

/** How the web refuses: nobody in particular is asked to sign in. */
export function refuseWeb(exchange: Exchange, refusal: Refusal): void {
  countDenial(exchange);
  if (refusal.kind === "hidden") return sendHtml(exchange, 404, "Not found");
  if (refusal.kind === "rejected") return sendText(exchange, 401, "401 Unauthorized\n");
  sendText(exchange, 302, "Sign in first\n", {
    Location: `http://${exchange.request.headers.host}/users/sign_in`,
    "Cache-Control": "no-cache",
  });
}
