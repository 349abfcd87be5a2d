/** What a canonical query of GitLab's list asks for; the texts are the parameters as they are given, defaults left out. */
export type ListParameters = {
  readonly page: number;
  readonly perPage: number;
  readonly order: Order;
  readonly direction: "asc" | "desc";
  readonly texts: ReadonlyMap<string, string>;
};

export type Order = (typeof ORDERS)[number];

/** GitLab: `Ci::PipelinesFinder::ALLOWED_INDEXED_COLUMNS`. */
const ORDERS = ["id", "status", "ref", "updated_at", "user_id"] as const;
const FILTERS = [
  ..."scope status ref sha yaml_errors username source name".split(" "),
  ..."updated_after updated_before created_after created_before".split(" "),
];
const KNOWN = new Set(["page", "per_page", "order_by", "sort", ...FILTERS]);
const PAGE_SIZE = 20;

/** Reads a canonical query; `undefined` where it holds what is not known here. */
export function readListParameters(query: string): ListParameters | undefined {
  const texts = new Map(new URLSearchParams(query));
  const order = ORDERS.find((known) => known === (texts.get("order_by") ?? "id"));
  const isKnown = [...texts.keys()].every((name) => KNOWN.has(name));
  if (order === undefined || !isKnown) return undefined;
  return {
    page: Number(texts.get("page") ?? 1),
    perPage: Number(texts.get("per_page") ?? PAGE_SIZE),
    order,
    direction: texts.get("sort") === "asc" ? "asc" : "desc",
    texts,
  };
}

/** A parameter's text, unless it is nothing but white space: such a filter GitLab leaves aside (`present?`). */
export function presentText({ texts }: ListParameters, name: string): string | undefined {
  const text = texts.get(name);
  return text === undefined || /^\p{White_Space}*$/u.test(text) ? undefined : text;
}

export type Instant = {
  /** To the microsecond, with what is finer cut off, as Rails writes it into a query. */
  readonly utc: string;
  /** As Ruby writes the instant (`DateTime#to_s`): in its own zone, without a fraction. */
  readonly ruby: string;
};

const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-]\d\d):?(\d\d))?)?$/;
const MICROSECOND_DIGITS = 6;

/** A date, or date and time, of ISO 8601; midnight and UTC where neither is said. `undefined` for what is none. */
export function readInstant(text: string): Instant | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [, date = "", minute = "00:00", second = "00", fraction = "", hours = "+00", minutes = "00"] = match;
  const ruby = `${date}T${minute}:${second}${hours}:${minutes}`;
  const wholeSeconds = Date.parse(ruby);
  if (Number.isNaN(wholeSeconds)) return undefined;
  const microseconds = fraction.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, "0");
  return { utc: `${new Date(wholeSeconds).toISOString().slice(0, 19)}.${microseconds}`, ruby };
}
