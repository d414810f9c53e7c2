/**
 * Writes BPCells fragments, version 2: `cell`, `start` and `end`, packed or not, and the ranges of their chromosomes.
 */

import type { ArrayWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../jobs/external-sort/spill.js";
import { CHUNK } from "../../kernels/bp128/page.js";
import { createBp128Pages } from "../../kernels/bp128/pages.js";
import type { FragmentPage } from "../../kernels/fragments/page.js";
import type { FragmentRows } from "../../kernels/fragments/rows.js";
import { InvalidInputError, runWithLocation } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { orderFragments } from "../../tables/ordered-fragments.js";
import { createTextAttribute } from "../attributes.js";
import { openNumbers, UINT32, UINT64 } from "./context.js";
import { writeNameList } from "./names.js";
import { PackedSink } from "./packed-sink.js";

export interface FragmentsOptions {
  /** Whether to pack the arrays; true by default. */
  readonly packed?: boolean;
  /** Whether to leave out columns that fragments do not have, with a warning, instead of failing. */
  readonly lossy?: boolean;
  /** Storage for sorting fragments that do not fit into memory. */
  readonly spill: Spill | null;
  /** Memory for sorting; 96 MiB by default. */
  readonly budgetBytes?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number | null) => void;
}

export interface WrittenFragments {
  readonly rows: number;
  readonly warnings: readonly string[];
}

/**
 * Writes a table with the columns `chr`, `start`, `end` (exclusive) and `cell_id` into `group`, sorted by chromosome
 * and start. Chromosomes and cells have the order of the columns' dictionaries, or of their first appearance.
 * @throws {InvalidInputError} for other columns, nulls, positions that are negative or have more than 32 bits,
 * fragments that end before they start, and names with a newline or a NUL.
 * @throws {UnsupportedError} if there are more unsorted fragments than fit into memory, and no spill storage.
 */
export async function writeFragments(
  group: GroupWriter,
  table: ColumnTable,
  options: FragmentsOptions,
): Promise<WrittenFragments> {
  const { packed = true, lossy = false, spill, budgetBytes, signal, progress } = options;
  const warnings: string[] = [];
  const fragments = await orderFragments(table, {
    spill,
    budgetBytes,
    signal,
    progress,
  });
  const { page } = fragments;
  const unknown = [...fragments.others, ...(fragments.hasCount ? ["count"] : [])];
  if (unknown.length > 0) {
    const problem = `fragments of BPCells have no column ${unknown.join(", ")}`;
    if (!lossy) {
      throw new InvalidInputError(`${problem}; leave it out, or allow losses (--lossy)`, { element: table.name });
    }
    warnings.push(`${table.name}: ${problem}; left out`);
  }
  group.attribute("version", createTextAttribute(`${packed ? "packed" : "unpacked"}-fragments-v2`));
  const arrays = await openFragmentArrays(group, packed);
  const maxima = await EndMaxima.open(group);
  const ranges = new ChromosomeRanges();
  for await (const { rows, runs } of fragments.pieces) {
    await arrays.write(rows, page.lengths());
    for (const { chr, from, to } of runs) {
      ranges.add(chr, to - from);
      maxima.add(chr, page, from, to);
    }
    await maxima.flush();
  }
  await arrays.close();
  await maxima.close();
  await ranges.write(group, fragments.chr.count);
  await runWithLocation({ element: table.name }, async () => {
    await writeNameList(group, "chr_names", fragments.chr);
    await writeNameList(group, "cell_names", fragments.cell);
  });
  const backwards = fragments.backwards();
  if (backwards > 0) warnings.push(`${table.name}: ${backwards} fragments end before they start, as they were stored`);
  return { rows: ranges.count, warnings };
}

export interface FragmentArraysWriter {
  /**
   * Appends rows. `lengths` contains each fragment's end minus its start. The caller may reuse the memory once the
   * promise resolves.
   */
  write(rows: FragmentRows, lengths: Uint32Array): Promise<void>;
  close(): Promise<void>;
}

function openFragmentArrays(group: GroupWriter, packed: boolean): Promise<FragmentArraysWriter> {
  return packed ? packedArrays(group) : unpackedArrays(group);
}

async function packedArrays(group: GroupWriter): Promise<FragmentArraysWriter> {
  const [cellPage, startPage, endPage] = await createBp128Pages(3);
  const cell = await PackedSink.open(group, "cell", "plain", cellPage);
  const start = await PackedSink.open(group, "start", "d1", startPage);
  const end = await PackedSink.open(group, "end", "plain", endPage);
  const sinks = [cell, start, end];
  return {
    async write(rows, lengths) {
      for (let at = 0; at < rows.length; ) {
        // All three arrays have received the same number of values, so they have the same room left.
        const room = cell.room();
        const count = Math.min(room.length, rows.length - at);
        room.set(rows.cell.subarray(at, at + count));
        start.room().set(rows.start.subarray(at, at + count));
        end.room().set(lengths.subarray(at, at + count));
        for (const sink of sinks) await sink.filled(count);
        at += count;
      }
    },
    async close() {
      for (const sink of sinks) await sink.close();
    },
  };
}

