/** When somebody asked. */
export type Column = "public" | "private" | "was public" | "revoked" | "removed";

const COLUMNS: readonly Column[] = ["public", "private", "was public", "revoked", "removed"];

/** What everybody was seen to be shown. */
export type VerdictTable = {
  /** One run of ways to ask: all served (s), all refused (r), or not as they should be (!). */
  note(row: string, column: Column, letter: "s" | "r" | "!"): void;
  print(): void;
};

/** A table of so many rows; what was never tried is a dash. */
export function verdictTable(rows: readonly string[]): VerdictTable {
  const letters = new Map<string, string>();
  const line = (row: string, cells: readonly string[]) =>
    row.padEnd(44) + cells.map((cell) => cell.padEnd(12)).join("");
  return {
    note(row, column, letter) {
      const key = `${row}: ${column}`;
      letters.set(key, (letters.get(key) ?? "") + letter);
    },
    print() {
      const lines = rows.map((row) =>
        line(
          row,
          COLUMNS.map((column) => letters.get(`${row}: ${column}`) ?? "-"),
        ),
      );
      console.log(["s served, r refused, ! neither", line("", COLUMNS), ...lines].join("\n"));
    },
  };
}
