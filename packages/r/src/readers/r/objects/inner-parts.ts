/**
 * The internal slots of a `SingleCellExperiment` and the classes that extend it: `int_colData` along the cells,
 * `int_elementMetadata` along the features, and `int_metadata`.
 */

import { UnsupportedError } from "annarrow";
import type { RCharacter, RS4, RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { openRMatrix } from "../matrices/matrix.js";
import { createNumberNames, isFrame, toRFrame } from "../values/frame.js";
import {
  describeRValue,
  getListElement,
  getRAttributes,
  getRList,
  getRSlot,
  hasSlots,
  isS4,
  listNamedElements,
  listRTexts,
} from "../values/value.js";
import { addAny, addOtherSlots } from "./slots.js";

/** Path prefix of elements along an axis, and their row names; null if they have no names. */
export interface Aligned {
  readonly place: string;
  readonly names: RCharacter | null;
}

/**
 * Returns the elements of an object dataframe, such as `reducedDims` or `altExps`, that is stored in an inner
 * dataframe. Returns an empty list if there is no such object dataframe.
 */
export function listInnerElements(
  value: RValue,
  frame: string,
  name: string,
): readonly (readonly [name: string, value: RValue])[] {
  const inner = getRSlot(value, frame);
  if (!isFrame(inner)) return [];
  return listNamedElements(getRList(getListElement(getRList(inner, frame), name), name));
}

export function isMatrixColumn(value: RValue): boolean {
  return getRAttributes(value).has("dim") || hasSlots(value, "Dim");
}

/** Whether a matrix of `reducedDims` stores its values and additional data in slots. */
function isLinearEmbedding(value: RValue): value is RS4 {
  return hasSlots(value, "sampleFactors");
}

/** Attributes of every matrix. Other attributes contain additional data, such as the share of the variance. */
const PLAIN = new Set(["dim", "dimnames", "class", "names"]);

/** Slots of a `LinearEmbeddingMatrix` that are read, and its row names, which are the cell names. */
const LINEAR_EMBEDDING = new Set(["sampleFactors", "NAMES"]);

/**
 * Adds a matrix with a row for each cell or feature. Its column names become metadata.
 * @param beside the path of its other attributes or slots.
 */
export async function addAlignedMatrix(path: string, value: RValue, beside: string, tables: RTables): Promise<void> {
  const known = isS4(value) ? LINEAR_EMBEDDING : PLAIN;
  const isKnown = !isS4(value) || isLinearEmbedding(value);
  if (isKnown) await addOtherSlots(value, known, (key) => `${beside}/${key}`, tables);
  else await tables.beside(beside, value);
  await tables.add(path, async () => {
    const own = isLinearEmbedding(value) ? getRSlot(value, "sampleFactors") : value;
    if (!isS4(own) && !getRAttributes(own).has("dim")) throw new UnsupportedError(`${describeRValue(own)}, no matrix`);
    const matrix = await openRMatrix(own, path, tables.cx);
    const table = matrix.table(path, "same");
    const [, columns] = matrix.names;
    return columns === null
      ? table
      : { ...table, metadata: { ...table.metadata, columns: listRTexts(columns.text).map((one) => one ?? "NA") } };
  });
}

/** Columns that become separate elements. */
const KNOWN = new Set(["reducedDims", "altExps", "colPairs", "rowPairs"]);

/** AnnData's names of columns: `SpatialExperiment` stores the positions of the cells in `spatialCoords`. */
const NAMES: ReadonlyMap<string, string> = new Map([["spatialCoords", "spatial"]]);

/**
 * Adds the other columns of the internal dataframes. Matrices and dataframes become separate elements, and the rest
 * becomes one dataframe that is named after the slot.
 */
export async function addInnerColumns(
  value: RValue,
  { ofCells, ofFeatures }: { readonly ofCells: Aligned; readonly ofFeatures: Aligned },
  tables: RTables,
): Promise<void> {
  const inner = [
    ["int_colData", ofCells],
    ["int_elementMetadata", ofFeatures],
  ] as const;
  for (const [name, { place, names }] of inner) {
    if (getRSlot(value, name).kind === "null") continue;
    const uns = `${place.slice(0, -"obsm".length)}uns`;
    await tables.attempt(`${place}/${name}`, async () => {
      const frame = toRFrame(getRSlot(value, name));
      const index = names ?? createNumberNames(frame.rows);
      const columns = frame.columns.filter(([column]) => !KNOWN.has(column));
      // The elements in the other columns have slots of their own, which are added with them.
      for (const [column, one] of frame.columns)
        if (KNOWN.has(column)) await tables.besideFrame(`${uns}/${column}`, one, []);
      const vectors = columns.filter(([, one]) => !isMatrixColumn(one) && !isFrame(one));
      await tables.besideFrame(`${uns}/${name}`, getRSlot(value, name), vectors);
      for (const [column, one] of columns) {
        const own = `${place}/${NAMES.get(column) ?? column}`;
        if (isMatrixColumn(one)) await addAlignedMatrix(own, one, `${uns}/${column}`, tables);
        else if (isFrame(one)) {
          const inside = await tables.attempt(own, async () => toRFrame(one));
          if (inside !== null && inside.columns.length > 0) await tables.frame(own, { ...inside, names: index });
          await tables.beside(`${uns}/${column}`, one);
        }
      }
      if (vectors.length > 0) await tables.frame(`${place}/${name}`, { ...frame, columns: vectors, names: index });
    });
  }
}

/** Elements of `int_metadata` that are not user data: the package version, and a name that becomes a modality. */
const OF_THE_PACKAGE = new Set(["version", "mainExpName"]);

/** Adds `int_metadata` below `uns`. Images of `SpatialExperiment`, in a dataframe of objects, become a tree. */
export async function addInnerMetadata(value: RValue, prefix: string, tables: RTables): Promise<void> {
  await tables.attempt(`${prefix}uns/int_metadata`, async () => {
    for (const [name, one] of listNamedElements(getRList(getRSlot(value, "int_metadata"), "int_metadata"))) {
      if (OF_THE_PACKAGE.has(name)) continue;
      if (name !== "imgData") await addAny(`${prefix}uns/int_metadata/${name}`, one, tables);
      else {
        const images = `${prefix}uns/${name}`;
        await tables.attempt(images, () => tables.mapping(images, getRList(one, name)));
        await tables.besideFrame(images, one, []);
        await addAny(`${images}.rownames`, getRSlot(one, "rownames"), tables);
      }
    }
  });
}
