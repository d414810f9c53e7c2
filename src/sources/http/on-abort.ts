const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs `action` when the signal aborts.
 *
 * All actions share one listener: Node warns of a leak where a signal has more than ten, and many reads run at once.
 * @returns what takes `action` back.
 */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  if (signal === undefined) return () => undefined;
  let actions = waiting.get(signal);
  if (actions === undefined) {
    const all = new Set<() => void>();
    signal.addEventListener("abort", () => all.forEach((one) => void one()), { once: true });
    waiting.set(signal, all);
    actions = all;
  }
  const own = () => action();
  actions.add(own);
  return () => void actions.delete(own);
}
