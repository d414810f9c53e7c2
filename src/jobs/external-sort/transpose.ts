/**
 * Transposes any number of lists of entries within a memory budget. The lists come in blocks, whose entries are grouped
 * by bands of minor positions. Blocks are kept in memory as long as there is room, and spilled after that. Then groups
 * of neighbouring bands are read from all blocks, and each band is sorted by minor position.
 */

import type { Column, ColumnBatch, PrimitiveColumn } from "../../arrow/column.js";
import { INT32 } from "../../arrow/type.js";
import {
  allocateWords,
  countEntryBytes,
  createColumnFromWords,
  getWordShapes,
  type WordShape,
} from "../../arrow/value-words.js";
import {
  countKeys,
  type EntriesByRange,
  type EntryRanges,
  scatterKeys,
  selectKeysInRange,
} from "../../kernels/sparse/entry-ranges.js";
import { type EntryWords, gatherWords, scatterWords } from "../../kernels/sparse/scatter.js";
import { viewAsBytes } from "../../model/stored.js";
import { DEFAULT_SORT_BYTES } from "./sort-coordinates.js";
import type { Spill } from "./spill.js";
import { EntryBuffer, EntryShape } from "./workspace.js";

//   lists             blocks                               groups of bands                 batches
//
//                           band 0   band 1 band 2
//   list 0, 1, 2 ──► block 0 [ a b c | d e  | f g ] ──┐    bands 0, 1: a b c h | d e i j ─► each band sorted by minor
//   list 3, 4 ─────► block 1 [ h     | i j  | k   ] ──┴──► band 2:     f g k              position, into `#out`
//
//                    in memory up to a quarter of the     read from all blocks; the next   `major` is the minor
//                    budget, then in the spill            one is read meanwhile            position of the lists
//
// A 32-bit key stores the minor position within the band in its high bits, and the list's number within the block in
// its low bits.
//
// Invariants: blocks come in the order of their lists, and both steps (into bands, and within a band) are stable
// counting sorts, so the entries at a position keep the order of their lists. Bands are sorted one after the other, so
// batches are in order. A batch ends if the next band does not fit into `#out`. Two groups are in memory at once. Each
// has at most `capacity` entries, which take a quarter of the budget. A band with more entries (`#large`) is read again
// for every range of positions with at most `capacity` entries. The entries at a single position are already in order
// and are passed on block by block.

const BATCH_ENTRIES = 2 ** 18;

export interface TransposeOptions {
  readonly bands: EntryRanges;
  readonly order: "row" | "column";
  /** A column that has the type of the values. */
  readonly like: Column;
  readonly spill: Spill;
  /** Memory for entries in bytes, 96 MiB by default. */
  readonly budgetBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * Yields `row`, `col` and `value` of all entries in the requested order. Entries at the same position keep the order of
 * their lists. A batch is valid until the next batch is requested.
 * @param blocks blocks in the order of their lists; each block is valid until the next block is requested.
 * @throws {InvalidInputError} if the disk is full.
 */
export async function* transposeEntries(
  blocks: AsyncIterable<EntriesByRange>,
  options: TransposeOptions,
): AsyncGenerator<ColumnBatch> {
  const { like, spill, signal, budgetBytes = DEFAULT_SORT_BYTES } = options;
  const shape = new EntryShape(getWordShapes(like.type));
  const held = new HeldBlocks(shape.value, budgetBytes / 4, spill);
  try {
    for await (const block of blocks) {
      signal?.throwIfAborted();
      await held.add(block);
    }
    // Two groups are in memory at once; each entry of a group has a key, a value, and an index.
    const capacity = Math.max(1, Math.floor(budgetBytes / 4 / shape.bytes));
    for await (const batch of new Transposition(held, shape, capacity, options).batches()) {
      signal?.throwIfAborted();
      yield batch;
    }
  } finally {
    await held.end();
  }
}

class Transposition {
  readonly #held: HeldBlocks;
  readonly #shape: EntryShape;
  /** Maximum number of entries in a group. */
  readonly #capacity: number;
  readonly #options: TransposeOptions;
  readonly #counts: Uint32Array;
  #places = new Uint32Array(0);
  #out: EntryBuffer;
  #filled = 0;

  constructor(held: HeldBlocks, shape: EntryShape, capacity: number, options: TransposeOptions) {
    this.#held = held;
    this.#shape = shape;
    this.#capacity = capacity;
    this.#options = options;
    this.#counts = new Uint32Array(2 ** options.bands.shift);
    this.#out = new EntryBuffer(shape, 0);
  }

