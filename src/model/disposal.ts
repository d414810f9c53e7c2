/// <reference lib="esnext.disposable" preserve="true" />
/** Closes objects at the end of a block: `await using data = await open(file)`. */

interface Closing {
  close(): Promise<void>;
}

/** Makes `await using` close an object, or all objects that share a prototype. */
export function closeAfterUse<T extends Closing>(object: T): asserts object is T & AsyncDisposable {
  // Older browsers lack the symbol; esbuild's output for `await using` then looks for this replacement.
  const key: symbol = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
  Object.defineProperty(object, key, {
    configurable: true,
    writable: true,
    value(this: Closing) {
      return this.close();
    },
  });
}
