/** A kernel's module, ready to be called: its memory and those of its functions that were asked for. */
export interface Kernel<Name extends string> {
  readonly memory: WebAssembly.Memory;
  readonly functions: Readonly<Record<Name, KernelFunction>>;
}

/** Pointers, lengths and results are 32-bit numbers; a function without a result gives undefined, seen as a number. */
export type KernelFunction = (...values: number[]) => number;

/**
 * Compiles and starts a module that imports nothing. A promise, because browsers compile anything but the smallest
 * modules only asynchronously on their main thread.
 * @param base64 the module, as in `<name>.wasm.ts`.
 * @param names the functions that it must export, beside its `memory`.
 * @returns null where there is no WebAssembly with SIMD, or a page may not use it: the caller then uses its plain loop.
 */
export async function instantiateKernel<Name extends string>(
  base64: string,
  names: readonly Name[],
): Promise<Kernel<Name> | null> {
  const bytes = validModule(base64);
  if (bytes === null) return null;
  try {
    const { instance } = await WebAssembly.instantiate(bytes);
    return kernelOf(instance, names);
  } catch (cause) {
    return nullIfForbidden(cause);
  }
}

/** As `instantiateKernel`, at once: for modules below 4 KiB, which every browser compiles on its main thread. */
export function instantiateSmallKernel<Name extends string>(
  base64: string,
  names: readonly Name[],
): Kernel<Name> | null {
  const bytes = validModule(base64);
  if (bytes === null) return null;
  try {
    return kernelOf(new WebAssembly.Instance(new WebAssembly.Module(bytes)), names);
  } catch (cause) {
    return nullIfForbidden(cause);
  }
}

/** Whether modules can be compiled here: neither is WebAssembly missing, nor does a Content Security Policy forbid it. */
export function isWebAssemblyAllowed(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  try {
    // The shortest module there is.
    return new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)) instanceof WebAssembly.Module;
  } catch {
    return false;
  }
}

function validModule(base64: string): Uint8Array<ArrayBuffer> | null {
  if (typeof WebAssembly === "undefined") return null;
  const bytes = bytesOfBase64(base64);
  return WebAssembly.validate(bytes) ? bytes : null;
}

/** A valid module that does not compile is one that a Content Security Policy forbids. */
function nullIfForbidden(cause: unknown): null {
  if (cause instanceof WebAssembly.CompileError) return null;
  throw cause;
}

function kernelOf<Name extends string>(instance: WebAssembly.Instance, names: readonly Name[]): Kernel<Name> {
  const { memory } = instance.exports;
  const functions: Partial<Record<Name, KernelFunction>> = {};
  for (const name of names) {
    const value = instance.exports[name];
    if (!isKernelFunction(value)) throw new TypeError(`the module exports no function ${name}`);
    functions[name] = value;
  }
  if (!(memory instanceof WebAssembly.Memory) || !isComplete(functions, names)) {
    throw new TypeError("the module exports no memory");
  }
  return { memory, functions };
}

/** Makes a memory at least `bytes` long. Views of it end when it grows: they must be taken anew. */
export function ensureMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
}

/** Bytes of a text without line breaks. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function isKernelFunction(value: unknown): value is KernelFunction {
  return typeof value === "function";
}

function isComplete<Name extends string>(
  functions: Partial<Record<Name, KernelFunction>>,
  names: readonly Name[],
): functions is Record<Name, KernelFunction> {
  return names.every((name) => functions[name] !== undefined);
}
