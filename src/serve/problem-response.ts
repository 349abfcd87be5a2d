import { problemDocument, problemStatus, type ProblemName } from "../core/problem.ts";

/** A failure of our own as the client sees it (RFC 9457); never stored by anyone. */
export function problemResponse(
  problem: ProblemName,
  headers: Record<string, string> = {},
  detail?: string,
): Response {
  return new Response(problemDocument(problem, detail), {
    status: problemStatus(problem),
    headers: { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...headers },
  });
}
