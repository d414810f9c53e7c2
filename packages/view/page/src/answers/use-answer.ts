/** An answer that a component waits for. It is requested again when its key changes, and cancelled when unused. */

import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "./in-words.js";

export type Answer<T> =
  | { readonly state: "pending" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly message: string; retry(): void };

/**
 * @param key identifies the request; null if there is none.
 * @param ask its signal aborts when the key changes, or the component is unmounted.
 * @param objects further dependencies, the same number at each call: a different object starts a new request.
 */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  objects: readonly unknown[] = [],
): Answer<T> {
  const [attempt, setAttempt] = useState(0);
  const [held, setHeld] = useState<{ key: string; objects: readonly unknown[]; answer: Answer<T> } | null>(null);
  useEffect(() => {
    if (key === null) return;
    const asking = new AbortController();
    const { signal } = asking;
    setHeld(null);
    ask(signal).then(
      (value) => {
        if (!signal.aborted) setHeld({ key, objects, answer: { state: "ready", value } });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const retry = () => setAttempt((before) => before + 1);
        setHeld({ key, objects, answer: { state: "failed", message: wordsOf(error), retry } });
      },
    );
    return () => asking.abort();
    // `ask` is a new function at each call; only the key and the objects show when the request changes.
  }, [key, attempt, ...objects]);
  const isHeld = held !== null && held.key === key && objects.every((one, i) => one === held.objects[i]);
  return isHeld ? held.answer : { state: "pending" };
}
