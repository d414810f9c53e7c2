/** Merges the fragments of many datasets, like `c()` for fragments in BPCells for R. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { createUint32Column, getFragmentFields, nameColumn } from "../arrow/fragments.js";
import { createTextColumn } from "../arrow/text.js";
import { countRoundChunks, MAX_MERGED, MERGE_CHUNK, MergeRound, StartHeap } from "../kernels/fragments/merge-round.js";
import { findRepeatedName } from "../kernels/text/names.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { createListingMembers } from "../tables/reshaped-tables.js";

/** Consecutive fragments on one chromosome, ordered by start. */
export interface ChromosomeBatch {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Indices into the dataset's cell names. */
  readonly cells: Int32Array;
}

export interface FragmentInput {
  readonly source: string;
  readonly chromosomes: readonly string[];
  readonly cells: readonly string[];
  /** Number of fragments; null if only a scan can determine it. */
  readonly rows: number | null;
  /** Reads the fragments of the chromosome at this index, in batches of roughly `most` fragments or fewer. */
  read(chromosome: number, most: number, signal: AbortSignal | undefined): AsyncIterable<ChromosomeBatch>;
}

export interface MergeFragmentsOptions {
  readonly indexUnique: string | null;
  /** A key for each dataset. */
  readonly keys: readonly string[];
  readonly warn: (text: string) => void;
}

/** Maximum number of fragments held in memory for all inputs, and in one batch. */
const HELD = 2 ** 20;
const LEAST_HELD = 2 ** 12;
const MAX_HELD = 2 ** 17;
const BATCH = 2 ** 16;

/** Maximum number of names, because positions are Int32. */
const MAX_NAMES = 2 ** 31 - 1;

/**
 * Merges fragments: chromosomes in order of first appearance, cells dataset by dataset, and fragments by chromosome and
 * start. The fragments on one chromosome are read from all datasets at once.
 * @throws {InvalidInputError} for too many cells.
 */
export function mergeFragments(inputs: readonly FragmentInput[], options: MergeFragmentsOptions): ColumnTable {
  const { indexUnique, keys, warn } = options;
  if (inputs.length > MAX_MERGED) {
    throw new UnsupportedError(`fragments of ${inputs.length} datasets, at most ${MAX_MERGED} are put together`);
  }
  const chromosomes = [...new Set(inputs.flatMap((input) => input.chromosomes))];
  const cells = inputs.flatMap((input, i) =>
    indexUnique === null ? input.cells : input.cells.map((name) => `${name}${indexUnique}${keys[i]}`),
  );
  if (cells.length > MAX_NAMES) throw new InvalidInputError(`${cells.length} cells, at most ${MAX_NAMES} are read`);
  const repeated = findRepeatedName(cells);
  if (repeated !== null) {
    warn(`cells: the name ${JSON.stringify(repeated)} repeats; indexUnique (--index-unique) adds the datasets' keys`);
  }
  const names = { chr: createTextColumn(chromosomes), cell: createTextColumn(cells) };
  let count = 0;
  const firstCells = inputs.map((input) => {
    count += input.cells.length;
    return count - input.cells.length;
  });
  const rows = inputs.reduce<number | null>(
    (sum, one) => (sum === null || one.rows === null ? null : sum + one.rows),
    0,
  );
  return {
    ...createListingMembers("fragments", rows),
    fields: getFragmentFields(false),
    metadata: { kind: "fragments" },
    repeatable: true,
    async *batches(batchOptions) {
      const signal = batchOptions?.signal;
      let some = false;
      for (const [chr, name] of chromosomes.entries()) {
        signal?.throwIfAborted();
        const having = inputs.flatMap((input, i) => {
          const place = input.chromosomes.indexOf(name);
          return place < 0 ? [] : [{ input, place, firstCell: firstCells[i] }];
        });
        const most = Math.min(MAX_HELD, Math.max(LEAST_HELD, Math.floor(HELD / having.length)));
        const queues = having.map(
          ({ input, place, firstCell }) => new FragmentQueue(input.read(place, most, signal), firstCell),
        );
        try {
          for await (const piece of merged(queues, inputs.length)) {
            some = true;
            yield fragmentBatch(piece, chr, names);
          }
        } finally {
          for (const queue of queues) await queue.end();
        }
      }
      if (!some) yield fragmentBatch(new MergedPiece(0), 0, names);
    },
  };
}

