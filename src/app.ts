import { Hono } from "hono";
import { hasLooped } from "./core/loop.ts";
import type { Bound } from "./core/look/settings.ts";
import { Failure } from "./core/problem.ts";
import { siteFinder, type Site } from "./core/site.ts";
import type { ListKeys } from "./core/store.ts";
import type { LaneName } from "./core/telemetry.ts";
import { refuseControl, withoutControlToken, type ControlToken, type Opens } from "./serve/control-token.ts";
import { ownAcceptEncoding, splitUrl, type Arrival } from "./serve/arrival.ts";
import { siteLane, uncached, type Answer } from "./serve/counted.ts";
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

/** Where the control routes are, for who left out the slash at their end: an origin would be asked for a path of ours. */
function toControl(search: string): Response {
  return new Response(null, { status: 308, headers: { Location: CONTROL + search } });
}

/**
 * The Worker's one entry: which site, control or content; every failure turned into a response, and every answer to a request for
 * content counted.
 */
export function createApp(parts: AppParts): (request: Request, defer: Defer) => Response | Promise<Response> {
  const find = siteFinder(parts.journey.isolate.ports.config.sites);
  const token = controlToken(parts);
  const control = controlRoutes(parts, token);

  const { telemetry, now } = parts.journey.isolate.ports;
  const give = ({ response, record }: Answer): Response => {
    telemetry.request(record, now());
    return response;
  };

  /** What is answered, or else the failure as the answer of a lane. */
  const orFailure = async <T>(
    arrival: Arrival,
    lane: LaneName,
    answering: Promise<T>,
  ): Promise<T | Answer> => {
    try {
      return await answering;
    } catch (error) {
      if (!(error instanceof Failure)) parts.onFault(error);
      const failure = error instanceof Failure ? error : ({ problem: "internal" } as const);
      return uncached(arrival.site, lane, failureResponse(arrival, failure));
    }
  };

  const answer = async (arrival: Arrival, request: Request): Promise<Answer> => {
    const { site, headers } = arrival;
    if (hasLooped(headers.get("cdn-loop"), site))
      return uncached(site, siteLane(site), failureResponse(arrival, { problem: "loop" }));
    const served = await orFailure(arrival, siteLane(site), serve(parts.journey, arrival));
    return served ?? (await orFailure(arrival, "pass", forward(parts.journey, arrival, request)));
  };

  const findAnswer = async (given: Request, defer: Defer): Promise<Response> => {
    const { url, method } = given;
    const { host, path, search } = splitUrl(url);
    const found = find(host);
    if (found === undefined) return problemResponse("unknown_host");
    const isBucket = found.bucket !== undefined; // which may have keys that begin like a control route
    if (path.startsWith(CONTROL) && !isBucket) return await control.fetch(given, { site: found.site, defer });
    if (`${path}/` === CONTROL && !isBucket) return toControl(search);
    const request = await withoutControlToken(token, given);
    const { headers } = request;
    const acceptEncoding = () => ownAcceptEncoding(request);
    const arrival = { ...found, host, method, url, path, search, headers, acceptEncoding, defer };
    return give(await answer(arrival, request));
  };

  const { lookout } = parts;
  return (request, defer) => {
    if (lookout?.isDue() === true) defer(lookout.tell());
    const ready = serveReady(parts.journey, request);
    return ready === undefined ? findAnswer(request, defer) : give(ready);
  };
}

function controlToken({ journey, isControlToken: isRight }: AppParts): ControlToken {
  const { controlToken: text } = journey.isolate.ports.config;
  return { isSet: text !== undefined, isRight, length: text?.length ?? 0 };
}

/** What a control route knows beside its request. */
type Bindings = { readonly site: Site; readonly defer: Defer };

/** Health, metrics, a look inside, events and purges; what needs the control token is not there without one. */
function controlRoutes(parts: AppParts, token: ControlToken): Hono<{ Bindings: Bindings }> {
  const { journey, scrape, listKv, lookout, bound } = parts;
  const { ports } = journey.isolate;
  const { config } = ports;
  const look = { ports, lookout, bound };
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
