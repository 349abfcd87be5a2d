import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { Forge } from "../../scripts/demo/demo.ts";
import { startHarness, type Harness, type HarnessOptions } from "./harness.ts";
import { quietAfter } from "./quiet-after.ts";

export type ForgeName = "gitlab" | "gitea";

/** One answer as it came over the wire. */
export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the answer ended as its framing said it would. */
  readonly whole: boolean;
  /** The three members of `Cache-Status`, by the last word of their name. */
  readonly caches: Readonly<Record<string, string>>;
};

export type Ask = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with each piece of the body; what it returns is waited for before more is read. */
  readonly onPiece?: (bytesSoFar: number) => Promise<void> | void;
  readonly signal?: AbortSignal;
};

/** Kept connections, for tests of thousands of requests. */
const agent = new Agent({ keepAlive: true });

/** Sends one request; a connection that breaks before any answer is status 0. */
export function ask(
  url: string,
  { method = "GET", headers = {}, onPiece, signal }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const none: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), whole: false, caches: {} };
    const sent = request(url, { method, headers, agent, ...(signal && { signal }) }, (response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        try {
          for await (const piece of response as AsyncIterable<Buffer>) {
            pieces.push(piece);
            bytes += piece.length;
            await onPiece?.(bytes);
          }
        } catch {
          // `complete` tells
        }
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces),
          whole: response.complete,
          caches: cachesOf(response.headers["cache-status"]),
        });
      })();
    });
    sent.on("error", () => resolve(none));
    sent.end();
  });
}

function cachesOf(header: string | string[] | undefined): Record<string, string> {
  const members = String(header ?? "").split(/, (?=forgefront)/);
  return Object.fromEntries(members.map((member) => [/^forgefront-?(\w*)/.exec(member)?.[1] ?? "", member]));
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** The private project, by the name each forge knows it by, and where its raw files are. */
export const SECRET: Readonly<Record<ForgeName, string>> = {
  gitlab: "demo/nested/secret",
  gitea: "demo/secret",
};

export type Scene = {
  readonly harness: Harness;
  forge(name: ForgeName): Forge;
  /** Undoes what a test changed, forgets all memory, and moves on to when nothing that lives for a time lives any more. */
  fresh(): Promise<void>;
  /** Moves the Worker's clock on, and that of the storage of artifacts. */
  advance(ms: number): Promise<void>;
  /** The same as `settle()`, and at once where the Worker has nothing under way: where nobody waits for an answer. */
  rest(): Promise<void>;
  /** Waits until no question is under way at either forge and the Worker has had the answers. */
  settle(): Promise<void>;
  /** A name that was never used before. */
  name(prefix: string): string;
};

/** An age at which every isolate renews a grant behind a hit; other colos are told of it only then. */
export const AGEING_MS = 26_000;

const LONGER_THAN_ANY_LIFE_MS = 1_000_000;
const SECRETS = [
  "glpat-reader",
  "glpat-other",
  "job-reader",
  "gldt-secret",
  "static-reader",
  "session-reader",
  "password",
  "gitea-reader",
  "gitea-other",
];
const MEMBERS = ["reader", "gitlab+deploy-token-1"];

/** A harness that many tests share, each of which begins with `fresh()`. */
export async function startScene(options: HarnessOptions = {}): Promise<Scene> {
  const harness = await startHarness(options);
  const forge = (name: ForgeName) => harness.demo[name];
  let clockOffsetMs = 0;
  let names = 0;

  const advance = async (ms: number) => {
    clockOffsetMs += ms;
    harness.demo.storage.clockSkewMs = clockOffsetMs;
    await harness.world({ clockOffsetMs });
  };

  const questions = () => forge("gitlab").counts().total + forge("gitea").counts().total;
  const settle = async () => await quietAfter({ stepMs: 10, questions });
  const rest = async () => await quietAfter({ stepMs: 10, questions, underWay: () => harness.underWay() });

  return {
    harness,
    forge,
    advance,
    rest,
    settle,
    name: (prefix) => `${prefix}-${++names}`,
    async fresh() {
      for (const each of ["gitlab", "gitea"] as const) {
        const changed = forge(each);
        changed.intercept = undefined;
        changed.renamed = undefined;
        changed.authMs = 0;
        for (const secret of SECRETS) changed.restoreToken(secret);
        for (const user of MEMBERS)
          changed.setMember(user, SECRET[each], user === "reader" || each === "gitlab");
        changed.setMember("other", SECRET[each], false);
        changed.setVisibility(SECRET[each], "private");
      }
      await rest();
      await harness.world({ kv: "ok", cache: "ok", database: "bound" });
      await advance(LONGER_THAN_ANY_LIFE_MS);
      await harness.newIsolate();
      for (const each of ["gitlab", "gitea"] as const) forge(each).resetCounts();
    },
  };
}
