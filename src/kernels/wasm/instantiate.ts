import { MissingDependencyError } from "../../model/errors.js";

/** A started kernel module: its memory and the requested functions. */
export interface Kernel<Name extends string> {
  readonly memory: WebAssembly.Memory;
  readonly functions: Readonly<Record<Name, KernelFunction>>;
}

/**
 * A function of a kernel. Pointers, lengths and results are 32-bit numbers; a function without a result returns
 * undefined, typed as a number.
 */
export type KernelFunction = (...values: number[]) => number;

/**
 * Compiles and starts a module that imports nothing. This is asynchronous, because browsers compile only the smallest
 * modules synchronously on the main thread.
 * @param base64 the module, as in `<name>.wasm.ts`.
 * @param names the functions that it must export, in addition to its `memory`.
 * @throws {MissingDependencyError} if WebAssembly with SIMD is missing, or if the page's policy forbids it.
 */
export async function instantiateKernel<Name extends string>(
  base64: string,
  names: readonly Name[],
): Promise<Kernel<Name>> {
  const bytes = decodeBase64(base64);
  if (typeof WebAssembly === "undefined") throw createWasmError();
  const { instance } = await WebAssembly.instantiate(bytes).catch((cause: unknown) => {
    throw explainFailure(cause);
  });
  return kernelOf(instance, names);
}

/**
 * Does the same as `instantiateKernel`, but synchronously, for modules smaller than 4 KiB. Every browser compiles them
 * on its main thread.
 */
export function instantiateSmallKernel<Name extends string>(base64: string, names: readonly Name[]): Kernel<Name> {
  return kernelOf(startInstance(decodeBase64(base64)), names);
}

function startInstance(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Instance {
  if (typeof WebAssembly === "undefined") throw createWasmError();
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(bytes));
  } catch (cause) {
    throw explainFailure(cause);
  }
}

/** Returns whether modules can be compiled here: WebAssembly exists, and no Content Security Policy forbids it. */
export function isWebAssemblyAllowed(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  try {
    // These bytes are the shortest module.
    return new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)) instanceof WebAssembly.Module;
  } catch {
    return false;
  }
}

/** Returns the error for code that needs WebAssembly when it cannot run. */
export function createWasmError(cause?: unknown): MissingDependencyError {
  return new MissingDependencyError(
    "WebAssembly with SIMD is missing or forbidden here; a page allows it by 'wasm-unsafe-eval' " +
      "in script-src of its Content-Security-Policy",
    { cause },
  );
}

/**
 * Explains why a module cannot be compiled: the engine lacks SIMD, or a policy forbids it, which Safari reports as an
 * EvalError. Other failures, such as a lack of memory, are returned unchanged.
 */
function explainFailure(cause: unknown): unknown {
  const isForbidden = cause instanceof WebAssembly.CompileError || cause instanceof EvalError;
  return isForbidden ? createWasmError(cause) : cause;
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

/**
 * Grows a memory to at least `bytes` bytes. Growing invalidates existing views of the memory, so callers must create
 * them again.
 */
export function ensureMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
}

/** Decodes base64 without line breaks. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
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
