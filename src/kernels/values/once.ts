/**
 * Returns a function that calls `make` at its first call, and always returns this first result: a module that is
 * compiled once, or its promise.
 */
export function once<T>(make: () => T): () => T {
  const made: { readonly value: T }[] = [];
  return () => {
    if (made.length === 0) made.push({ value: make() });
    return made[0].value;
  };
}