function fragmentBatch(
  piece: MergedPiece,
  chr: number,
  names: { readonly chr: Column; readonly cell: Column },
): ColumnBatch {
  const length = piece.count;
  const cells = new Int32Array(piece.cells.buffer, 0, length);
  return {
    length,
    columns: [
      nameColumn(new Int32Array(length).fill(chr), names.chr),
      createUint32Column(piece.starts.subarray(0, length)),
      createUint32Column(piece.ends.subarray(0, length)),
      nameColumn(cells, names.cell),
    ],
  };
}

/** A buffer of fragments on one chromosome. */
class MergedPiece {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Uint32Array;
  count = 0;

  constructor(room: number) {
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.cells = new Uint32Array(room);
  }

  /** Takes fragments from the start of a round, as many as fit into the buffer. */
  take({ starts, ends, cells }: MergeRound, from: number, to: number): number {
    const taken = Math.min(to - from, this.starts.length - this.count);
    this.starts.set(starts.subarray(from, from + taken), this.count);
    this.ends.set(ends.subarray(from, from + taken), this.count);
    this.cells.set(cells.subarray(from, from + taken), this.count);
    this.count += taken;
    return taken;
  }
}

/**
 * Merges the fragments on one chromosome.
 * @param inputs number of all inputs, including inputs without the chromosome. It determines the size of a round.
 */
async function* merged(queues: readonly FragmentQueue[], inputs: number): AsyncGenerator<MergedPiece> {
  const round = new MergeRound(inputs);
  const starts = new Float64Array(queues.length);
  for (const [i, queue] of queues.entries()) starts[i] = await queue.next();
  const heap = new StartHeap(starts);
  let piece = new MergedPiece(BATCH);
  while (true) {
    for (let chunk = countRoundChunks(inputs); chunk > 0 && starts[heap.first] < Number.POSITIVE_INFINITY; chunk--) {
      const queue = queues[heap.first];
      if (!queue.takeNow(round)) await queue.take(round);
      starts[heap.first] = queue.peek() ?? (await queue.next());
      heap.moved();
    }
    round.sort();
    const given = round.upTo(starts[heap.first]);
    for (let at = 0; at < given; ) {
      at += piece.take(round, at, given);
      if (at === given) break;
      yield piece;
      piece = new MergedPiece(BATCH);
    }
    round.drop(given);
    if (round.count === 0 && starts[heap.first] === Number.POSITIVE_INFINITY) break;
  }
  if (piece.count > 0) yield piece;
}

/** Queue of one input's fragments on one chromosome. */
class FragmentQueue {
  readonly #pieces: AsyncIterator<ChromosomeBatch>;
  readonly #firstCell: number;
  #piece: ChromosomeBatch = { starts: new Uint32Array(), ends: new Uint32Array(), cells: new Int32Array() };
  #at = 0;

  constructor(pieces: AsyncIterable<ChromosomeBatch>, firstCell: number) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#firstCell = firstCell;
  }

  /** Returns the next start, or null if it has not been read yet. */
  peek(): number | null {
    return this.#at < this.#piece.starts.length ? this.#piece.starts[this.#at] : null;
  }

  /** Returns the next start, or `Infinity` at the end. */
  async next(): Promise<number> {
    while (this.#at === this.#piece.starts.length) {
      const { done, value } = await this.#pieces.next();
      if (done) return Number.POSITIVE_INFINITY;
      this.#piece = value;
      this.#at = 0;
    }
    return this.#piece.starts[this.#at];
  }

  /** Appends a chunk to a round if the chunk has been read completely. */
  takeNow(round: MergeRound): boolean {
    if (this.#piece.starts.length - this.#at < MERGE_CHUNK) return false;
    this.#append(round, MERGE_CHUNK);
    return true;
  }

  /** Appends a chunk to a round, or all remaining fragments if they are fewer. */
  async take(round: MergeRound): Promise<void> {
    for (let missing = MERGE_CHUNK; missing > 0 && (await this.next()) < Number.POSITIVE_INFINITY; ) {
      const count = Math.min(missing, this.#piece.starts.length - this.#at);
      this.#append(round, count);
      missing -= count;
    }
  }

  #append(round: MergeRound, count: number): void {
    const { starts, ends, cells } = this.#piece;
    for (let i = 0; i < count; i++) {
      round.starts[round.count + i] = starts[this.#at + i];
      round.ends[round.count + i] = ends[this.#at + i];
      round.cells[round.count + i] = cells[this.#at + i] + this.#firstCell;
    }
    round.count += count;
    this.#at += count;
  }

  /** Closes the input. */
  async end(): Promise<void> {
    await this.#pieces.return?.();
  }
}
