import { escapeHtml, visibleName } from "../html-text.ts";

/** Heads of columns. */
export function columnsOf(names: readonly string[]): string[] {
  return names.map((name) => `<th scope="col">${name}`);
}

/** A row of texts of any origin. */
export function row([first = "", ...rest]: readonly string[]): string {
  return `<tr><th scope="row">${shown(first)}${rest.map((text) => `<td>${shown(text)}`).join("")}`;
}

function shown(text: string): string {
  return escapeHtml(visibleName(text));
}

export type Table = {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly string[];
  /** Events have the site and the lane as third and fourth column, which a phone leaves out, and a long text as fifth. */
  readonly kind?: "events";
};

/** A titled table that may be wider than the screen. */
export function table({ title, heads, rows, kind }: Table): string {
  const start = kind === undefined ? "<table>" : `<table class="${kind}">`;
  const body =
    rows.length === 0
      ? '<p class="more">None</p>'
      : `<div class="scroll">${start}<thead><tr>${heads.join("")}</thead><tbody>${rows.join("\n")}</tbody></table></div>`;
  return `<section><h2>${title}</h2>${body}</section>`;
}
