/** Some fragments of stored arrays as batches: those that overlap a range, those of some cells, or both. */

import { CELL, CHR, END, START } from "../../arrow/fragments.js";
import { ofNames, overlapping } from "../../kernels/fragments/fragments.js";
import type { FragmentFilter, FragmentRun, FragmentsPlan } from "../plan/plan.js";
import type { Range } from "../plan/ranges.js";
import { type Batch, rowsOf } from "../rows/batch.js";
import type { Scan } from "../rows/columns.js";
import { type FieldValues, type FragmentPiece, FragmentPieces, picked } from "./pieces.js";
import { candidates } from "./ranges.js";
import { FragmentReader } from "./reader.js";

/** Fragments that are looked at together. */
const BLOCK = 2 ** 16;

/** Fragments of the wanted cells that lie this close together have their starts and ends read at once. */
const GAP = 2 ** 12;

const NONE = new Uint32Array(0);

/** In the order of the arrays. Of what cannot match, as little as possible is read. */
export async function* scanFiltered(plan: FragmentsPlan, only: FragmentFilter, run: Scan): AsyncGenerator<Batch> {
  const { fields, state } = run;
  const [chr, cell] = await Promise.all([state.names(plan.chrNames), state.names(plan.cellNames)]);
  const most = rowsOf(4 * fields.length, run.batchBytes);
  const pieces = new FragmentPieces(fields, { chr, cell }, most);
  const reader = new FragmentReader(plan, state);
  const wanted = only.cells && membership(only.cells, cell.length);
  const step = Math.min(BLOCK, most);
  for (const one of plan.runs) {
    const look = { reader, chr: one.chr, fields, range: only.range, wanted };
    for await (const [from, to] of placesOf(plan, one, only, run)) {
      for (let at = from; at < to; at += step) {
        const block: Range = [at, Math.min(to, at + step)];
        for await (const piece of only.range === null ? byCell(look, block) : byRange(look, block)) {
          yield* pieces.add(piece);
        }
      }
    }
  }
  yield* pieces.rest();
}

async function* placesOf(plan: FragmentsPlan, run: FragmentRun, { range }: FragmentFilter, { state }: Scan) {
  if (range === null) yield [run.start, run.end] as const;
  else yield* candidates(plan, run, range, state);
}

/** One byte for each cell, 1 where it is wanted. */
export function membership(cells: readonly number[], count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (const cell of cells) bytes[cell] = 1;
  return bytes;
}

interface Look {
  readonly reader: FragmentReader;
  readonly chr: number;
  readonly fields: readonly number[];
  readonly range: Range | null;
  readonly wanted: Uint8Array | null;
}

async function* byRange(
  { reader, chr, fields, range, wanted }: Look,
  [from, to]: Range,
): AsyncGenerator<FragmentPiece> {
  const [start, stop] = range ?? [0, 0];
  const { starts, ends } = await reader.positions(from, to, true);
  const at = new Uint32Array(to - from + 1);
  let count = overlapping(starts, ends, start, stop, at);
  if (count === 0) return;
  const needed = wanted !== null || fields.includes(CELL);
  const cells = needed ? await reader.cells(from, to) : new Int32Array(0);
  if (wanted !== null) count = ofNames(cells, wanted, at, count);
  yield pieceOf(fields, at.subarray(0, count), chr, starts, ends, cells);
}

async function* byCell({ reader, chr, fields, wanted }: Look, [from, to]: Range): AsyncGenerator<FragmentPiece> {
  if (wanted === null) return;
  const cells = await reader.cells(from, to);
  const all = Uint32Array.from({ length: to - from }, (_, i) => i);
  const at = all.subarray(0, ofNames(cells, wanted, all, all.length));
  for (let i = 0; i < at.length; ) {
    let next = i + 1;
    while (next < at.length && at[next] - at[next - 1] <= GAP) next++;
    const [first, end] = [at[i], at[next - 1] + 1];
    const withEnds = fields.includes(END);
    const { starts, ends } =
      withEnds || fields.includes(START)
        ? await reader.positions(from + first, from + end, withEnds)
        : { starts: NONE, ends: NONE };
    const own = at.subarray(i, next).map((position) => position - first);
    yield pieceOf(fields, own, chr, starts, ends, cells.subarray(first, end));
    i = next;
  }
}

function pieceOf(
  fields: readonly number[],
  at: Uint32Array,
  chr: number,
  starts: Uint32Array,
  ends: Uint32Array,
  cells: Int32Array,
): FragmentPiece {
  const values = fields.map((field): FieldValues => {
    if (field === CHR) return new Int32Array(at.length).fill(chr);
    return picked(field === START ? starts : field === END ? ends : cells, at);
  });
  return { length: at.length, values };
}
