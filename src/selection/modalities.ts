/** Selects the corresponding part of each modality when a part of a MuData is selected. */

import type { Column } from "../arrow/column.js";
import type { ReadOptions } from "../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../model/errors.js";
import type { StoredTable } from "../tables/stored-table.js";
import { listModalities } from "./renamed-elements.js";

const AXES = ["obs", "var"] as const;

/**
 * Adds the selected positions along the axes of all modalities. A position in the whole dataset belongs to a modality
 * if its number in the modality's map (`obsmap/<name>`, `varmap/<name>`) is above 0. That number is the position in the
 * modality plus one.
 * @param chosen the selected positions in the whole dataset, by axis; this function adds the modalities' axes.
 * @returns the values of the result's own maps.
 * @throws {UnsupportedError} if the file has no such maps.
 */
export async function followModalities(
  tables: ReadonlyMap<string, StoredTable>,
  chosen: Map<string, Int32Array>,
  options: ReadOptions,
): Promise<ReadonlyMap<string, Int32Array>> {
  const numbers = new Map<string, Int32Array>();
  const modalities = listModalities(tables.keys());
  for (const axis of AXES) {
    const positions = chosen.get(axis);
    if (positions === undefined) continue;
    for (const modality of modalities) {
      const name = `${axis}map/${modality}`;
      const map = tables.get(name);
      if (map === undefined) {
        throw new UnsupportedError(`no ${name}, which tells the positions of ${axis} in mod/${modality}`);
      }
      const own: number[] = [];
      const before = await numbersIn(map, options);
      const after = positions.map((position) => (before[position] > 0 ? own.push(before[position] - 1) : 0));
      chosen.set(`mod/${modality}/${axis}`, Int32Array.from(own));
      numbers.set(name, after);
    }
  }
  return numbers;
}

/** Positions along an axis of the whole dataset, ordered by group, and the end of each group's range. */
interface Groups {
  readonly positions: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Groups the positions of each modality by the groups of the corresponding positions in the whole dataset.
 * @returns the groups by the name of the modality's axis. A modality has no groups if its map is not one-to-one, or if
 * its positions do not ascend within each group as they do in the whole dataset.
 */
export async function computeModalityGroups(
  tables: ReadonlyMap<string, StoredTable>,
  axis: "obs" | "var",
  { positions, ends }: Groups,
  options: ReadOptions,
): Promise<ReadonlyMap<string, Groups>> {
  const chosen = new Map([[axis as string, positions]]);
  const maps = await followModalities(tables, chosen, options);
  const groups = new Map<string, Groups>();
  for (const modality of listModalities(tables.keys())) {
    const name = `mod/${modality}/${axis}`;
    const [own, numbers] = [chosen.get(name), maps.get(`${axis}map/${modality}`)];
    if (own === undefined || numbers === undefined) continue;
    const ownEnds = new Int32Array(ends.length);
    let [position, count] = [0, 0];
    for (let group = 0; group < ends.length; group++) {
      for (; position < ends[group]; position++) if (numbers[position] > 0) count++;
      ownEnds[group] = count;
    }
    const isWhole = new Set(own).size === own.length && own.every((one) => one < own.length);
    if (isWhole && risesInGroups(own, ownEnds)) groups.set(name, { positions: own, ends: ownEnds });
  }
  return groups;
}

function risesInGroups(positions: Int32Array, ends: Int32Array): boolean {
  return ends.every((end, group) => {
    for (let i = (group === 0 ? 0 : ends[group - 1]) + 1; i < end; i++)
      if (positions[i] <= positions[i - 1]) return false;
    return true;
  });
}

async function numbersIn(table: StoredTable, options: ReadOptions): Promise<Float64Array> {
  const numbers: number[] = [];
  for await (const part of table.parts({ kind: "batches", batchBytes: table.batchBytes }, options)) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { columns } of part.batches)
      for (const number of positionsOf(columns[0], table.name)) numbers.push(number);
  }
  return Float64Array.from(numbers);
}

/** Reads positions. Early versions of mudata wrote floats, with NaN for positions that a modality lacks. */
function positionsOf(column: Column, element: string): readonly number[] {
  // A map with one row per position may have a second axis of length 1.
  if (column.layout === "fixed-size-list" && column.type.size === 1) return positionsOf(column.child, element);
  if (
    column.layout === "primitive" &&
    (column.type.id === "Int" || (column.type.id === "Float" && column.type.bits > 16))
  ) {
    const numbers: number[] = [];
    for (const value of column.values) numbers.push(Number.isNaN(value) ? 0 : Number(value));
    if (numbers.every((number) => Number.isInteger(number) && number >= 0)) return numbers;
  }
  throw new InvalidDataError("a map between axes holds positions, which are whole numbers", { element });
}
