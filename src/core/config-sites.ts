import { parseJson } from "./parse-json.ts";
import { baseHost, SITE_KINDS, STORE_AUTHS, type Site, type SiteKind, type StoreAuth } from "./site.ts";

/** `SITES`: a list, or its JSON. */
export function readSites(value: unknown, faults: string[]): Site[] {
  const list = typeof value === "string" ? parseJson(value) : value;
  if (!Array.isArray(list) || list.length === 0) {
    faults.push("SITES must be a list of at least one { host, kind, origin }");
    return [];
  }
  const sites = list.flatMap((entry: unknown, index) => readSite(entry, `SITES[${index}]`, faults));
  const seen = new Set<string>();
  for (const { host } of sites) {
    if (seen.has(host)) faults.push(`SITES names the host ${host} twice`);
    seen.add(host);
  }
  return sites;
}

function readSite(entry: unknown, where: string, faults: string[]): Site[] {
  if (typeof entry !== "object" || entry === null) {
    faults.push(`${where} must be { host, kind, origin }`);
    return [];
  }
  const { host, kind, origin, ...rest } = entry as Record<string, unknown>;
  const before = faults.length;
  if (!SITE_KINDS.includes(kind as SiteKind)) {
    faults.push(`${where}.kind must be one of ${SITE_KINDS.join(", ")}, not ${JSON.stringify(kind)}`);
  }
  const { auth, region, ...unknown } = rest;
  for (const setting of Object.keys(kind === "s3" ? unknown : rest))
    faults.push(`${where} has an unknown setting ${JSON.stringify(setting)}`);
  const name = kind === "s3" && typeof host === "string" ? baseHost({ host }) : host;
  if (typeof name !== "string" || !isHost(name)) {
    faults.push(
      `${where}.host must be a host name with an optional port, in lower case, not ${JSON.stringify(withoutPassword(host))}`,
    );
  }
  if (typeof origin !== "string" || !isOrigin(origin)) {
    faults.push(
      `${where}.origin must be http(s)://host[:port] without a path, not ${JSON.stringify(withoutPassword(origin))}`,
    );
  }
  if (kind === "s3" && faults.length === before) {
    readStore({ auth, region, host: String(name), origin: String(origin) }, where, faults);
  }
  if (faults.length > before) return [];
  const address = { host: host as string, origin: (origin as string).replace(/\/$/, "") };
  if (kind !== "s3") return [{ ...address, kind: kind as Exclude<SiteKind, "s3"> }];
  return [{ ...address, kind, auth: auth as StoreAuth, region: (region ?? DEFAULT_REGION) as string }];
}

/** What clients sign for where they are told nothing else. */
const DEFAULT_REGION = "us-east-1";

type StoreSettings = {
  readonly auth: unknown;
  readonly region: unknown;
  readonly host: string;
  readonly origin: string;
};

function readStore({ auth, region, host, origin }: StoreSettings, where: string, faults: string[]): void {
  if (!STORE_AUTHS.includes(auth as StoreAuth)) {
    faults.push(`${where}.auth must be one of ${STORE_AUTHS.join(", ")}, not ${JSON.stringify(auth)}`);
  }
  if (region !== undefined && (typeof region !== "string" || !/^[a-z0-9-]{1,64}$/.test(region))) {
    faults.push(`${where}.region must be the name of a region, not ${JSON.stringify(region)}`);
  }
  const isShared = new URL(origin).host === new URL(`${new URL(origin).protocol}//${host}`).host;
  if ((auth === "rgw" || auth === "probe") && !isShared) {
    faults.push(
      `${where}.origin must have the host ${host}: with auth ${auth} clients' own signatures, made for it, are shown to the origin`,
    );
  }
}

function isHost(text: string): boolean {
  const url = parseUrl(`https://${text}`);
  const plain = parseUrl(`http://${text}`);
  return (
    url !== undefined && text !== "" && !text.includes("*") && (url.host === text || plain?.host === text)
  );
}

function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) return false;
  return url.origin === text.replace(/\/$/, "");
}

/** A fault is shown; what stands before an `@` may be a password. */
function withoutPassword(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^.*@/s, "***@") : value;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
