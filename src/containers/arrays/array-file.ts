/**
 * A file of numbers: eight characters that name the type, followed by the little-endian values up to the end of the
 * file.
 */

import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import { checkTextBytes } from "../../kernels/values/join-values.js";
import {
  InvalidDataError,
  InvalidInputError,
  locateError,
  NotFoundError,
  UnsupportedError,
} from "../../model/errors.js";
import { type StoredType, type StoredValues, viewAsNumbers } from "../../model/stored.js";
import type { ArrayPlan, StoredArray } from "../tree/container.js";

const HEADER = 8;

export type NumberFileType = StoredType & { readonly bits: 32 | 64 };

/** The key and the header content of a file of numbers. */
export interface NumberFilePlan {
  readonly form: "numbers";
  readonly key: string;
  readonly type: NumberFileType;
  readonly count: number;
}

const TYPES: ReadonlyMap<string, NumberFileType> = new Map([
  ["UINT32v1", { kind: "int", bits: 32, signed: false }],
  ["UINT64v1", { kind: "int", bits: 64, signed: false }],
  ["FLOATSv1", { kind: "float", bits: 32 }],
  ["DOUBLEv1", { kind: "float", bits: 64 }],
]);

/** The headers as a big-endian machine writes them, with the bytes of each word reversed. */
const SWAPPED = new Set(
  [...TYPES.keys()].flatMap((name) =>
    [
      [3, 2, 1, 0, 7, 6, 5, 4],
      [7, 6, 5, 4, 3, 2, 1, 0],
    ].map((order) => order.map((at) => name[at]).join("")),
  ),
);

/**
 * Opens a file of numbers by reading its header.
 * @throws {NotFoundError} if there is no such file.
 * @throws {InvalidDataError} if the header is unknown, or the last value is incomplete.
 */
export async function openNumberFile(source: KeyValueSource, key: string, options?: ReadOptions): Promise<StoredArray> {
  const parts = await source.getRanges(key, [{ start: 0, end: HEADER }], options);
  const size = await fileSize(source, key, options);
  if (parts === undefined || size === undefined) throw new NotFoundError("no such file");
  const header = String.fromCharCode(...parts[0]);
  const type = TYPES.get(header);
  if (type === undefined) {
    if (SWAPPED.has(header)) throw new UnsupportedError("written on a big-endian machine");
    throw new InvalidDataError(
      `the file begins with ${JSON.stringify(header)}, not with ${[...TYPES.keys()].join(", ")}`,
    );
  }
  const width = type.bits / 8;
  if ((size - HEADER) % width !== 0) {
    throw new InvalidDataError(`${size - HEADER} bytes are not whole values of ${width} bytes`);
  }
  return createNumberFileArray(source, { form: "numbers", key, type, count: (size - HEADER) / width });
}

/** Opens the file described by a plan without reading anything. */
export function createNumberFileArray(source: KeyValueSource, plan: NumberFilePlan): StoredArray {
  return new NumberFile(source, plan);
}

async function fileSize(source: KeyValueSource, key: string, options?: ReadOptions): Promise<number | undefined> {
  if (source.size !== undefined) return source.size(key, options);
  return (await source.get(key, options))?.length;
}

