import { startDemo } from "../demo/demo.ts";
import { startSameBytes } from "./bare-workers.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { Conditions, Figure } from "./figure.ts";
import { readText, SECRET } from "./raw-files.ts";
import { interleave, medians } from "./rounds.ts";
import { load } from "./wrk.ts";

const CONNECTIONS = 32;
const LOAD_S = 3;
const WARM_UP_S = 2;
const ROUNDS = 7;

/** A hit in memory over a Worker that has nothing to decide. */
export async function measureHot({ signal, seconds = LOAD_S, say }: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const text = await readText(demo.gitlab.url + SECRET.path, SECRET.headers, signal);
  const edge = scope.adopt(await startBenchEdge(demo.gitlab.url), (started) => started.close());
  const bare = scope.adopt(await startSameBytes(text), (started) => started.close());
  const edgeUrl = edge.url + SECRET.path;
  const bareUrl = bare.url + SECRET.path.slice(1);
  for (const url of [edgeUrl, bareUrl]) {
    if ((await readText(url, SECRET.headers, signal)) !== text)
      throw new Error(`${url} has other bytes than the origin`);
  }
  const run = async (url: string, length: number) => {
    const conditions = { headers: SECRET.headers, connections: CONNECTIONS, bodyBytes: text.length, signal };
    const { requestsPerS, p99Ms } = await load({ ...conditions, url, seconds: length });
    say(
      `${url === edgeUrl ? "edge" : "bare Worker"}: ${Math.round(requestsPerS)} requests/s, p99 ${p99Ms} ms`,
    );
    return requestsPerS;
  };
  await run(edgeUrl, WARM_UP_S);
  await run(bareUrl, WARM_UP_S);
  const rounds = await interleave(
    ROUNDS,
    () => run(edgeUrl, seconds),
    () => run(bareUrl, seconds),
  );
  return [
    {
      name: "raw.hot.requests_per_s",
      title: "Hot hit of 4 KiB, private / bare Worker",
      unit: "requests/s",
      ...medians(rounds),
      target: { least: 0.8 },
    },
  ];
}
