/** Keeps work going when the response has been sent (`ExecutionContext.waitUntil`). */
export type Defer = (work: Promise<unknown>) => void;
