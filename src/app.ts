import { Hono } from "hono";
import { hasLooped } from "./core/loop.ts";
import type { Bound } from "./core/look/settings.ts";
import { Failure } from "./core/problem.ts";
import { siteFinder, type Site } from "./core/site.ts";
import type { ListKeys } from "./core/store.ts";
import { refuseControl, type Opens } from "./serve/control-token.ts";
import { ownAcceptEncoding, splitUrl, type Arrival } from "./serve/arrival.ts";
import { forward } from "./serve/forward.ts";
import { takeHook } from "./serve/hooks.ts";
import { serve, serveReady, type JourneyParts } from "./serve/journey.ts";
import { takeLook } from "./serve/look.ts";
import type { Lookout } from "./serve/lookout.ts";
import { failureResponse, problemResponse } from "./serve/problem-response.ts";
import { takePurge } from "./serve/purge.ts";

/** What the control routes need beside the journey. */
export type AppParts = {
  readonly journey: JourneyParts;
  /** The metrics as Prometheus text, and its media type. */
  readonly scrape: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Whether a bearer token is the control token, in constant time. */
  readonly isControlToken: (token: string) => Promise<boolean>;
  /** Shows what the isolates of the colo have seen; absent without a control token. */
  readonly lookout: Lookout | undefined;
  /** Which of the optional bindings are there. */
  readonly bound: Bound;
  /** Lists keys of KV; absent where no namespace is bound. */
  readonly listKv: ListKeys | undefined;
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

  const { lookout } = parts;
  return (request, defer) => {
    if (lookout?.isDue() === true) defer(lookout.tell());
    return serveReady(parts.journey, request) ?? answerSafely(request, defer);
  };
}

/** What a control route knows beside its request. */
type Bindings = { readonly site: Site; readonly defer: Defer };

/** Health, metrics, a look inside, events and purges; what needs the control token is not there without one. */
function controlRoutes(parts: AppParts): Hono<{ Bindings: Bindings }> {
  const { journey, scrape, listKv, lookout, bound } = parts;
  const { ports } = journey.isolate;
  const { config } = ports;
  const look = { ports, lookout, bound };
  const token = { isSet: config.controlToken !== undefined, isRight: parts.isControlToken };
  const refuse = (request: Request, opens: Opens) => refuseControl(token, request, opens);
  const routes = new Hono<{ Bindings: Bindings }>().basePath(CONTROL);
  routes.get("/health", (context) => context.json({ status: "ok" }));
  routes.get("/metrics", async ({ req }) => {
    const refused = await refuse(req.raw, "programs");
    if (refused !== undefined) return refused;
    const { type, text } = await scrape();
    return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
  });
  routes.get(
    "/",
    async ({ req }) => (await refuse(req.raw, "programs and browsers")) ?? takeLook(look, "page"),
  );
  routes.get(
    "/look",
    async ({ req }) => (await refuse(req.raw, "programs and browsers")) ?? takeLook(look, "json"),
  );
  routes.post("/hooks", async ({ req, env }) => await takeHook(journey, env.site, req.raw, env.defer));
  routes.all("/hooks", () =>
    config.webhookSecret === undefined
      ? problemResponse("not_found")
      : problemResponse("method_not_allowed", { Allow: "POST" }),
  );
  routes.post("/purge", async ({ req, env }) => {
    const refused = await refuse(req.raw, "programs");
    return refused ?? (await takePurge({ isolate: journey.isolate, listKv }, env.site, req.raw, env.defer));
  });
  routes.all("/purge", () =>
    config.controlToken === undefined
      ? problemResponse("not_found")
      : problemResponse("method_not_allowed", { Allow: "POST" }),
  );
  for (const route of ["/", "/look", "/health", "/metrics"])
    routes.all(route, () => problemResponse("method_not_allowed", { Allow: "GET, HEAD" }));
  routes.notFound(() => problemResponse("not_found"));
  routes.onError((error) => {
    parts.onFault(error);
    return problemResponse("internal");
  });
  return routes;
}
