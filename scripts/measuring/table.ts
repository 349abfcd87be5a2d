import { missed, ratioOf, type Figure } from "../bench/figure.ts";

/** What was measured beside its targets, a line a figure. */
export function formatTable(figures: readonly Figure[]): string {
  return formatColumns([["figure", "ours", "theirs", "ratio", "target", ""], ...figures.map(rowOf)]);
}

/** A heading and its rows in aligned columns: the first to the left, all others, being numbers, to the right. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const aligned = rows.map((row) =>
    widths.map((width, column) => {
      const cell = row[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    }),
  );
  const ruler = widths.map((width) => "-".repeat(width));
  const lines = aligned.toSpliced(1, 0, ruler).map((cells) => cells.join("  ").trimEnd());
  return lines.join("\n");
}

function rowOf(figure: Figure): string[] {
  const { title, unit, ours, theirs, target } = figure;
  const ratio = ratioOf(figure);
  return [
    unit === "" ? title : `${title}, ${unit}`,
    formatNumber(ours),
    theirs === undefined ? "" : formatNumber(theirs),
    ratio === undefined ? "" : formatNumber(ratio),
    target === undefined ? "" : "least" in target ? `>= ${target.least}` : `<= ${target.most}`,
    target === undefined ? "" : missed(figure) ? "missed" : "ok",
  ];
}

/** Three digits that count, and no exponent. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3);
}
