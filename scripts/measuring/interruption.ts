const SIGNALS = ["SIGINT", "SIGTERM"] as const;
type Listener = (...args: unknown[]) => void;

/**
 * Aborts when the process is asked to end, so that whatever is awaited breaks off and each thing that was started is
 * ended on the way out. Miniflare listens too, and would end the process at once, with all else left behind: from here
 * on nobody but this listens.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const listeners = new Map<string, Listener>(
    SIGNALS.map((name) => [name, () => controller.abort(new Error(`Interrupted by ${name}`))]),
  );
  process.on("newListener", (name: string | symbol, listener: Listener) => {
    const ours = listeners.get(String(name));
    if (ours === undefined || ours === listener) return;
    process.nextTick(() => process.removeListener(name, listener));
  });
  for (const [name, listener] of listeners) process.on(name, listener);
  return controller.signal;
}
