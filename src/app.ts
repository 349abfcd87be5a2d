import { Hono } from "hono";
import { UNUSED } from "./core/cache-status.ts";
import { hasLooped } from "./core/loop.ts";
import { Failure } from "./core/problem.ts";
import { isRewrittenByUrl } from "./core/request-path.ts";
import { splitUrl } from "./serve/arrival.ts";
import { serve, serveReady, type JourneyParts } from "./serve/journey.ts";
import { problemResponse } from "./serve/problem-response.ts";

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
  const { ports } = parts.journey.isolate;
  const sites = new Map(ports.config.sites.map((site) => [site.host, site]));
  const control = controlRoutes(parts);

  const answer = async (request: Request, defer: Defer): Promise<Response> => {
    const { url } = request;
    const { host, path, search } = splitUrl(url);
    const site = sites.get(host);
    if (site === undefined) return problemResponse("unknown_host");
    if (path.startsWith(CONTROL)) return await control.fetch(request);
    const { method, headers } = request;
    if (hasLooped(headers.get("cdn-loop"), site)) return problemResponse("loop");
    const served = await serve(parts.journey, { site, method, url, path, search, headers, defer });
    if (served !== undefined) return served;
    if (isRewrittenByUrl(path)) return problemResponse("bad_path");
    const passed = await ports.passThrough(site, request);
    const unused = { grant: UNUSED, revision: UNUSED, body: UNUSED, hotBytes: 0 };
    ports.telemetry.request({ host, lane: "pass", status: passed.status, ...unused }, ports.now());
    return passed;
  };

  const answerSafely = async (request: Request, defer: Defer): Promise<Response> => {
    try {
      return await answer(request, defer);
    } catch (error) {
      if (error instanceof Failure) return problemResponse(error.problem, {}, error.detail);
      parts.onFault(error);
      return problemResponse("internal");
    }
  };

  return (request, defer) => serveReady(parts.journey, request) ?? answerSafely(request, defer);
}

/** Health and metrics; what needs the control token is not there without one. */
function controlRoutes({ journey, scrape, isControlToken }: AppParts): Hono {
  const { config } = journey.isolate.ports;
  const routes = new Hono().basePath(CONTROL);
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
  routes.all("/health", () => problemResponse("method_not_allowed", { Allow: "GET, HEAD" }));
  routes.all("/metrics", () => problemResponse("method_not_allowed", { Allow: "GET, HEAD" }));
  routes.notFound(() => problemResponse("not_found"));
  return routes;
}
