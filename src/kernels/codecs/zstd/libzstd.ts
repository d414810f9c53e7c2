/** The functions of libzstd in @hpcc-js/wasm-zstd. */

/**
 * The C functions. Sizes and addresses are 32-bit numbers. An error is returned as a size: the negative of a small
 * number.
 */
export interface ZstdFunctions {
  malloc(bytes: number): number;
  free(address: number): void;
  compressBound(bytes: number): number;
  compress(to: number, room: number, from: number, bytes: number, level: number): number;
  decompress(to: number, room: number, from: number, bytes: number): number;
}

export interface Libzstd {
  readonly functions: ZstdFunctions;
  /** Returns a view of the memory, valid until the memory grows. */
  memory(): Uint8Array;
}

/**
 * Opens the library with its own memory. The package's methods copy byte by byte (8 MB/s), so the underlying functions
 * are called instead. They are private in the package's types, so the package's version is pinned.
 * @throws {TypeError} if the package has other functions.
 */
export async function openLibzstd(): Promise<Libzstd> {
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  // The package uses one memory for all callers, and this memory never shrinks. After `unload`, the package no longer
  // references the previous memory.
  await Zstd.unload();
  const zstd = await Zstd.load();
  const functions: unknown = Reflect.get(zstd, "_zstdClass");
  const wrapper: unknown = Reflect.get(zstd, "_mainModule");
  const module: unknown = isObject(wrapper) ? Reflect.get(wrapper, "_module") : undefined;
  if (!hasFunctions(functions) || !hasMemory(module)) throw new TypeError("@hpcc-js/wasm-zstd has other functions");
  return { functions, memory: () => module.HEAPU8 };
}

const NAMES = ["malloc", "free", "compressBound", "compress", "decompress"] as const satisfies (keyof ZstdFunctions)[];

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function hasFunctions(value: unknown): value is ZstdFunctions {
  return isObject(value) && NAMES.every((name) => typeof Reflect.get(value, name) === "function");
}

function hasMemory(value: unknown): value is { readonly HEAPU8: Uint8Array } {
  return isObject(value) && Reflect.get(value, "HEAPU8") instanceof Uint8Array;
}
