import type { ChangeEvent, EventAnswer } from "./event.ts";

/** The members of a JSON object; any other value has none. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = {};

export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : NONE;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that says something; `undefined` for an empty one, one that is no Unicode, and any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.isWellFormed() ? value : undefined;
}

/** The number of a project or pipeline as URLs have it; `undefined` for what is none. */
export function numberOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^[1-9]\d{0,18}$/.test(text) ? text : undefined;
}

const NO_PATH = /^\/|\/$|\/\//;

/** A project's path: at least two names with one slash between; `undefined` for anything else. */
export function projectPath(value: unknown): string | undefined {
  const path = textOf(value);
  return path !== undefined && path.includes("/") && !NO_PATH.test(path) ? path : undefined;
}

/** A group's path, which may be one name; `undefined` for what is none. */
export function groupPath(value: unknown): string | undefined {
  const path = textOf(value);
  return path !== undefined && !NO_PATH.test(path) ? path : undefined;
}

export const IGNORED: EventAnswer = { kind: "ignored" };

/** What is wrong with which field: its name, and never what the payload has there. */
export function malformed(field: string, wanted: string): EventAnswer & { readonly kind: "malformed" } {
  return { kind: "malformed", detail: `${field} must be ${wanted}` };
}

export function told(event: ChangeEvent): EventAnswer {
  return { kind: "events", events: [event] };
}

export function allTold(events: readonly ChangeEvent[]): EventAnswer {
  return events.length === 0 ? IGNORED : { kind: "events", events };
}
