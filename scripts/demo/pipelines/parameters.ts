/** How a query parameter is read, as GitLab's API declares its parameters with Grape. */
export interface Declaration {
  readonly type: "text" | "integer" | "boolean" | "time" | "texts";
  readonly values?: readonly string[];
  readonly except?: number;
  readonly default?: string;
}

export type Declarations = Readonly<Record<string, Declaration>>;

export type ParameterValue = string | number | boolean | Date | readonly string[];

export type Parameters =
  /** What is wrong with all of them, as `{"error": …}` says it with 400. */
  | { readonly kind: "refused"; readonly error: string }
  | {
      readonly kind: "read";
      readonly value: (name: string) => ParameterValue | undefined;
      /** Every parameter of the request, the unknown ones too, and the defaults of those that are absent, with their coerced text. */
      readonly texts: ReadonlyMap<string, string | readonly string[]>;
    };

/** A value with the text that GitLab writes it with into links. */
interface Coerced {
  readonly value: ParameterValue | undefined;
  readonly text: string | readonly string[];
}

const BLANK: Coerced = { value: undefined, text: "" };

/** Reads a query; of a name that comes more than once, the last counts, but of `name[]` all do. */
export function readParameters(query: URLSearchParams, declarations: Declarations): Parameters {
  const given = gather(query);
  const values = new Map<string, ParameterValue>();
  const texts = new Map(given);
  const faults: string[] = [];
  for (const [name, declaration] of Object.entries(declarations)) {
    const text = given.get(name) ?? declaration.default;
    if (text === undefined) continue;
    const coerced = coerce(text, declaration.type);
    const fault = coerced === undefined ? "is invalid" : faultOf(coerced.value, declaration);
    if (fault !== undefined) faults.push(`${name} ${fault}`);
    texts.set(name, coerced?.text ?? text);
    if (coerced?.value !== undefined) values.set(name, coerced.value);
  }
  if (faults.length > 0) return { kind: "refused", error: faults.join(", ") };
  return { kind: "read", value: (name) => values.get(name), texts };
}

function gather(query: URLSearchParams): Map<string, string | readonly string[]> {
  const given = new Map<string, string | readonly string[]>();
  for (const [name, text] of query) {
    if (name.endsWith("[]")) given.set(name.slice(0, -2), query.getAll(name));
    else given.set(name, text);
  }
  return given;
}

function faultOf(value: ParameterValue | undefined, declaration: Declaration): string | undefined {
  if (value !== undefined && value === declaration.except) return "has a value not allowed";
  const { values } = declaration;
  const listed = Array.isArray(value) ? value : [value];
  const allowed = value === undefined || values === undefined || listed.every((one) => values.includes(one));
  return allowed ? undefined : "does not have a valid value";
}

/** Undefined for what is not of the type; a value that is blank is none, unless it is a text. */
function coerce(text: string | readonly string[], type: Declaration["type"]): Coerced | undefined {
  if (type === "texts") {
    const texts = typeof text === "string" ? [text] : text;
    return { value: texts, text: texts };
  }
  if (typeof text !== "string") return undefined;
  if (type === "text") return { value: text, text };
  if (text.trim() === "") return BLANK;
  if (type === "integer") return coerceInteger(text.trim());
  return type === "boolean" ? coerceBoolean(text) : coerceTime(text);
}

function coerceInteger(text: string): Coerced | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  return { value: Number(text), text: String(BigInt(text.replace(/^\+/, ""))) };
}

function coerceBoolean(text: string): Coerced | undefined {
  if (/^(1|[oO]n|ON|t|true|True|TRUE|T|y|yes|Yes|YES|Y)$/.test(text)) return { value: true, text: "true" };
  if (/^(0|[oO]ff|OFF|f|false|False|FALSE|F|n|no|No|NO|N)$/.test(text))
    return { value: false, text: "false" };
  return undefined;
}

const TIME = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** ISO 8601 with what may be left out of it; Ruby reads more, but nobody sends more. */
function coerceTime(text: string): Coerced | undefined {
  const [, date, day, minutes = "00:00", seconds = "00", fraction = "", zone = "Z"] = TIME.exec(text) ?? [];
  const offset = zone.toUpperCase() === "Z" ? "+00:00" : zone.replace(/^(...):?/, "$1:");
  const value = new Date(`${date}T${minutes}:${seconds}${fraction}${offset}`);
  // A thirty-first of February would be a day in March.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(value.getTime()) || !isDay) return undefined;
  return { value, text: `${date}T${minutes}:${seconds}${offset}` };
}
