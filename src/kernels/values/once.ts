/**
 * Returns a function that calls `make` only when it is first called. Every call returns the same result, such as a
 * compiled module or its promise.
 */
export function once<T>(make: () => T): () => T {
  const made: { readonly value: T }[] = [];
  return () => {
    if (made.length === 0) made.push({ value: make() });
    return made[0].value;
  };
}
