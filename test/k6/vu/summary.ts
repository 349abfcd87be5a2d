/** Prints all metrics, with what became of their thresholds, as JSON. */
export function handleSummary({ metrics }: { readonly metrics: object }): Record<string, string> {
  return { stdout: JSON.stringify(metrics) };
}
