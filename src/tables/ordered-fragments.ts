/**
 * Orders a table of fragments by chromosome and start for writers. A table that is already in order remains unchanged.
 */

import type { ColumnBatch } from "../arrow/column.js";
import { FragmentColumns, FragmentPositionColumns, findPositionColumns } from "../arrow/fragments.js";
import type { NameIds } from "../arrow/name-ids.js";
import { sortFragments } from "../jobs/external-sort/sort-fragments.js";
import type { Spill } from "../jobs/external-sort/spill.js";
import { FragmentOrder, type OrderProblem } from "../kernels/fragments/order.js";
import { createFragmentPage, type FragmentPage, PAGE_ROWS } from "../kernels/fragments/page.js";
import {
  type ChromosomeRange,
  type FragmentRows,
  splitFragmentRows,
  splitPositions,
} from "../kernels/fragments/rows.js";
import { loadIndexKernels } from "../kernels/sparse/indices.js";
import { InvalidInputError, locateError, runWithLocation } from "../model/errors.js";
import type { VariableValues } from "../model/stored.js";
import type { ColumnTable } from "./column-table.js";
import { readTableBatches } from "./rows.js";

export interface OrderOptions {
  /** Storage for sorting fragments that do not fit into memory. */
  readonly spill: Spill | null;
  readonly budgetBytes?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number | null) => void;
}

export interface OrderedRows {
  readonly rows: FragmentRows;
  readonly runs: readonly ChromosomeRange[];
}

export interface OrderedFragments {
  /**
   * Batches of at most `PAGE_ROWS` rows, which can be read once. A chromosome's rows are contiguous, and their starts
   * never decrease.
   */
  readonly pieces: AsyncIterable<OrderedRows>;
  /** The rows of the latest batch. */
  readonly page: FragmentPage;
  /** Chromosome names seen so far; a table with dictionaries provides all of them. */
  readonly chr: NameIds;
  readonly cell: NameIds;
  /**
   * Number of fragments so far that end before they start. Only tables that were read from a file may have such
   * fragments.
   */
  readonly backwards: () => number;
  readonly hasCount: boolean;
  readonly others: readonly string[];
}

/**
 * Orders the fragments of `table`. Fragments that were read from an element remain unchanged, with their chromosomes in
 * stored order. Others are sorted by chromosome number, unless they are already in order.
 * @throws {InvalidInputError} if the columns do not contain fragments; while they are read, for nulls, for positions
 * out of range, for fragments that end before they start, and for an element's fragments that are not in order.
 */
export async function orderFragments(table: ColumnTable, options: OrderOptions): Promise<OrderedFragments> {
  const { name, fields } = table;
  const isStored = table.metadata?.kind === "fragments";
  await loadIndexKernels(table.rows ?? Number.POSITIVE_INFINITY);
  const columns = await runWithLocation({ element: name }, () => new FragmentColumns(fields));
  const page = await createFragmentPage();
  const inOrder = isStored || (await isInOrder(table, page, options.signal));
  const found = { backwards: 0 };
  const { spill, signal, budgetBytes, progress } = options;
  const rows = fragmentsOf(table, columns, signal, progress);
  const sorted = inOrder
    ? rows
    : sortFragments(rows, {
        spill,
        signal,
        budgetBytes,
      });
  async function* pieces(): AsyncGenerator<OrderedRows> {
    const order = new FragmentOrder(page, isStored ? "together" : "ascending");
    let done = 0;
    for await (const rows of piecewise(sorted)) {
      const ordered = order.next(rows);
      if (ordered.problem !== null) throw outOfOrder(ordered.problem, columns.chr, name);
      if (ordered.backwards > 0 && !isStored) throw backwardsIn(rows, inOrder ? done : null, columns.chr, name);
      found.backwards += ordered.backwards;
      done += rows.length;
      yield { rows, runs: ordered.runs };
    }
  }
  return {
    pieces: pieces(),
    page,
    chr: columns.chr,
    cell: columns.cell,
    backwards: () => found.backwards,
    hasCount: columns.hasCount,
    others: columns.others,
  };
}

/**
 * Whether the rows are in order. This is checked because checking costs less than sorting. A stream is not checked,
 * because it can be read only once.
 */
async function isInOrder(table: ColumnTable, page: FragmentPage, signal: AbortSignal | undefined): Promise<boolean> {
  if (!table.repeatable) return false;
  const looked = table.only?.(findPositionColumns(table.fields)) ?? table;
  const columns = new FragmentPositionColumns(looked.fields);
  const order = new FragmentOrder(page, "ascending");
  for await (const rows of fragmentsOf(looked, columns, signal, undefined)) {
    for (const piece of splitPositions(rows, PAGE_ROWS)) if (order.next(piece).problem !== null) return false;
  }
  return true;
}

async function* piecewise(batches: AsyncIterable<FragmentRows>): AsyncGenerator<FragmentRows> {
  for await (const rows of batches) yield* splitFragmentRows(rows, PAGE_ROWS);
}

async function* fragmentsOf<T>(
  table: ColumnTable,
  columns: { next(batch: ColumnBatch): T },
  signal: AbortSignal | undefined,
  progress: OrderOptions["progress"],
): AsyncGenerator<T> {
  const cx = { signal, progress: (_: string, done: number, total: number | null) => progress?.(done, total) };
  try {
    // An empty batch has names, too.
    for await (const batch of readTableBatches(table, cx)) yield columns.next(batch);
  } catch (error) {
    throw locateError(error, { element: table.name });
  }
}

/**
 * Returns the error for the first fragment that ends before it starts.
 * @param first the number of the first row if the rows are in the table's order; otherwise null.
 */
function backwardsIn(
  { chr, start, end }: FragmentRows,
  first: number | null,
  names: NameIds,
  element: string,
): InvalidInputError {
  const at = start.findIndex((begin, i) => end[i] < begin);
  const which = first === null ? "a fragment" : `fragment ${first + at}`;
  return new InvalidInputError(
    `${which} of ${JSON.stringify(nameOf(names, chr[at]))} starts at ${start[at]} and ends at ${end[at]}`,
    { element },
  );
}

function outOfOrder(problem: OrderProblem, names: NameIds, element: string): InvalidInputError {
  const chr = JSON.stringify(nameOf(names, problem.chr));
  const what =
    problem.kind === "chromosome"
      ? `is of the chromosome ${chr}, which came before, with others between`
      : `starts at ${problem.start} in ${chr}, after one at ${problem.before}`;
  return new InvalidInputError(
    `fragment ${problem.row} ${what}, and the table says that its fragments are stored in order; take "kind" out of its metadata to have them sorted`,
    { element },
  );
}

function nameOf(names: NameIds, id: number): string {
  let first = 0;
  for (const { offsets, bytes } of names.names()) {
    const count = offsets.length - 1;
    if (id < first + count) return textAt({ offsets, bytes }, id - first);
    first += count;
  }
  return String(id);
}

function textAt({ offsets, bytes }: Pick<VariableValues, "offsets" | "bytes">, i: number): string {
  return new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1]));
}
