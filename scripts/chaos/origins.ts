import { startDemo, type Demo } from "../demo/demo.ts";
import { addSamples } from "../demo/s3-samples.ts";
import { startS3Store, type S3Store } from "../demo/s3.ts";
import { startFaultyProxy, type FaultyProxy, type ProxyFault } from "./proxy.ts";
import { HOSTS } from "./sites.ts";

/** The demo's origins, and the storage to which GitLab redirects for artifacts, each behind a proxy that makes it fail. */
export type Origins = {
  readonly demo: Demo;
  readonly store: S3Store;
  readonly gitlab: FaultyProxy;
  readonly gitea: FaultyProxy;
  readonly s3: FaultyProxy;
  setFault(fault: ProxyFault | undefined): void;
  kill(): Promise<void>;
  revive(): Promise<void>;
  requests(): number;
  active(): number;
  /** How far the clocks of the stores are ahead, which hold signatures against them. */
  skew(ms: number): void;
  close(): Promise<void>;
};

/** Starts them with one file and one object of so many bytes among others. */
export async function startOrigins(largeBytes: number): Promise<Origins> {
  await using starting = new AsyncDisposableStack();
  const kept = <T extends { close(): Promise<void> }>(started: T): T =>
    starting.adopt(started, (each) => each.close());
  const demo = kept(await startDemo({ bigFileBytes: largeBytes }));
  const store = kept(await startS3Store());
  addSamples(store, largeBytes);
  const gitlab = kept(await startFaultyProxy(demo.gitlab.url));
  const gitea = kept(await startFaultyProxy(demo.gitea.url));
  const s3 = kept(await startFaultyProxy(store.url));
  const storage = kept(await startFaultyProxy(demo.storage.url));
  for (const forge of ["gitlab", "gitea"] as const) demo[forge].externalUrl = `http://${HOSTS[forge]}`;
  Object.assign(demo.storage, { url: storage.url }); // it is what redirects name and signatures cover
  const all = [gitlab, gitea, s3, storage];
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const started = starting.move();
  return {
    demo,
    store,
    gitlab,
    gitea,
    s3,
    setFault: (fault) => all.forEach((proxy) => void (proxy.fault = fault)),
    kill: async () => void (await Promise.all(all.map((proxy) => proxy.kill()))),
    revive: async () => void (await Promise.all(all.map((proxy) => proxy.revive()))),
    requests: () => sum(all.map((proxy) => proxy.requests())),
    active: () => sum(all.map((proxy) => proxy.active())),
    skew(ms) {
      store.clockSkewMs = ms;
      demo.storage.clockSkewMs = ms;
    },
    close: () => started.disposeAsync(),
  };
}
