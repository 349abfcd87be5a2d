import { Session, type Profiler } from "node:inspector";

/** What of the project's own code was run, as V8 counts it. */
export type Coverage = {
  /** What ran since the last look that never ran before; empty for nothing. */
  advance(): News;
  /** Whether some of the news ran since the last look: of those, it takes them off. */
  takesOff(news: News): boolean;
  /** Forgets what ran, so that all is new again, and nothing counts that is not run again. */
  forget(): void;
  figures(): CoverageFigures;
};

export type CoverageFigures = {
  readonly functions: number;
  /** Branches, as V8 has them: stretches of code with a count of their own; those seen, and of these the ones that ran. */
  readonly blocks: number;
  readonly seen: number;
};

/** Where stretches of code begin that ran for the first time, as `module:offset`. */
export type News = Set<string>;

/** Where a function is in its module, and which of its characters ran: each function has its own, as one may hold others. */
type Known = { readonly first: number; readonly ran: Uint8Array };
/** Where a stretch of code with a count of its own begins. */
type Stretch = Known & { readonly start: number };

/** One that sees nothing, so that inputs are kept by their outcome alone. */
export const BLIND: Coverage = {
  advance: () => new Set(),
  takesOff: () => false,
  forget: () => undefined,
  figures: () => ({ functions: 0, blocks: 0, seen: 0 }),
};

/**
 * Counts from now on in all modules whose URL has `within`. It has to begin before they are loaded: V8 gives blocks counts of
 * their own when it compiles them. To take the counts costs about a millisecond, whatever ran.
 */
export function startCoverage(within: string): Coverage {
  const session = new Session();
  session.connect();
  send(session, "Profiler.enable");
  send(session, "Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const functions = new Map<string, Known>();
  const stretches = new Map<string, Stretch>();

  function* looked(): Generator<Run> {
    for (const { url, functions: ran } of take(session)) {
      if (!url.includes(within)) continue;
      for (const { ranges } of ran) {
        const [whole] = ranges;
        if (whole !== undefined && whole.count > 0)
          yield {
            name: `${url}:${whole.startOffset}`,
            first: whole.startOffset,
            end: whole.endOffset,
            ranges,
          };
      }
    }
  }

  const learn = ({ name, first, end, ranges }: Run): Known => {
    const known = functions.get(name) ?? { first, ran: new Uint8Array(end - first) };
    functions.set(name, known);
    for (const { startOffset, endOffset } of ranges)
      stretches.set(`${name}:${startOffset}-${endOffset}`, { ...known, start: startOffset });
    return known;
  };

  return {
    advance() {
      const news: News = new Set();
      for (const run of looked()) {
        const { ran } = learn(run);
        let isNews = false;
        for (const index of charactersRun(run)) {
          const isNew = ran[index] === 0;
          if (isNew && !isNews) news.add(`${run.name}:${index}`);
          isNews = isNew;
          ran[index] = 1;
        }
      }
      return news;
    },
    takesOff(news) {
      const before = news.size;
      for (const run of looked()) for (const index of charactersRun(run)) news.delete(`${run.name}:${index}`);
      return news.size < before;
    },
    forget() {
      take(session);
      functions.clear();
      stretches.clear();
    },
    figures() {
      let blocks = 0;
      for (const { first, ran, start } of stretches.values()) blocks += ran[start - first] ?? 0;
      return { functions: functions.size, blocks, seen: stretches.size };
    },
  };
}

/** A function that ran; its ranges are nested, the outer first, and what an inner one says counts. */
type Run = {
  readonly name: string;
  readonly first: number;
  readonly end: number;
  readonly ranges: readonly Profiler.CoverageRange[];
};

/** Which of a function's characters ran, counted from its first. */
function* charactersRun({ first, end, ranges }: Run): Generator<number> {
  const isRun = new Uint8Array(end - first);
  for (const { startOffset, endOffset, count } of ranges)
    isRun.fill(count > 0 ? 1 : 0, startOffset - first, endOffset - first);
  for (let index = isRun.indexOf(1); index !== -1; index = isRun.indexOf(1, index + 1)) yield index;
}

/** The inspector of one's own thread answers before `post` returns. */
function send(session: Session, method: string, parameters: object = {}): void {
  session.post(method, parameters, (error) => {
    if (error !== null) throw error;
  });
}

function take(session: Session): readonly Profiler.ScriptCoverage[] {
  let taken: readonly Profiler.ScriptCoverage[] | undefined;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    taken = result;
  });
  if (taken === undefined) throw new Error("The inspector did not answer at once");
  return taken;
}
