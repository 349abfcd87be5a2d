import { SCENARIOS, type PreviewAsker, type PreviewPlan, type Scenario, type Target } from "./plan.ts";

/** What the environment says of an edge that runs elsewhere, and of who may read what of it. */
export type Preview = Pick<PreviewPlan, "targets" | "askers" | "storeAskers"> & { readonly base: string };

export type PreviewAnswer =
  | { readonly kind: "preview"; readonly preview: Preview }
  | { readonly kind: "faults"; readonly faults: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

const LANES = SCENARIOS.filter((scenario) => scenario !== "mixed");
const SHA256 = /^[0-9a-f]{64}$/;
const KEY = /^([^:]+):(.+)$/;

/**
 * Reads `BASE_URL`, `LOAD_TARGETS`, `TOKEN`, `DENIED_TOKEN`, `S3_KEY`, `DENIED_S3_KEY` (`id:secret`) and `S3_REGION`; tells all
 * faults at once.
 */
export function readPreview(environment: Environment): PreviewAnswer {
  const faults: string[] = [];
  const base = readBase(environment["BASE_URL"], faults);
  const targets = readTargets(environment["LOAD_TARGETS"], base, faults);
  const askers = forgeAskers(environment);
  const storeAskers = keyAskers(environment, faults);
  const needs = (lanes: (target: Target) => boolean, name: string, first: PreviewAsker | undefined) => {
    if (first?.mayRead !== true && targets.some((target) => target.isPrivate && lanes(target)))
      faults.push(`LOAD_TARGETS names what is private, and ${name} is not set`);
  };
  needs(({ lane }) => lane !== "objects", "TOKEN", askers[0]);
  needs(({ lane }) => lane === "objects", "S3_KEY", storeAskers[0]);
  if (base === undefined || faults.length > 0) return { kind: "faults", faults };
  return { kind: "preview", preview: { base: base.origin, targets, askers, storeAskers } };
}

function readBase(text: string | undefined, faults: string[]): URL | undefined {
  const base = URL.canParse(text ?? "") ? new URL(text ?? "") : undefined;
  if (base !== undefined && /^https?:$/.test(base.protocol)) return base;
  faults.push("BASE_URL is no http or https URL");
  return undefined;
}

function readTargets(text: string | undefined, base: URL | undefined, faults: string[]): Target[] {
  const list = readList(text);
  if (list !== undefined && list.length > 0)
    return list.flatMap((item, index) => readTarget(item, `LOAD_TARGETS[${index}]`, base, faults));
  faults.push(
    'LOAD_TARGETS is no JSON list such as [{"lane":"raw","url":"/group/app/-/raw/main/README.md"}]',
  );
  return [];
}

function readList(text: string | undefined): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text ?? "");
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined; // reported as a fault of LOAD_TARGETS
  }
}

function readTarget(item: unknown, name: string, base: URL | undefined, faults: string[]): Target[] {
  const { lane, url, private: isPrivate = false, sha256 } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const before = faults.length;
  const known = LANES.find((candidate) => candidate === lane);
  if (known === undefined) faults.push(`${name}.lane is none of ${LANES.join(", ")}`);
  if (typeof url !== "string" || !URL.canParse(url, base?.href)) faults.push(`${name}.url is no URL or path`);
  if (typeof isPrivate !== "boolean") faults.push(`${name}.private is neither true nor false`);
  if (sha256 !== undefined && !isDigest(sha256)) faults.push(`${name}.sha256 is no SHA-256 in hex`);
  if (known === undefined || faults.length > before) return [];
  return [
    {
      lane: known,
      url: new URL(String(url), base?.href).href,
      isPrivate: isPrivate === true,
      sha256: isDigest(sha256) ? sha256 : undefined,
    },
  ];
}

function isDigest(value: unknown): value is string {
  return typeof value === "string" && SHA256.test(value);
}

const NOBODY: PreviewAsker = { who: "anybody", headers: {}, key: undefined, mayRead: false };

function forgeAskers({ TOKEN: token, DENIED_TOKEN: denied }: Environment): PreviewAsker[] {
  const bearer = (who: string, text: string | undefined, mayRead: boolean): PreviewAsker[] =>
    text === undefined || text === ""
      ? []
      : [{ who, headers: { Authorization: `Bearer ${text}` }, key: undefined, mayRead }];
  return [...bearer("TOKEN", token, true), ...bearer("DENIED_TOKEN", denied, false), NOBODY];
}

function keyAskers(environment: Environment, faults: string[]): PreviewAsker[] {
  const region = environment["S3_REGION"] ?? "us-east-1";
  const signed = (who: string, mayRead: boolean): PreviewAsker[] => {
    const text = environment[who];
    if (text === undefined || text === "") return [];
    const [, id, secret] = KEY.exec(text) ?? [];
    if (id !== undefined && secret !== undefined)
      return [{ who, headers: {}, key: { id, secret, region }, mayRead }];
    faults.push(`${who} is not of the form id:secret`);
    return [];
  };
  return [...signed("S3_KEY", true), ...signed("DENIED_S3_KEY", false), NOBODY];
}

/** The targets that a scenario asks for: those of its lane, or all. */
export function targetsOf({ targets }: Preview, scenario: Scenario): readonly Target[] {
  return scenario === "mixed" ? targets : targets.filter(({ lane }) => lane === scenario);
}
