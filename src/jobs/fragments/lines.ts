/** Reads fragments from lines of text as batches. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, COUNT, END, START } from "../../arrow/fragments.js";
import { takeColumn } from "../../arrow/take.js";
import { toTextColumn } from "../../arrow/text.js";
import { selectByName, selectOverlapping } from "../../kernels/fragments/fragments.js";
import type { ReadonlyFragmentBuffer } from "../../kernels/fragments/text.js";
import type { FragmentLinesPlan } from "../plan/plan.js";
import type { Range } from "../plan/ranges.js";
import type { Scan, ScanState } from "../rows/columns.js";
import { type Batch, computeRowsPerBatch } from "../rows/task.js";
import { createMembershipMask } from "./filtered.js";
import {
  type FieldValues,
  FragmentCollector,
  type FragmentGroup,
  pickFieldValues,
  renumberCells,
} from "./fragment-collector.js";

/** Reads the names of chromosomes and cells as dictionaries, from all lines or from the cells of a part. */
export async function readLineNames(
  { lines, picked }: FragmentLinesPlan,
  { options, text }: ScanState,
): Promise<{ readonly chr: Column; readonly cell: Column }> {
  const { chr, cell } = await lines.names(options);
  const cells = toTextColumn(cell, text);
  return { chr: toTextColumn(chr, text), cell: picked === undefined ? cells : takeColumn(cells, picked.positions) };
}

/** Yields the lines [start, end) of `run`, or only the selected lines among them if there is a selection. */
export async function* scanFragmentLines(plan: FragmentLinesPlan, run: Scan): AsyncGenerator<Batch> {
  const { fields, state, start, end } = run;
  const names = await readLineNames(plan, state);
  const most = computeRowsPerBatch(4 * fields.length, run.batchBytes);
  const pieces = new FragmentCollector(fields, names, most);
  const cells = plan.picked?.ids.length ?? names.cell.length;
  const find = plan.only === null ? null : finder(plan.only, { chromosomes: names.chr.length, cells });
  const ids = plan.picked?.ids ?? null;
  let row = 0;
  if (start < end) {
    for await (const block of plan.lines.blocks(state.options)) {
      const [from, to] = [Math.max(0, start - row), Math.min(block.length, end - row)];
      for (let at = from; at < to; at += most) {
        yield* pieces.add(pieceOf(block, [at, Math.min(to, at + most)], fields, { find, ids }));
      }
      row += block.length;
      if (row >= end) break;
    }
  }
  yield* pieces.rest();
}

/** Writes the positions of the selected fragments within [from, to) to `at`. @returns their number. */
type Finder = (block: ReadonlyFragmentBuffer, from: number, to: number, at: Uint32Array) => number;

function finder(
  only: NonNullable<FragmentLinesPlan["only"]>,
  counts: { readonly chromosomes: number; readonly cells: number },
): Finder {
  const { chromosomes, range, cells } = only;
  const [start, stop] = range ?? [0, 0];
  const wantedChr = chromosomes && createMembershipMask(chromosomes, counts.chromosomes);
  const wantedCell = cells && createMembershipMask(cells, counts.cells);
  return (block, from, to, at) => {
    let count = to - from;
    if (range === null) for (let i = 0; i < count; i++) at[i] = i;
    else count = selectOverlapping(block.start.subarray(from, to), block.end.subarray(from, to), start, stop, at);
    if (wantedChr !== null) count = selectByName(block.chr.subarray(from, to), wantedChr, at, count);
    return wantedCell === null ? count : selectByName(block.cell.subarray(from, to), wantedCell, at, count);
  };
}

function pieceOf(
  block: ReadonlyFragmentBuffer,
  [from, to]: Range,
  fields: readonly number[],
  { find, ids }: { readonly find: Finder | null; readonly ids: Int32Array | null },
): FragmentGroup {
  if (find === null) {
    // These are copies, because the next block overwrites this block.
    return { length: to - from, values: fields.map((field) => valuesOf(block, field).slice(from, to)) };
  }
  const all = new Uint32Array(to - from + 1);
  const at = all.subarray(0, find(block, from, to, all));
  const values = fields.map((field) => {
    const own = pickFieldValues(valuesOf(block, field).subarray(from, to), at);
    return field === CELL ? renumberCells(own, ids) : own;
  });
  return { length: at.length, values };
}

function valuesOf(block: ReadonlyFragmentBuffer, field: number): FieldValues {
  switch (field) {
    case CHR:
      return block.chr;
    case START:
      return block.start;
    case END:
      return block.end;
    case CELL:
      return block.cell;
    case COUNT:
      return block.count;
    default:
      throw new TypeError(`fragments have no field ${field}`);
  }
}
