/**
 * Locations in SeuratObject's images: centroids, outlines and molecules. They become dataframes like those that
 * `GetTissueCoordinates` returns.
 */

import { InvalidDataError } from "annarrow";
import type { RList, RReal, RValue } from "../../../containers/rds/model/value.js";
import { createFrameValue, createRCharacter, type RFrame } from "./frame.js";
import {
  describeRValue,
  findRStrings,
  getRList,
  getRMatrixShape,
  getRSlot,
  hasClass,
  hasSlots,
  listNamedElements,
} from "./value.js";

/**
 * Returns the parts of an object that contains locations: a dataframe `coordinates`, and the object's other slots. Null
 * for other values.
 * @throws {InvalidDataError} for locations that do not match their names.
 */
export function findSpatialParts(value: RValue): RList | null {
  if (hasSlots(value, "coords", "cells")) {
    const cells = findRStrings(getRSlot(value, "cells")) ?? [];
    return parts(value, placesFrame([getRSlot(value, "coords")], "cell", cells), ["coords", "cells"]);
  }
  if (hasSlots(value, "polygons", "plotOrder")) return outlines(value);
  return null;
}

/** Whether a value is a list of molecule positions, keyed by molecule name. */
export function isMolecules(value: RValue): boolean {
  return hasClass(value, "Molecules");
}

/** Makes the dataframe of the positions of all molecules. @throws {InvalidDataError} */
export function createMoleculesFrame(list: RList): RValue {
  const all = listNamedElements(list);
  const coords = all.map(([, one]) => getRSlot(one, "coords"));
  const names = all.flatMap(([name], i) => new Array<string>(getRMatrixShape(coords[i])[0]).fill(name));
  return placesFrame(coords, "molecule", names);
}

/** Returns the outlines of cells: the corners of each outline in order. */
function outlines(value: RValue): RList {
  const coords: RValue[] = [];
  const cells: (string | null)[] = [];
  const [outline, hole]: [number[], number[]] = [[], []];
  for (const cell of getRList(getRSlot(value, "polygons"), "polygons").values) {
    const [name = null] = findRStrings(getRSlot(cell, "ID")) ?? [];
    for (const [i, one] of getRList(getRSlot(cell, "Polygons"), "Polygons").values.entries()) {
      const own = getRSlot(one, "coords");
      const isHole = getRSlot(one, "hole");
      coords.push(own);
      for (let corner = getRMatrixShape(own)[0]; corner > 0; corner--) {
        cells.push(name);
        outline.push(i + 1);
        hole.push(isHole.kind === "logical" && isHole.values[0] === 1 ? 1 : 0);
      }
    }
  }
  const columns: RFrame["columns"] = [
    ["outline", { kind: "integer", values: Int32Array.from(outline), attributes: new Map() }],
    ["hole", { kind: "logical", values: Int32Array.from(hole), attributes: new Map() }],
  ];
  // Nearly all cells have a single outline.
  const isPlain = outline.every((one) => one === 1) && !hole.includes(1);
  return parts(value, placesFrame(coords, "cell", cells, isPlain ? [] : columns), ["polygons"]);
}

/**
 * Makes a dataframe with the columns `x` and `y` from two-column matrices, followed by the row names and other columns.
 */
function placesFrame(
  matrices: readonly RValue[],
  name: string,
  names: readonly (string | null)[],
  others: RFrame["columns"] = [],
): RValue {
  const rows = matrices.reduce((sum, one) => sum + getRMatrixShape(one)[0], 0);
  if (rows !== names.length) throw new InvalidDataError(`${rows} places of ${names.length} names`);
  const [x, y] = [new Float64Array(rows), new Float64Array(rows)];
  let at = 0;
  for (const one of matrices) {
    const [count, columns] = getRMatrixShape(one);
    if ((one.kind !== "real" && one.kind !== "integer") || columns !== 2 || one.values.length !== 2 * count) {
      throw new InvalidDataError(`places are ${describeRValue(one)}, no matrix of two columns`);
    }
    x.set(one.values.subarray(0, count), at);
    y.set(one.values.subarray(count), at);
    at += count;
  }
  return createFrameValue(rows, [["x", real(x)], ["y", real(y)], [name, createRCharacter(names)], ...others]);
}

function real(values: Float64Array): RReal {
  return { kind: "real", values, attributes: new Map() };
}

/** Returns the dataframe, and the slots of the object except `without`. */
function parts(value: RValue, frame: RValue, without: readonly string[]): RList {
  const slots = value.kind === "s4" ? [...value.slots].filter(([name]) => !without.includes(name)) : [];
  return {
    kind: "list",
    values: [frame, ...slots.map(([, one]) => one)],
    attributes: new Map([["names", createRCharacter(["coordinates", ...slots.map(([name]) => name)])]]),
  };
}
