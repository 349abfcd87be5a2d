import { startDemo } from "../demo/demo.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { Conditions, Figure } from "./figure.ts";
import { readText, SECRET } from "./raw-files.ts";
import { interleave, medians } from "../measuring/rounds.ts";
import { load } from "./wrk.ts";

const AUTH_MS = 40;
const CONNECTIONS = 40;
const LOAD_S = 10;
const WARM_UP_S = 3;
const ROUNDS = 3;
const SMALL = { bigFileBytes: 1024 };

/** What remembering grants is worth, where the origin takes its time to decide who may read. */
export async function measureGrants({ signal, seconds = LOAD_S, say }: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ authMs: AUTH_MS, ...SMALL }), (started) => started.close());
  const origin = demo.gitlab.url;
  const all = scope.adopt(await startBenchEdge(origin), (edge) => edge.close());
  const none = scope.adopt(await startBenchEdge(origin, { GRANT_S: 0 }), (edge) => edge.close());
  const text = await readText(origin + SECRET.path, SECRET.headers, signal);
  const run = async (base: string, name: string, length: number) => {
    const url = base + SECRET.path;
    if ((await readText(url, SECRET.headers, signal)) !== text) throw new Error(`${url} has other bytes`);
    const conditions = { headers: SECRET.headers, connections: CONNECTIONS, bodyBytes: text.length, signal };
    const { requestsPerS } = await load({ ...conditions, url, seconds: length });
    say(`${name}: ${Math.round(requestsPerS)} requests/s`);
    return requestsPerS;
  };
  await run(all.url, "warm-up", WARM_UP_S);
  await run(none.url, "warm-up without grant caching", WARM_UP_S);
  const rounds = await interleave(
    ROUNDS,
    () => run(all.url, "all caches", seconds),
    () => run(none.url, "without grant caching", seconds),
  );
  const direct = await run(origin, "origin alone", seconds);
  const cached = medians(rounds);
  const title = `origin auth ${AUTH_MS} ms`;
  return [
    {
      name: "raw.grants.requests_per_s",
      title: `Grants cached / not, ${title}`,
      unit: "requests/s",
      ...cached,
      target: { least: 50 },
    },
    {
      name: "raw.grants.beside_origin.requests_per_s",
      title: `Grants cached / origin alone, ${title}`,
      unit: "requests/s",
      ours: cached.ours,
      theirs: direct,
    },
  ];
}
