import type { PushEvent } from "../core/events/event.ts";
import type { ForgeSite } from "../core/site.ts";
import type { RawTarget } from "../core/target.ts";
import { admit } from "./admit.ts";
import { mostAsked } from "./asked-files.ts";
import { identify, NOBODY, type AskerParts } from "./asker.ts";
import { changesKey } from "./change-keys.ts";
import { openFile } from "./open.ts";
import { questionNow } from "./questions.ts";
import { resolve } from "./resolve.ts";
import { newTrace } from "./trace.ts";
import { endVisit, type Asker, type Isolate, type Visit } from "./visit.ts";

const BRANCHES = "refs/heads/";
/** How many files are fetched at once, and how many milliseconds after the push the last one is begun: work behind a response has 30 s. */
const AT_ONCE = 2;
const LAST_BEGIN_MS = 15_000;

type Preloading = { readonly isolate: Isolate; readonly askers: AskerParts };

/**
 * Fetches what was asked for most on a branch, as it is at the commit it was just moved to, so that the first who asks need not
 * wait. As the holder of the site's `PRELOAD_TOKENS`, else as nobody: a private project is then left alone.
 */
export async function preload(
  { isolate, askers }: Preloading,
  site: ForgeSite,
  { ref, after, project, defaultBranch }: PushEvent,
  defer: Visit["defer"],
): Promise<void> {
  const { config, now } = isolate.ports;
  if (config.limits.PRELOAD_FILES === 0 || after === undefined || !ref.startsWith(BRANCHES)) return;
  const branch = ref.slice(BRANCHES.length);
  const wanted = { branch, isDefault: branch === defaultBranch, now: now() };
  const files = project.flatMap((name) => mostAsked(isolate.askedFiles, changesKey(site, name), wanted));
  const left = files.slice(0, config.limits.PRELOAD_FILES);
  if (left.length === 0) return;
  const asker = await preloader(askers, site, config.preloadTokens.get(site.host));
  const work = async (): Promise<void> => {
    for (let target = left.shift(); target !== undefined; target = left.shift()) {
      if (now() - wanted.now > LAST_BEGIN_MS) return;
      await preloadFile(newPreload(isolate, site, { target, asker, defer }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function preloader(askers: AskerParts, site: ForgeSite, token: string | undefined): Promise<Asker> {
  if (token === undefined) return NOBODY;
  const headers = new Headers(
    site.kind === "gitlab" ? { "Private-Token": token } : { Authorization: `token ${token}` },
  );
  return await identify(askers, site, { headers, search: "" });
}

type Begun = { readonly target: RawTarget; readonly asker: Asker; readonly defer: Visit["defer"] };

function newPreload(isolate: Isolate, site: ForgeSite, { target, asker, defer }: Begun): Visit {
  const { ports } = isolate;
  const trace = newTrace(ports.now());
  const admitted = { admittedAt: 0, seen: undefined };
  const begun = { wanted: undefined, asker, trace, defer, ...admitted, led: [], isSending: false };
  return { isolate, site, dialect: ports.dialect(site), target, ...begun };
}

/** Opening a file stores it; nobody waits for it, so a failure is left to whoever asks next. */
async function preloadFile(visit: Visit): Promise<void> {
  try {
    const admitted = await admit(visit, questionNow(visit).question);
    if (admitted.kind !== "admitted") return;
    const resolved = await resolve(visit);
    if (resolved.kind !== "pinned" || resolved.pin.kind === "unknown") return;
    const file = await openFile(visit, resolved.pin, "GET");
    visit.isolate.ports.telemetry.preloaded(file.kind === "entry" ? "fetched" : "refused");
  } catch {
    visit.isolate.ports.telemetry.preloaded("failed");
  } finally {
    endVisit(visit);
  }
}
