import { startDemo } from "../demo/demo.ts";
import { startBenchEdge } from "./bench-edge.ts";
import { versionOf } from "../measuring/command.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startForgeNginx } from "./forge-nginx.ts";
import { expectRefusal, readText, SECRET } from "./raw-files.ts";
import { interleave, medians } from "../measuring/rounds.ts";
import { load } from "./wrk.ts";

const CONNECTIONS = 32;
const LOAD_S = 4;
const WARM_UP_S = 1;
const ROUNDS = 5;
const AUTH_MS = [0, 10];
const FRESH_S = 60;

/** The edge beside nginx with proxy_cache and auth_request, before the same origin. */
export async function measureBesideNginx({
  signal,
  seconds = LOAD_S,
  say,
  note,
}: Conditions): Promise<Figure[]> {
  const version = await versionOf("nginx", "-v", signal);
  if (version === undefined) {
    note("Skipped the comparison with nginx: there is no nginx here (Debian: nginx-core)");
    return [];
  }
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const cache = { origin: new URL(demo.gitlab.url).host, authPath: SECRET.authPath, freshS: FRESH_S };
  const edge = scope.adopt(await startBenchEdge(demo.gitlab.url), (started) => started.close());
  const nginx = scope.adopt(await startForgeNginx(cache), (started) => started.close());
  const text = await readText(demo.gitlab.url + SECRET.path, SECRET.headers, signal);
  const run = async ({ url: base }: { readonly url: string }, length: number) => {
    const url = base + SECRET.path;
    if ((await readText(url, SECRET.headers, signal)) !== text)
      throw new Error(`${url} has other bytes than the origin`);
    await expectRefusal(url, signal);
    const conditions = { headers: SECRET.headers, connections: CONNECTIONS, bodyBytes: text.length, signal };
    const { requestsPerS } = await load({ ...conditions, url, seconds: length });
    say(
      `${base === edge.url ? "edge" : "nginx"}, auth ${demo.gitlab.authMs} ms: ${Math.round(requestsPerS)} requests/s`,
    );
    return requestsPerS;
  };
  const figures: Figure[] = [];
  for (const authMs of AUTH_MS) {
    demo.gitlab.authMs = authMs;
    await run(edge, WARM_UP_S);
    await run(nginx, WARM_UP_S);
    const rounds = await interleave(
      ROUNDS,
      () => run(edge, seconds),
      () => run(nginx, seconds),
    );
    figures.push({
      name: `raw.nginx.auth_${authMs}_ms.requests_per_s`,
      title: `Same file / nginx ${version}, origin auth ${authMs} ms`,
      unit: "requests/s",
      ...medians(rounds),
    });
  }
  return figures;
}