class NumberFile implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes = new Map<string, never>();
  readonly type: StoredType;
  readonly shape: readonly [number];
  readonly chunks = null;
  readonly plan?: ArrayPlan;
  readonly #source: KeyValueSource;
  readonly #width: number;

  constructor(source: KeyValueSource, array: NumberFilePlan) {
    const { key, type, count } = array;
    this.path = key;
    this.id = key;
    this.type = type;
    this.shape = [count];
    this.#source = source;
    this.#width = type.bits / 8;
    if (source.plan !== undefined) this.plan = { container: "directory", source: source.plan, array };
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<StoredValues> {
    const bytes = await this.#bytes(start, end, options);
    // The bytes are copied if they are part of the source's memory. That memory must not be transferred, and the bytes
    // in it may not be aligned to the width.
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    return { kind: "fixed", values: viewAsNumbers(this.type, own) };
  }

  async readInto(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    if (this.#source.readInto === undefined) target.set(await this.#bytes(start, end, options));
    else await this.#fill(start, end, target, options);
  }

  async #bytes(start: number, end: number, options?: ReadOptions): Promise<Uint8Array> {
    if (this.#source.readInto !== undefined) {
      this.#range(start, end);
      const bytes = new Uint8Array((end - start) * this.#width);
      await this.#fill(start, end, bytes, options);
      return bytes;
    }
    return this.#located(async () => {
      const range = this.#range(start, end);
      if (start === end) return new Uint8Array(0);
      const parts = await this.#source.getRanges(this.path, [range], options);
      checkSize(parts?.[0].length, range);
      return parts?.[0] ?? new Uint8Array(0);
    });
  }

  #fill(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    return this.#located(async () => {
      const range = this.#range(start, end);
      if (start < end) checkSize(await this.#source.readInto?.(this.path, range.start, target, options), range);
    });
  }

  /** Returns the byte range of the values [start, end). */
  #range(start: number, end: number): { readonly start: number; readonly end: number } {
    const [count] = this.shape;
    if (start >= 0 && start <= end && end <= count) {
      return { start: HEADER + start * this.#width, end: HEADER + end * this.#width };
    }
    throw new InvalidInputError(`values ${start} to ${end} of ${count}`, this.#location);
  }

  get #location() {
    return { source: this.#source.name, element: this.path };
  }

  async #located<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw locateError(error, this.#location);
    }
  }
}

/** @throws {InvalidDataError} if a file has been truncated since it was opened. */
function checkSize(found: number | undefined, { start, end }: { readonly start: number; readonly end: number }): void {
  if (found !== end - start) {
    throw new InvalidDataError(`${found ?? "no"} bytes of ${end - start} from byte ${start} on`);
  }
}

const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads a file of lines. The number of lines is known only afterwards.
 * @throws {NotFoundError} if there is no such file.
 */
export async function readTextFileArray(
  source: KeyValueSource,
  key: string,
  options?: ReadOptions,
): Promise<StoredArray> {
  const file = await source.get(key, options);
  if (file === undefined) throw new NotFoundError("no such file");
  checkTextBytes(file.length);
  const { offsets, bytes } = linesOf(file);
  const count = offsets.length - 1;
  return {
    plan:
      source.plan === undefined
        ? undefined
        : { container: "directory", source: source.plan, array: { form: "text", key } },
    kind: "array",
    path: key,
    id: key,
    attributes: new Map(),
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
    shape: [count],
    chunks: null,
    async read(start, end, read) {
      read?.signal?.throwIfAborted();
      if (!(start >= 0 && start <= end && end <= count)) {
        throw new InvalidInputError(`lines ${start} to ${end} of ${count}`, { element: key });
      }
      const base = offsets[start];
      return {
        kind: "variable",
        offsets: offsets.slice(start, end + 1).map((offset) => offset - base),
        bytes: bytes.subarray(base, offsets[end]),
      };
    },
  };
}

/** Splits a file into the texts of its lines, without line ends. */
function linesOf(file: Uint8Array): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  let count = 0;
  for (const byte of file) if (byte === NEWLINE) count++;
  if (file.length > 0 && file[file.length - 1] !== NEWLINE) count++;
  const offsets = new Int32Array(count + 1);
  const bytes = new Uint8Array(file.length);
  let from = 0;
  let to = 0;
  for (let line = 0; line < count; line++) {
    const newline = file.indexOf(NEWLINE, from);
    const next = newline < 0 ? file.length : newline;
    const end = next > from && file[next - 1] === RETURN ? next - 1 : next;
    bytes.set(file.subarray(from, end), to);
    to += end - from;
    offsets[line + 1] = to;
    from = next + 1;
  }
  return { offsets, bytes: bytes.subarray(0, to) };
}

export type ArrayFilePlan = NumberFilePlan | { readonly form: "text"; readonly key: string };

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly directory: ArrayFilePlan;
  }
}

/** Opens the array described by a plan, in the directory for which the plan was made. */
export async function openArrayFile(plan: ArrayFilePlan, source: KeyValueSource): Promise<StoredArray> {
  return plan.form === "text" ? await readTextFileArray(source, plan.key) : createNumberFileArray(source, plan);
}