async function unpackedArrays(group: GroupWriter): Promise<FragmentArraysWriter> {
  const cell = await openNumbers(group, "cell", UINT32);
  const start = await openNumbers(group, "start", UINT32);
  const end = await openNumbers(group, "end", UINT32);
  return {
    async write(rows) {
      await cell.write(rows.cell);
      await start.write(rows.start);
      await end.write(rows.end);
    },
    async close() {
      for (const array of [cell, start, end]) await array.close();
    },
  };
}

// Writes the index of the fragments: `end_max`, and `chr_ptr` with each chromosome's range of fragments.

/**
 * Writes `end_max`, which has one entry for every 128 fragments and one for the rest. An entry is the greatest end so
 * far in the current chromosome, or the greatest end in a chromosome that ended since the previous entry, if that is
 * greater.
 */
class EndMaxima {
  readonly #array: ArrayWriter;
  #waiting = new Uint32Array(2 ** 10);
  #entries = 0;
  #chr = -1;
  #current = 0;
  #ended = 0;
  /** Number of fragments since the last entry of `end_max`. */
  #rows = 0;

  private constructor(array: ArrayWriter) {
    this.#array = array;
  }

  static async open(group: GroupWriter): Promise<EndMaxima> {
    return new EndMaxima(await group.array("end_max", { type: UINT32, shape: [null] }));
  }

  /** Adds the next fragments, all on chromosome `chr`, from rows [from, to) of the page. */
  add(chr: number, page: FragmentPage, from: number, to: number): void {
    if (chr !== this.#chr) {
      this.#ended = Math.max(this.#ended, this.#current);
      this.#current = 0;
      this.#chr = chr;
    }
    for (let at = from; at < to; ) {
      const next = Math.min(to, at + CHUNK - this.#rows);
      this.#current = Math.max(this.#current, page.greatest(at, next));
      this.#rows += next - at;
      at = next;
      if (this.#rows === CHUNK) this.#enter();
    }
  }

  async flush(): Promise<void> {
    const values = this.#waiting.subarray(0, this.#entries);
    this.#entries = 0;
    if (values.length > 0) await this.#array.write({ kind: "fixed", values }, values.length);
  }

  async close(): Promise<void> {
    if (this.#rows > 0) this.#enter();
    await this.flush();
    await this.#array.close();
  }

  #enter(): void {
    if (this.#entries === this.#waiting.length) {
      const larger = new Uint32Array(2 * this.#entries);
      larger.set(this.#waiting);
      this.#waiting = larger;
    }
    this.#waiting[this.#entries++] = Math.max(this.#current, this.#ended);
    this.#ended = 0;
    this.#rows = 0;
  }
}

class ChromosomeRanges {
  readonly #begins = new Map<number, number>();
  readonly #ends = new Map<number, number>();
  #ascending = true;
  #last = -1;
  #highest = -1;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds the next fragments, all on chromosome `chr`. */
  add(chr: number, fragments: number): void {
    if (!this.#begins.has(chr)) this.#begins.set(chr, this.#count);
    this.#ascending &&= chr >= this.#last;
    this.#last = chr;
    this.#highest = Math.max(this.#highest, chr);
    this.#count += fragments;
    this.#ends.set(chr, this.#count);
  }

  async write(group: GroupWriter, chromosomes: number): Promise<void> {
    const values = this.#pointers(chromosomes);
    const array = await group.array("chr_ptr", { type: UINT64, shape: [values.length] });
    if (values.length > 0) await array.write({ kind: "fixed", values }, values.length);
    await array.close();
  }

  /**
   * Returns the pointers of all chromosomes. A chromosome without fragments gets the same pointers as in BPCells: the
   * position at which its fragments would begin. If the chromosomes are not stored in ascending order, it gets 0 or,
   * after the highest chromosome with fragments, the total number of fragments.
   */
  #pointers(chromosomes: number): BigUint64Array {
    const pointers = new BigUint64Array(2 * chromosomes);
    let place = 0;
    for (let chr = 0; chr < chromosomes; chr++) {
      const empty = this.#ascending ? place : chr > this.#highest ? this.#count : 0;
      const begin = this.#begins.get(chr) ?? empty;
      const end = this.#ends.get(chr) ?? empty;
      pointers[2 * chr] = BigInt(begin);
      pointers[2 * chr + 1] = BigInt(end);
      place = end;
    }
    return pointers;
  }
}
