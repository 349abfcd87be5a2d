import { setTimeout as sleep } from "node:timers/promises";
import { startDemo } from "../demo/demo.ts";
import type { Forge } from "../demo/demo.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { Conditions, Figure, Target } from "./figure.ts";
import { readText, SECRET } from "./raw-files.ts";
import { load } from "./wrk.ts";

/** As long as a revision lives; no other length would show the same. */
const LOAD_S = 60;
const CONNECTIONS = 4;
const CLIENTS = 100;
/** Long enough for all clients to arrive before the first answer. */
const COLD_AUTH_MS = 100;
/** For questions that are put behind a response. */
const SETTLE_MS = 500;

/** What the origin is asked while one branch is read without a pause, and when everybody comes at once. */
export async function measureQuestions(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const text = await readText(demo.gitlab.url + SECRET.path, SECRET.headers, conditions.signal);
  return [
    ...(await underLoad(conditions, demo.gitlab, text)),
    ...(await coldAtOnce(conditions, demo.gitlab, text)),
  ];
}

async function underLoad({ signal, say }: Conditions, origin: Forge, text: string): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(await startBenchEdge(origin.url), (started) => started.close());
  origin.resetCounts();
  const { requests } = await load({
    url: edge.url + SECRET.path,
    headers: SECRET.headers,
    connections: CONNECTIONS,
    seconds: LOAD_S,
    bodyBytes: text.length,
    signal,
  });
  await sleep(SETTLE_MS, undefined, { signal });
  say(`${requests} requests from fresh in ${LOAD_S} s: ${described(origin)}`);
  return countFigures(origin, { name: "raw.questions", title: `Asked in ${LOAD_S} s`, most: 4 });
}

async function coldAtOnce({ signal, say }: Conditions, origin: Forge, text: string): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(await startBenchEdge(origin.url), (started) => started.close());
  origin.authMs = COLD_AUTH_MS;
  origin.resetCounts();
  const url = edge.url + SECRET.path;
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, () => readText(url, SECRET.headers, signal)),
  );
  if (answers.some((answer) => answer !== text))
    throw new Error("A cold client got other bytes than the origin has");
  await sleep(SETTLE_MS, undefined, { signal });
  say(`${CLIENTS} clients cold at once: ${described(origin)}`);
  return countFigures(origin, { name: "raw.cold", title: `${CLIENTS} clients cold at once`, most: 1 });
}

type Naming = { readonly name: string; readonly title: string; readonly most: number };

/** A question is all that is neither a body nor git's capabilities, which are asked for once and hold no permission. */
function countFigures(origin: Forge, { name, title, most }: Naming): Figure[] {
  const counts = origin.counts();
  const bodies = counts["web:raw"];
  const capabilities = counts["git:capabilities"];
  const figure = (part: string, words: string, ours: number, target?: Target): Figure => ({
    name: `${name}.${part}`,
    title: `${title}: ${words}`,
    unit: "",
    ours,
    ...(target === undefined ? {} : { target }),
  });
  return [
    figure("questions", "questions (who and which)", counts.total - capabilities - bodies, { most }),
    figure("ls_refs", "of them ls-refs", counts["git:ls-refs"]),
    figure("capabilities", "capabilities", capabilities),
    figure("bodies", "bodies", bodies, { most: 1 }),
    figure("total", "requests in all", counts.total),
  ];
}

function described(origin: Forge): string {
  const counts = Object.entries(origin.counts()).filter(([kind, count]) => count > 0 && kind !== "bytes");
  return counts.map(([kind, count]) => `${kind} ${count}`).join(", ");
}
