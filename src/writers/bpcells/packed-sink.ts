/**
 * Packs a stream of unsigned 32-bit integers into `<name>_data`, `<name>_idx`, and the other arrays of the packing
 * kind.
 */

import type { ArrayWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { Bp128Packer, type PackedBatch } from "../../kernels/bp128/packer.js";
import { type Bp128Kind, type Bp128Page, hasStarts } from "../../kernels/bp128/page.js";
import { runWithLocation } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import type { ColumnSink } from "../column-sink.js";
import { getArrayPath, UINT32, UINT64 } from "./context.js";

export class PackedSink implements ColumnSink<void, Uint32Array> {
  readonly #packer: Bp128Packer;
  readonly #data: ArrayWriter;
  readonly #idx: ArrayWriter;
  /** The chunks' first values; null for packing kinds without them. */
  readonly #starts: ArrayWriter | null;
  readonly #offsets: () => Promise<ArrayWriter>;
  readonly #element: string;

  private constructor(
    packer: Bp128Packer,
    arrays: { readonly data: ArrayWriter; readonly idx: ArrayWriter; readonly starts: ArrayWriter | null },
    offsets: () => Promise<ArrayWriter>,
    element: string,
  ) {
    this.#packer = packer;
    this.#data = arrays.data;
    this.#idx = arrays.idx;
    this.#starts = arrays.starts;
    this.#offsets = offsets;
    this.#element = element;
  }

  /**
   * Begins the arrays in `group`.
   * @param page the page, which belongs to the sink until the sink is closed.
   */
  static async open(group: GroupWriter, name: string, kind: Bp128Kind, page: Bp128Page): Promise<PackedSink> {
    const element = getArrayPath(group, name);
    const array = (part: string, type: typeof UINT32 | typeof UINT64) =>
      runWithLocation({ element }, () => group.array(`${name}_${part}`, { type, shape: [null] }));
    const data = await array("data", UINT32);
    const idx = await array("idx", UINT32);
    const starts = hasStarts(kind) ? await array("starts", UINT32) : null;
    const offsets = () => array("idx_offsets", UINT64);
    return new PackedSink(new Bp128Packer(page, kind), { data, idx, starts }, offsets, element);
  }

  /** Appends values. Calls must not overlap. The caller may reuse the memory once the promise resolves. */
  async write(values: Uint32Array): Promise<void> {
    for (const piece of this.#packer.push(values)) await this.#append(piece);
  }

  /**
   * Copies values to `room`, which must be large enough, and checks them there. `filled` then appends them.
   * @returns the number of values that are less than their predecessor; -1 if a value is negative, or not below
   * `limit`.
   */
  put(values: Int32Array | Uint32Array, limit: number): number {
    const isSigned = values instanceof Int32Array;
    this.room().set(isSigned ? new Uint32Array(values.buffer, values.byteOffset, values.length) : values);
    return this.#packer.survey(values.length, isSigned ? Math.min(limit, 2 ** 31) : limit);
  }

  /**
   * Returns memory for at least one value, into which the caller may write the next values before it calls `filled`.
   */
  room(): Uint32Array {
    return this.#packer.room();
  }

  /**
   * Converts the first `count` values of `room`, which are the bits of floats, to integers of equal value.
   * @returns the index of the first float that is not an integer; -1 if all are.
   */
  wholeFloats(count: number): number {
    return this.#packer.wholeFloats(count);
  }

  /** Appends the first `count` values of `room`. */
  async filled(count: number): Promise<void> {
    const piece = this.#packer.filled(count);
    if (piece !== null) await this.#append(piece);
  }

  async close(): Promise<void> {
    await this.#append(this.#packer.finish());
    const offsets = await this.#offsets();
    await appendTo(offsets, this.#packer.offsets());
    for (const array of [this.#data, this.#idx, this.#starts, offsets]) {
      if (array !== null) await runWithLocation({ element: this.#element }, () => array.close());
    }
  }

  async #append({ data, idx, starts }: PackedBatch): Promise<void> {
    await runWithLocation({ element: this.#element }, async () => {
      await appendTo(this.#data, data);
      await appendTo(this.#idx, idx);
      if (this.#starts !== null) await appendTo(this.#starts, starts);
    });
  }
}

async function appendTo(array: ArrayWriter, values: NumberArray): Promise<void> {
  if (values.length > 0) await array.write({ kind: "fixed", values }, values.length);
}