  async *batches(): AsyncGenerator<ColumnBatch> {
    const { bands } = this.#options;
    const sizes = this.#held.sizes(bands.count);
    const groups = groupsOf(sizes, this.#capacity);
    let [present, other]: (KeyedEntries | null)[] = [null, null];
    let loading: Promise<readonly BlockPart[]> | null = null;
    try {
      for (const [i, group] of groups.entries()) {
        if (group.count > this.#capacity) {
          yield* this.#large(group.from);
          continue;
        }
        present = room(present, group.count, this.#shape);
        const parts = await (loading ?? this.#held.load([group.from, group.to], present));
        loading = null;
        const next = groups.at(i + 1);
        if (next !== undefined && next.count <= this.#capacity) {
          other = room(other, next.count, this.#shape);
          loading = this.#held.load([next.from, next.to], other);
          loading.catch(() => undefined);
        }
        for (let band = group.from; band < group.to; band++) {
          const own = parts.map(({ first, starts }) => ({
            first,
            start: starts[band - group.from],
            end: starts[band - group.from + 1],
          }));
          yield* this.#sorted(present, own, sizes[band], band);
        }
        [present, other] = [other, present];
      }
    } finally {
      await loading?.catch(() => undefined);
    }
    if (this.#filled > 0) yield this.#batch();
  }

  *#sorted(source: KeyedEntries, parts: readonly Part[], count: number, band: number): Generator<ColumnBatch> {
    if (count === 0) return;
    if (this.#filled > 0 && this.#filled + count > this.#out.capacity) yield this.#batch();
    if (count > this.#out.capacity) this.#out = new EntryBuffer(this.#shape, Math.max(count, BATCH_ENTRIES));
    const { bands } = this.#options;
    const counts = this.#counts.fill(0);
    for (const { start, end } of parts) countKeys(source.keys, start, end, bands, counts);
    const out = this.#out;
    const first = band * 2 ** bands.shift;
    let at = this.#filled;
    for (let position = 0; position < counts.length; position++) {
      const own = counts[position];
      counts[position] = at;
      if (own > 0) out.major.fill(first + position, at, at + own);
      at += own;
    }
    for (const part of parts) {
      const length = part.end - part.start;
      if (this.#places.length < length) this.#places = new Uint32Array(Math.max(2 * length, 2 ** 12));
      scatterKeys(source.keys, part.start, part.end, bands, part.first, counts, this.#places, out.minor);
      source.values.forEach((words, i) => {
        const { step } = this.#shape.value[i];
        scatterWords(words.subarray(part.start * step, part.end * step), this.#places, length, step, out.values[i]);
      });
    }
    this.#filled = at;
  }

  /** Sorts a band with more entries than fit into a group, one range of positions at a time. */
  async *#large(band: number): AsyncGenerator<ColumnBatch> {
    const { bands } = this.#options;
    const sizes = new Uint32Array(2 ** bands.shift);
    for await (const { entries, start, end } of this.#blocks(band)) countKeys(entries.keys, start, end, bands, sizes);
    for (const { from, to, count } of groupsOf(sizes, this.#capacity)) {
      const isOne = count > this.#capacity;
      const picked = room(null, isOne ? 0 : count, this.#shape);
      const parts: Part[] = [];
      let filled = 0;
      for await (const { entries, first, start, end } of this.#blocks(band)) {
        const order = selectKeysInRange(entries.keys, start, end, bands, [from, to]);
        // The entries of a single position are already in order.
        const target = isOne ? room(null, order.length, this.#shape) : picked;
        const at = isOne ? 0 : filled;
        gatherWords(entries.keys, start, order, 1, target.keys, at);
        entries.values.forEach((words, i) => {
          gatherWords(words, start, order, this.#shape.value[i].step, target.values[i], at);
        });
        const part = { first, start: at, end: at + order.length };
        if (isOne) yield* this.#sorted(target, [part], order.length, band);
        else parts.push(part);
        filled += order.length;
      }
      if (!isOne) yield* this.#sorted(picked, parts, count, band);
    }
  }

  async *#blocks(band: number): AsyncGenerator<Part & { readonly entries: KeyedEntries }> {
    let entries: KeyedEntries | null = null;
    for (let block = 0; block < this.#held.count; block++) {
      this.#options.signal?.throwIfAborted();
      entries = room(entries, this.#held.size(block, band), this.#shape);
      for (const { first, starts } of await this.#held.load([band, band + 1], entries, [block, block + 1])) {
        yield { entries, first, start: starts[0], end: starts[1] };
      }
    }
  }

  #batch(): ColumnBatch {
    const { order, like } = this.#options;
    const { major, minor, values, shape } = this.#out;
    const length = this.#filled;
    const [row, col] = order === "row" ? [major, minor] : [minor, major];
    const words = values.map((all, i) => all.subarray(0, length * shape.value[i].step));
    this.#filled = 0;
    return {
      length,
      columns: [positions(row, length), positions(col, length), createColumnFromWords(like, words, length)],
    };
  }
}

/** Entries [start, end) of the block whose first list has the index `first`. */
interface Part {
  readonly first: number;
  readonly start: number;
  readonly end: number;
}

/** Returns adjacent ranges [from, to) with at most `capacity` entries in total. A single position may have more. */
function groupsOf(sizes: Float64Array | Uint32Array, capacity: number) {
  const groups: { readonly from: number; readonly to: number; readonly count: number }[] = [];
  let [from, count] = [0, 0];
  for (let i = 0; i <= sizes.length; i++) {
    if (i < sizes.length && count + sizes[i] <= capacity) {
      count += sizes[i];
      continue;
    }
    if (count > 0) groups.push({ from, to: i, count });
    [from, count] = [i, sizes[i] ?? 0];
  }
  return groups;
}

/** Returns `memory`, or new memory if it has no room for `count` entries. */
function room(memory: KeyedEntries | null, count: number, { value }: EntryShape): KeyedEntries {
  if (memory !== null && memory.keys.length >= count) return memory;
  return { keys: new Int32Array(count), values: value.map((one) => allocateWords(one, count)) };
}

function positions(values: Int32Array, length: number): PrimitiveColumn {
  return { layout: "primitive", type: INT32, length, validity: null, values: values.subarray(0, length) };
}

// Stores blocks of entries that are sorted by ranges of keys: in memory while there is room, then in a spill file.

interface KeyedEntries {
  readonly keys: Int32Array;
  readonly values: readonly EntryWords[];
}

/** Entries [start, end) of a block, in memory that holds entries of several blocks. */
interface BlockPart {
  /** Index of the block's first list. */
  readonly first: number;
  /** Start of each band of this part in memory, and the end of the last band. */
  readonly starts: Uint32Array;
}

interface HeldBlock {
  readonly first: number;
  readonly starts: Uint32Array;
  /** The entries, or the offset of their keys in the spill. In the spill, the values follow the keys. */
  readonly entries: KeyedEntries | number;
}

class HeldBlocks {
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

  /** Copies a block. The block's memory may be reused once the promise resolves. */
  async add({ first, starts, keys, values }: EntriesByRange): Promise<void> {
    const bytes = keys.length * (4 + countEntryBytes(this.#shapes));
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
    const offset = await this.#spill.append([viewAsBytes(keys), ...values.map(viewAsBytes)]);
    this.#blocks.push({ first, starts, entries: offset });
  }

  /** Returns the number of entries of each of `count` bands. */
  sizes(count: number): Float64Array {
    const sizes = new Float64Array(count);
    for (const { starts } of this.#blocks) for (let b = 0; b < count; b++) sizes[b] += starts[b + 1] - starts[b];
    return sizes;
  }

  size(block: number, band: number): number {
    const { starts } = this.#blocks[block];
    return starts[band + 1] - starts[band];
  }

  /** Copies the entries in the bands [from, to) of the blocks [`block`, `end`), one block after another. */
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
    // After a failed read, no other read may still be writing to the memory.
    for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
    return parts;
  }

  async end(): Promise<void> {
    if (this.#spilled) await this.#spill.remove();
  }

  /** Reads the entries [start, end) of a spilled block of `length` entries to position `at` and following. */
  #read(
    offset: number,
    length: number,
    [start, end]: readonly [number, number],
    target: KeyedEntries,
    at: number,
  ): Promise<void>[] {
    const count = end - start;
    const reads = [this.#spill.read(offset + 4 * start, viewAsBytes(target.keys.subarray(at, at + count)))];
    let place = offset + 4 * length;
    this.#shapes.forEach(({ bytes, step }, i) => {
      const width = bytes * step;
      const words = target.values[i].subarray(at * step, (at + count) * step);
      reads.push(this.#spill.read(place + width * start, viewAsBytes(words)));
      place += width * length;
    });
    return reads;
  }
}
