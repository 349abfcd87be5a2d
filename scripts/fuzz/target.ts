import type fc from "fast-check";

/** Something to be fuzzed, with its rules. */
export type FuzzTarget = {
  /** As it is named on the command line, and its directory of fixtures. */
  readonly name: string;
  /** Text is shown, minimised and kept as text, one character a byte. */
  readonly holds: "text" | "bytes";
  readonly mostBytes: number;
  /** Inputs by the grammar, which all others are made from. */
  readonly fresh: fc.Arbitrary<Uint8Array>;
  /** What the grammar hangs on: put in where an input is changed. */
  readonly words: readonly string[];
  /**
   * Throws `BrokenRule` where a rule does not hold; anything else that it throws is a find too. Answers what kind of
   * outcome it was, one of a few dozen: an input with a new one is kept like one that reaches a new branch.
   */
  readonly check: (input: Uint8Array) => string | Promise<string>;
};

/** A rule that does not hold for an input. */
export class BrokenRule extends Error {
  readonly rule: string;

  constructor(rule: string, detail: unknown) {
    super(`${rule}: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`);
    this.name = "BrokenRule";
    this.rule = rule;
  }
}

/** Fails as a broken rule unless it holds. */
export function insist(holds: boolean, rule: string, detail: () => unknown): asserts holds {
  if (!holds) throw new BrokenRule(rule, detail());
}

/** What went wrong, by the name under which finds are told apart. */
export function ruleOf(error: unknown): string {
  if (error instanceof BrokenRule) return error.rule;
  return `throws ${error instanceof Error ? error.name : typeof error}`;
}

/** An input as text, one character a byte, and back. */
export function textOf(input: Uint8Array): string {
  return Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("latin1");
}

/** The bytes of a text, one a character; those of what is past U+00FF are its UTF-8, one each. */
export function bytesOf(text: string): Uint8Array {
  // oxlint-disable-next-line no-control-regex -- what is no byte is looked for
  return Buffer.from(text, /^[\u0000-\u00ff]*$/.test(text) ? "latin1" : "utf8");
}
