/**
 * Writes fragments of BPCells, version 2: `cell`, `start` and `end`, packed or not, and the ranges of their
 * chromosomes.
 */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../external-sort/spill.js";
import { bp128Pages } from "../../kernels/bp128/pages.js";
import type { FragmentRows } from "../../kernels/fragments/rows.js";
import { InvalidInputError, located } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { orderedFragments } from "../../tables/ordered-fragments.js";
import { textAttribute } from "../attributes.js";
import { pathIn, UINT32 } from "./context.js";
import { ChromosomeRanges, EndMaxima } from "./fragment-index.js";
import { writeNameList } from "./names.js";
import { PackedSink } from "./packed-sink.js";

export interface FragmentsOptions {
  /** Packs the arrays; true by default. */
  readonly packed?: boolean;
  /** Leaves out columns that fragments do not have, with a warning instead of an error. */
  readonly lossy?: boolean;
  /** Takes fragments that do not fit into memory while they are sorted. */
  readonly spill: Spill | null;
  /** Memory for sorting, 96 MiB by default. */
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
 * and start if it is not. Chromosomes and cells have the order of the columns' dictionaries, or the order of their
 * first appearance.
 * @throws {InvalidInputError} for other columns, nulls, positions that are negative or have more than 32 bits,
 * fragments that end before they start, and names with a newline or a NUL.
 * @throws {UnsupportedError} for more unsorted fragments than the memory holds, where there is no spill.
 */
export async function writeFragments(
  group: GroupWriter,
  table: ColumnTable,
  options: FragmentsOptions,
): Promise<WrittenFragments> {
  const { packed = true, lossy = false, spill, budgetBytes, signal, progress } = options;
  const warnings: string[] = [];
  const fragments = await orderedFragments(table, {
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
  group.attribute("version", textAttribute(`${packed ? "packed" : "unpacked"}-fragments-v2`));
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
  await located({ element: table.name }, async () => {
    await writeNameList(group, "chr_names", fragments.chr);
    await writeNameList(group, "cell_names", fragments.cell);
  });
  const backwards = fragments.backwards();
  if (backwards > 0) warnings.push(`${table.name}: ${backwards} fragments end before they start, as they were stored`);
  return { rows: ranges.count, warnings };
}

export interface FragmentArraysWriter {
  /** Appends rows; `lengths` are their ends less their starts. Once it resolves, the memory may be used again. */
  write(rows: FragmentRows, lengths: Uint32Array): Promise<void>;
  close(): Promise<void>;
}

export function openFragmentArrays(group: GroupWriter, packed: boolean): Promise<FragmentArraysWriter> {
  return packed ? packedArrays(group) : unpackedArrays(group);
}

async function packedArrays(group: GroupWriter): Promise<FragmentArraysWriter> {
  const [cellPage, startPage, endPage] = await bp128Pages(3);
  const cell = await PackedSink.open(group, "cell", "plain", cellPage);
  const start = await PackedSink.open(group, "start", "d1", startPage);
  const end = await PackedSink.open(group, "end", "plain", endPage);
  const sinks = [cell, start, end];
  return {
    async write(rows, lengths) {
      for (let at = 0; at < rows.length; ) {
        // All three arrays have received equally many values, and so have equal room.
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
  const open = (name: "cell" | "start" | "end") =>
    located({ element: pathIn(group, name) }, async () => {
      const array = await group.array(name, { type: UINT32, shape: [null] });
      return {
        write: (values: Uint32Array) => array.write({ kind: "fixed", values }, values.length),
        close: () => array.close(),
      };
    });
  const [cell, start, end] = [await open("cell"), await open("start"), await open("end")];
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
