/**
 * Reads row ranges of one stored array in whole chunks. Batches do not have to end at chunk borders, and no chunk is
 * decoded twice in a scan. Caches at most the remainder of one row of chunks.
 */

import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { joinValues } from "../../kernels/values/join-values.js";
import { sliceRows } from "../../kernels/values/stored-rows.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import {
  countElements,
  getDecodedSize,
  type StoredType,
  type StoredValues,
  viewAsNumbers,
} from "../../model/stored.js";
import type { JobMemory } from "../memory/buffer-pool.js";
import { computeRowsPerBatch } from "./task.js";

/**
 * Size of the largest row of chunks that is read as a whole. A larger row of chunks is read in row ranges, and each
 * range decodes the chunks again.
 */
const MAX_BAND_BYTES = 64 * 2 ** 20;

/** Maximum bytes per read. Larger reads are split, which is only necessary for text of very large fixed width. */
const MAX_READ_BYTES = 2 ** 28;
const MAX_STORED_BYTES = 2 ** 32;

export class ArrayRowReader {
  readonly array: StoredArray;
  readonly #shape: readonly number[];
  readonly #rows: number;
  readonly #rowValues: number;
  readonly #band: number;
  readonly #memory: JobMemory | null;
  #held: { readonly start: number; readonly end: number; readonly values: StoredValues } | null = null;

  /** @param memory memory for values of fixed size. The values must not be used after the memory is released. */
  constructor(array: StoredArray, memory: JobMemory | null = null) {
    this.array = array;
    this.#memory = memory;
    this.#shape = array.shape ?? [];
    this.#rows = this.#shape[0] ?? 1;
    this.#rowValues = countElements(this.#shape.slice(1));
    const chunkRows = (memory === null ? undefined : array.capabilities?.rowsAtOnce) ?? array.chunks?.[0] ?? 1;
    const bandBytes = chunkRows * this.#rowValues * (getDecodedSize(array.type) ?? 32);
    this.#band = chunkRows > 1 && bandBytes <= MAX_BAND_BYTES ? chunkRows : 1;
  }

  /**
   * Reads the rows [start, end); a scalar has one row.
   * @param until end of the scan; no row at or after it is read later.
   */
  async read(
    start: number,
    end: number,
    options: ReadOptions,
    until = Number.POSITIVE_INFINITY,
  ): Promise<StoredValues> {
    if (end > this.#rows) throw new InvalidDataError(`rows ${start} … ${end} of ${this.#rows}`);
    if (this.#band === 1) return this.#whole(start, end, options);
    const held = this.#held;
    if (held !== null && start >= held.start && end <= held.end) return this.#part(held, start, end);
    const head = held !== null && start >= held.start && start < held.end ? this.#part(held, start, held.end) : null;
    const from = head === null ? start : (held?.end ?? start);
    const last = Math.min(this.#rows, Math.ceil(end / this.#band) * this.#band, Math.max(end, until));
    // A scan with a known end reads forward only, so the rows before `from` in the same band are not needed.
    const first = until === Number.POSITIVE_INFINITY ? from - (from % this.#band) : from;
    this.#held = null;
    const values = await this.#whole(first, last, options);
    const block = { start: first, end: last, values };
    if (last > end) this.#held = block;
    const tail = this.#part(block, from, end);
    return head === null ? tail : joinValues([head, tail]);
  }

  /** Discards the remaining rows of the last band. */
  forget(): void {
    this.#held = null;
  }

  #part(block: { start: number; values: StoredValues }, start: number, end: number): StoredValues {
    return sliceRows(this.array.type, block.values, this.#rowValues, [start - block.start, end - block.start]);
  }

  async #whole(start: number, end: number, options: ReadOptions): Promise<StoredValues> {
    const { array } = this;
    const size = getDecodedSize(array.type);
    if (this.#memory !== null && array.readInto !== undefined && size !== null && array.type.kind !== "record") {
      const target = this.#memory.take((end - start) * this.#rowValues * size);
      await array.readInto(start, end, target, options);
      return { kind: "fixed", values: viewAsNumbers(array.type, target) };
    }
    // Fixed-width text is read at its full width, however short the values are.
    const rowBytes = array.capabilities?.rowBytes ?? this.#rowValues * storedSize(array.type);
    const most = computeRowsPerBatch(rowBytes, MAX_READ_BYTES);
    if ((end - start) * rowBytes > MAX_STORED_BYTES) {
      throw new UnsupportedError(`${end - start} rows of ${rowBytes} bytes each, at most ${MAX_STORED_BYTES} at once`);
    }
    const parts: StoredValues[] = [];
    for (let at = start; at < end || at === start; at += most) {
      const stop = Math.min(end, at + most);
      const values = await array.read(at, stop, options);
      checkLength(values, (stop - at) * this.#rowValues, array);
      parts.push(values);
    }
    return parts.length === 1 ? parts[0] : joinValues(parts);
  }
}

/** Returns the maximum number of rows of an array that are read at once, at least 1. */
export function getArrayRowsPerRead({ type, shape, capabilities }: StoredArray): number {
  const bytes = capabilities?.rowBytes ?? countElements((shape ?? []).slice(1)) * storedSize(type);
  return Math.max(1, Math.floor(MAX_READ_BYTES / Math.max(1, bytes)));
}

/** Returns the size of a stored value in bytes, estimated if sizes vary. */
function storedSize(type: StoredType): number {
  switch (type.kind) {
    case "text":
      return type.storage.form === "fixed" ? type.storage.width : 16;
    case "record":
      return type.fields.reduce((sum, field) => sum + storedSize(field.type) * countElements(field.shape), 0);
    default:
      return getDecodedSize(type) ?? 16;
  }
}

/** Checks the number of values. If a container returned too few or too many, all later rows would be shifted. */
function checkLength(values: StoredValues, count: number, array: StoredArray): void {
  const width = array.type.kind === "complex" ? 2 : array.type.kind === "bytes" ? (array.type.width ?? 1) : 1;
  const found =
    values.kind === "fixed"
      ? values.values.length / width
      : values.kind === "variable" || values.kind === "sequence"
        ? values.offsets.length - 1
        : values.length;
  if (found !== count && !(width === 0 && values.kind === "fixed")) {
    throw new InvalidDataError(`${found} values were read where ${count} were asked for`, { element: array.path });
  }
}
