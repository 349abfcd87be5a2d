import { requestSigner } from "../bench/objects-signing.ts";
import { DEMO_KEYS } from "../demo/s3-samples.ts";
import { HOSTS, type Site } from "./sites.ts";

export type AskerName = "anonymous" | "reader" | "signed in" | "revoked" | "stranger" | "unknown" | "forger";

/** Something to read, and its true bytes. */
export type Target = {
  readonly name: string;
  readonly site: Site;
  /** Path and query as they are sent; of an object, the path decoded, which is the same. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isPublic: boolean;
  /** Read in parts only, of so many bytes at most. */
  readonly parts?: number;
};

/** One read: a target, or a part of it, as somebody. */
export type Read = {
  readonly target: Target;
  readonly asker: AskerName;
  readonly range?: { readonly start: number; readonly end: number };
};

type Asker = {
  readonly name: AskerName;
  /** Whether the private targets are for them. */
  readonly mayRead: boolean;
  /** Whether not even public ones are: what the origin does not know it refuses everywhere. */
  readonly isUnknown?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: { readonly id: string; readonly secret: string };
};

/** Who asks each site; the one that is to be revoked is a reader of its own. */
const ASKERS: Readonly<Record<Site, readonly Asker[]>> = {
  gitlab: [
    { name: "anonymous", mayRead: false },
    { name: "reader", mayRead: true, headers: { authorization: "Bearer glpat-developer" } },
    { name: "signed in", mayRead: true, headers: { cookie: "_gitlab_session=session-developer" } },
    { name: "revoked", mayRead: true, headers: { "PRIVATE-TOKEN": "glpat-reader" } },
    { name: "stranger", mayRead: false, headers: { "PRIVATE-TOKEN": "glpat-other" } },
    { name: "unknown", mayRead: false, isUnknown: true, headers: { "PRIVATE-TOKEN": "glpat-wrong" } },
  ],
  gitea: [
    { name: "anonymous", mayRead: false },
    { name: "reader", mayRead: true, headers: { authorization: `Basic ${btoa("reader:password")}` } },
    { name: "signed in", mayRead: true, headers: { cookie: "i_like_gitea=session-reader" } },
    { name: "revoked", mayRead: true, headers: { authorization: "token gitea-reader" } },
    { name: "stranger", mayRead: false, headers: { authorization: "token gitea-other" } },
    { name: "unknown", mayRead: false, isUnknown: true, headers: { authorization: "token wrong" } },
  ],
  s3: [
    { name: "anonymous", mayRead: false },
    { name: "reader", mayRead: true, key: DEMO_KEYS.reader },
    { name: "revoked", mayRead: true, key: DEMO_KEYS.writer },
    { name: "stranger", mayRead: false, key: DEMO_KEYS.other },
    { name: "forger", mayRead: false, isUnknown: true, key: { ...DEMO_KEYS.reader, secret: "a guess" } },
  ],
};

/** What each origin is told to forget: two tokens, and the id of a key. */
export const REVOKED = {
  gitlab: "glpat-reader",
  gitea: "gitea-reader",
  s3: DEMO_KEYS.writer.id,
} as const satisfies Record<Site, string>;

export function askersOf({ site }: Target): readonly Asker[] {
  return ASKERS[site];
}

function askerOf({ target, asker }: Read): Asker {
  const found = askersOf(target).find(({ name }) => name === asker);
  if (found === undefined) throw new Error(`${target.name} has no asker ${asker}`);
  return found;
}

/** Whether a read is to be answered with content while nobody is revoked. */
export function mayHave(read: Read): boolean {
  const { mayRead, isUnknown = false } = askerOf(read);
  return mayRead || (read.target.isPublic && !isUnknown);
}

/** The request for a read as it is sent to the edge, at a time in milliseconds. */
export function requestFor(
  read: Read,
  at: number,
): { readonly path: string; readonly headers: Readonly<Record<string, string>> } {
  const { target, range } = read;
  const { path } = target;
  const { headers = {}, key } = askerOf(read);
  const host = HOSTS[target.site];
  const ranged = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
  const sign = key && requestSigner({ name: key.id, accessKey: key.id, secretKey: key.secret }, at);
  return { path, headers: { host, ...headers, ...ranged, ...sign?.({ method: "GET", host, path }) } };
}

/** A read in words, for complaints. */
export function describeRead({ target, asker, range }: Read): string {
  const part = range === undefined ? "" : ` ${range.start}-${range.end - 1}`;
  return `${target.name}${part} as ${asker}`;
}
