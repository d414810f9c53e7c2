/** Holds blocks of entries that lie band by band: in memory as long as there is room, then in a spill. */

import type { WordShape } from "../arrow/value-words.js";
import { entryBytes } from "../arrow/value-words.js";
import type { BandedEntries } from "../kernels/sparse/entry-bands.js";
import type { EntryWords } from "../kernels/sparse/scatter.js";
import { bytesOf } from "../model/stored.js";
import type { Spill } from "./spill.js";

/** Memory for the keys and the values of entries. */
export interface KeyedEntries {
  readonly keys: Int32Array;
  readonly values: readonly EntryWords[];
}

/** Entries [start, end) of a block, in memory that holds some of all blocks. */
export interface BlockPart {
  /** Number of the block's first list. */
  readonly first: number;
  /** Start of each of the parts' bands in this memory, and the end of the last one. */
  readonly starts: Uint32Array;
}

interface HeldBlock {
  readonly first: number;
  readonly starts: Uint32Array;
  /** The entries, or the place of their keys in the spill; values follow. */
  readonly entries: KeyedEntries | number;
}

export class HeldBlocks {
  readonly #shapes: readonly WordShape[];
  readonly #spill: Spill;
  readonly #blocks: HeldBlock[] = [];
  #room: number;
  #spilled = false;

  constructor(shapes: readonly WordShape[], memoryBytes: number, spill: Spill) {
    this.#shapes = shapes;
    this.#room = memoryBytes;
    this.#spill = spill;
  }

  get count(): number {
    return this.#blocks.length;
  }

  /** Copies a block. Once it resolves, the block's memory may be used again. */
  async add({ first, starts, keys, values }: BandedEntries): Promise<void> {
    const bytes = keys.length * (4 + entryBytes(this.#shapes));
    if (bytes <= this.#room) {
      this.#room -= bytes;
      this.#blocks.push({
        first,
        starts,
        entries: { keys: keys.slice(), values: values.map((words) => words.slice()) },
      });
      return;
    }
    this.#spilled = true;
    const offset = await this.#spill.append([bytesOf(keys), ...values.map(bytesOf)]);
    this.#blocks.push({ first, starts, entries: offset });
  }

  /** Number of entries of each of `count` bands. */
  sizes(count: number): Float64Array {
    const sizes = new Float64Array(count);
    for (const { starts } of this.#blocks) for (let b = 0; b < count; b++) sizes[b] += starts[b + 1] - starts[b];
    return sizes;
  }

  /** Number of entries of a band in a block. */
  size(block: number, band: number): number {
    const { starts } = this.#blocks[block];
    return starts[band + 1] - starts[band];
  }

  /** Copies the entries of the bands [from, to) of the blocks from `block` to before `end`, one block after another. */
  async load(
    [from, to]: readonly [from: number, to: number],
    target: KeyedEntries,
    [block, end]: readonly [block: number, end: number] = [0, this.#blocks.length],
  ): Promise<readonly BlockPart[]> {
    const parts: BlockPart[] = [];
    const reads: Promise<void>[] = [];
    let at = 0;
    for (const { first, starts, entries } of this.#blocks.slice(block, end)) {
      const [start, stop] = [starts[from], starts[to]];
      if (start === stop) continue;
      if (typeof entries === "number") {
        reads.push(...this.#read(entries, starts[starts.length - 1], [start, stop], target, at));
      } else {
        target.keys.set(entries.keys.subarray(start, stop), at);
        this.#shapes.forEach(({ step }, i) => {
          target.values[i].set(entries.values[i].subarray(start * step, stop * step), at * step);
        });
      }
      const moved = at - start;
      parts.push({ first, starts: starts.subarray(from, to + 1).map((place) => place + moved) });
      at += stop - start;
    }
    // No read may still fill the memory after another one has failed.
    for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
    return parts;
  }

  async end(): Promise<void> {
    if (this.#spilled) await this.#spill.remove();
  }

  /** Reads the entries [start, end) of a spilled block of `length` entries to the places from `at` on. */
  #read(
    offset: number,
    length: number,
    [start, end]: readonly [number, number],
    target: KeyedEntries,
    at: number,
  ): Promise<void>[] {
    const count = end - start;
    const reads = [this.#spill.read(offset + 4 * start, bytesOf(target.keys.subarray(at, at + count)))];
    let place = offset + 4 * length;
    this.#shapes.forEach(({ bytes, step }, i) => {
      const width = bytes * step;
      const words = target.values[i].subarray(at * step, (at + count) * step);
      reads.push(this.#spill.read(place + width * start, bytesOf(words)));
      place += width * length;
    });
    return reads;
  }
}
