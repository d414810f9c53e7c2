/** Opens BPCells fragments of all versions: their arrays, and each chromosome's range in the arrays. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { FragmentRange, FragmentsPlan } from "../../../jobs/plan/plan.js";
import { countChunks } from "../../../kernels/bp128/page.js";
import { InvalidDataError } from "../../../model/errors.js";
import {
  checkLength,
  type FragmentsVersion,
  getLength,
  openNumbers,
  openPacked,
  openTexts,
  readIntegers,
  type StoreContext,
  UINT32,
  UINT64,
} from "./arrays.js";

/** Maximum number of names, because row numbers and dictionary indices are Int32. */
const MAX_NAMES = 2 ** 31 - 1;

/** Fragments, with the number of bits that each array stores per value. */
interface BpcellsFragments extends FragmentsPlan {
  readonly bits: { readonly cell: number; readonly start: number; readonly end: number };
}

/**
 * Opens fragments. Chromosomes are stored one after another in any order. Names without fragments are included. For
 * `end_max`, only the length is checked, because its values are too low in some stores and are therefore not used.
 * @throws {NotFoundError} if an array is missing.
 * @throws {InvalidDataError} if the arrays do not fit together.
 */
export async function openFragments(
  group: Group,
  version: FragmentsVersion,
  cx: StoreContext,
): Promise<BpcellsFragments> {
  const chrNames = await openNames(group, "chr_names", cx);
  const cellNames = await openNames(group, "cell_names", cx);
  const runs = await chromosomeRuns(group, getLength(chrNames), version, cx);
  const count = runs.at(-1)?.end ?? 0;
  const names = { chrNames, cellNames, runs, only: null };
  const endMax = await openNumbers(group, "end_max", UINT32, cx);
  checkLength(endMax, countChunks(count));
  if (!version.packed) {
    const [cell, start, end] = [
      await plainArray(group, "cell", count, cx),
      await plainArray(group, "start", count, cx),
      await plainArray(group, "end", count, cx),
    ];
    const bits = { cell: 32, start: 32, end: 32 };
    return { kind: "fragments", cell, start, end, endIsLength: false, chunks: null, ...names, bits };
  }
  const packed = { group, count, version };
  const cell = await openPacked({ ...packed, name: "cell", kind: "plain", limit: getLength(cellNames) }, cx);
  const start = await openPacked({ ...packed, name: "start", kind: "d1" }, cx);
  const end = await openPacked({ ...packed, name: "end", kind: "plain" }, cx);
  if (start.parts.starts === null) throw new TypeError("packed differences have first values");
  const chunks = { firstStarts: start.parts.starts, startIdx: start.parts.idx, endIdx: end.parts.idx };
  const arrays = { cell: cell.array, start: start.array, end: end.array };
  const bits = { cell: cell.bits, start: start.bits, end: end.bits };
  return { kind: "fragments", ...arrays, endIsLength: true, chunks, ...names, bits };
}

async function openNames(group: Group, name: string, cx: StoreContext): Promise<StoredArray> {
  const names = await openTexts(group, name, cx);
  if (getLength(names) <= MAX_NAMES) return names;
  throw new InvalidDataError(`${getLength(names)} names, at most ${MAX_NAMES} can be told apart`, {
    element: names.path,
  });
}

async function plainArray(group: Group, name: string, count: number, cx: StoreContext): Promise<StoredArray> {
  const array = await openNumbers(group, name, UINT32, cx);
  checkLength(array, count);
  return array;
}

/**
 * Reads the ranges of all chromosomes that have fragments, in stored order. `chr_ptr` contains the start and the end of
 * each range. A chromosome without fragments may be at any position.
 */
async function chromosomeRuns(
  group: Group,
  chromosomes: number,
  version: FragmentsVersion,
  cx: StoreContext,
): Promise<readonly FragmentRange[]> {
  const array = await openNumbers(group, "chr_ptr", version.number === 1 ? UINT32 : UINT64, cx);
  checkLength(array, 2 * chromosomes);
  const pointers = await readIntegers(array, 0, 2 * chromosomes, cx);
  const fail = (problem: string) => new InvalidDataError(problem, { element: array.path });
  const runs: FragmentRange[] = [];
  for (let chr = 0; chr < chromosomes; chr++) {
    const [start, end] = pointers.subarray(2 * chr, 2 * chr + 2);
    if (!(start >= 0 && start <= end && Number.isSafeInteger(end))) {
      throw fail(`chromosome ${chr} reaches from fragment ${start} to ${end}`);
    }
    if (start < end) runs.push({ chr, start, end });
  }
  runs.sort((a, b) => a.start - b.start);
  let before = 0;
  for (const { chr, start, end } of runs) {
    if (start !== before) {
      throw fail(`chromosome ${chr} begins at fragment ${start}, the one before it ends at ${before}`);
    }
    before = end;
  }
  return runs;
}
