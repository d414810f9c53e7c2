/**
 * A function that calls `make` when it is first called, and gives what that gave from then on: a module that is compiled
 * once, or its promise.
 */
export function once<T>(make: () => T): () => T {
  const made: { readonly value: T }[] = [];
  return () => {
    if (made.length === 0) made.push({ value: make() });
    return made[0].value;
  };
}
