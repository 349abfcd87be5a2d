import { startDemo } from "../demo/demo.ts";
import { startSameBytes, startSameResponse } from "./bare-workers.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { Conditions, Figure } from "./figure.ts";
import { readText, SECRET } from "./raw-files.ts";
import { interleave, medians } from "../measuring/rounds.ts";
import { load } from "./wrk.ts";

const CONNECTIONS = 32;
const LOAD_S = 3;
const WARM_UP_S = 2;
const ROUNDS = 7;

/**
 * A hit in memory over a Worker that has nothing to decide: one that sends the bytes alone, and one that sends
 * the very same response, as more than half of the difference is what eleven header fields cost any Worker.
 */
export async function measureHot({ signal, seconds = LOAD_S, say, note }: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const text = await readText(demo.gitlab.url + SECRET.path, SECRET.headers, signal);
  const edge = scope.adopt(await startBenchEdge(demo.gitlab.url), (started) => started.close());
  const edgeUrl = edge.url + SECRET.path;
  await readText(edgeUrl, SECRET.headers, signal);
  const hit = await fetch(edgeUrl, { headers: SECRET.headers, signal });
  await hit.text();
  const bytes = scope.adopt(await startSameBytes(text), (started) => started.close());
  const response = scope.adopt(await startSameResponse(text, hit.headers), (started) => started.close());
  const bytesUrl = bytes.url + SECRET.path.slice(1);
  const responseUrl = response.url + SECRET.path.slice(1);
  const names = new Map([
    [edgeUrl, "edge"],
    [bytesUrl, "bare Worker, same bytes"],
    [responseUrl, "bare Worker, same response"],
  ]);
  for (const url of names.keys()) {
    if ((await readText(url, SECRET.headers, signal)) !== text)
      throw new Error(`${url} has other bytes than the origin`);
  }
  const run = async (url: string, length: number) => {
    const conditions = { headers: SECRET.headers, connections: CONNECTIONS, bodyBytes: text.length, signal };
    const { requestsPerS, p99Ms } = await load({ ...conditions, url, seconds: length });
    say(`${names.get(url)}: ${Math.round(requestsPerS)} requests/s, p99 ${p99Ms} ms`);
    return requestsPerS;
  };
  for (const url of names.keys()) await run(url, WARM_UP_S);
  const beside = async (url: string) =>
    medians(
      await interleave(
        ROUNDS,
        () => run(edgeUrl, seconds),
        () => run(url, seconds),
      ),
    );
  const [besideBytes, besideResponse] = [await beside(bytesUrl), await beside(responseUrl)];
  const ceiling = (besideResponse.theirs / besideBytes.theirs).toFixed(2);
  note(`A bare Worker that sends the same header fields reaches ${ceiling} of one that sends none`);
  return [
    {
      name: "raw.hot.requests_per_s",
      title: "Hot hit of 4 KiB, private / bare Worker, same bytes",
      unit: "requests/s",
      ...besideBytes,
      target: { least: 0.8 },
    },
    {
      name: "raw.hot.same_response_requests_per_s",
      title: "Hot hit of 4 KiB, private / bare Worker, same response",
      unit: "requests/s",
      ...besideResponse,
    },
  ];
}
