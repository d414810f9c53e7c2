/** Copies fragments, grouped by cell, in one pass over all fragments. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, COUNT, END, START } from "../../arrow/fragments.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { groupFragments } from "../../kernels/fragments/split.js";
import type { ReadonlyFragmentBuffer } from "../../kernels/fragments/text.js";
import type { GroupMap } from "../../kernels/sparse/split-lists.js";
import { type VariableValues, viewAsBytes } from "../../model/stored.js";
import { type FragmentTablePlan, readFragmentNames } from "../fragments/select.js";
import type { FragmentStream, TablePlan } from "../plan/plan.js";
import type { Task } from "../rows/task.js";
import { checkJobRows, DEFAULT_BATCH_BYTES } from "../run/runner.js";
import { runTaskJobs } from "../workers/parts.js";
import { type RowSpill, withWriter } from "./copy-storage.js";

/** Bytes of a value of any field. */
export const WORD = 4;

interface CopiedBlock {
  /** The fragments in group g have the indices from `starts[g]` up to, but not including, `starts[g + 1]`. */
  readonly starts: Uint32Array;
  readonly offset: number;
}

interface Copies {
  readonly storage: RowSpill;
  readonly blocks: readonly CopiedBlock[];
  /** Number of fields. */
  readonly width: number;
}

/**
 * Needs memory for one number per group in each batch of about a million fragments.
 * @returns a function that reads a group's fragments from the copies. Its argument `part` is the table with the group's
 * cells.
 */
export async function splitFragments(
  table: FragmentTablePlan,
  groups: GroupMap,
  storage: RowSpill,
  options: ReadOptions,
): Promise<(part: FragmentTablePlan, group: number) => TablePlan> {
  const { plan, fields, text } = table;
  const selected = fields.map((_, i) => i);
  const request = { kind: "batches", batchBytes: DEFAULT_BATCH_BYTES } as const;
  const task: Task = { rows: plan, fields, selected, text, request };
  const writes: { readonly starts: Uint32Array; readonly offset: Promise<number> }[] = [];
  await withWriter(storage, async (writer) => {
    for await (const part of runTaskJobs(task, checkJobRows(table, undefined), options)) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      for (const { columns } of part.batches) {
        const { starts, words } = groupFragments(columns.map(wordsOf), CELL, groups);
        writes.push({ starts, ...(await writer.append([viewAsBytes(words)])) });
      }
    }
  });
  const blocks: CopiedBlock[] = [];
  for (const { starts, offset } of writes) blocks.push({ starts, offset: await offset });
  const copies = { storage, blocks, width: fields.length };
  return (part, group) => {
    const lines: FragmentStream = {
      names: (how) => namesOf(part, how),
      blocks: (how) => blocksOf(copies, group, how),
    };
    return { ...part, plan: { kind: "fragment-lines", lines, only: null } };
  };
}

function wordsOf(column: Column): Uint32Array {
  const values =
    column.layout === "dictionary" ? column.indices : column.layout === "primitive" ? column.values : undefined;
  if (!(values instanceof Int32Array || values instanceof Uint32Array)) throw new TypeError("fragments expected");
  return new Uint32Array(values.buffer, values.byteOffset, column.length);
}

async function namesOf(part: FragmentTablePlan, options: ReadOptions = {}) {
  const { chr, cell } = await readFragmentNames(part, options);
  return { chr: textOf(chr), cell: textOf(cell) };
}

function textOf(names: Column): VariableValues {
  if (names.layout !== "variable") throw new TypeError("names are text");
  return { kind: "variable", offsets: names.offsets, bytes: names.bytes };
}

async function* blocksOf(
  { storage, blocks, width }: Copies,
  group: number,
  { signal }: ReadOptions = {},
): AsyncGenerator<ReadonlyFragmentBuffer> {
  for (const { starts, offset } of blocks) {
    const length = starts[group + 1] - starts[group];
    if (length === 0) continue;
    signal?.throwIfAborted();
    const words = new Uint32Array(width * length);
    await storage.read(offset + WORD * width * starts[group], viewAsBytes(words));
    const unsigned = (field: number) => words.subarray(field * length, (field + 1) * length);
    const signed = (field: number) => new Int32Array(words.buffer, WORD * field * length, length);
    yield {
      length,
      ...{ chr: signed(CHR), start: unsigned(START), end: unsigned(END), cell: signed(CELL), count: unsigned(COUNT) },
    };
  }
}
