/**
 * What a `SingleCellExperiment` and the classes that extend it keep beside their own slots: `int_colData` along the cells,
 * `int_elementMetadata` along the features, and `int_metadata`.
 */

import type { RCharacter, RS4, RValue } from "../../../containers/rds/model/value.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { RTables } from "../collect/tables.js";
import { matrixOf } from "../matrices/matrix.js";
import { frameOf, isFrame, numbered } from "../values/frame.js";
import {
  attributesOf,
  called,
  element,
  hasSlots,
  isS4,
  listOf,
  namedElements,
  slot,
  textsOf,
} from "../values/value.js";
import { addAny, addOtherSlots } from "./slots.js";

/** The place of elements along an axis, and the names of its rows; null where nothing names them. */
export interface Aligned {
  readonly place: string;
  readonly names: RCharacter | null;
}

/** The elements of a frame of objects within an inner frame: `reducedDims`, `altExps`; none where there is no such frame. */
export function innerElements(
  value: RValue,
  frame: string,
  name: string,
): readonly (readonly [name: string, value: RValue])[] {
  const inner = slot(value, frame);
  if (!isFrame(inner)) return [];
  return namedElements(listOf(element(listOf(inner, frame), name), name));
}

/** Whether a column of a frame is a matrix. */
export function isMatrixColumn(value: RValue): boolean {
  return attributesOf(value).has("dim") || hasSlots(value, "Dim");
}

/** Whether a matrix of `reducedDims` holds its values, and more beside them, in slots. */
export function isLinearEmbedding(value: RValue): value is RS4 {
  return hasSlots(value, "sampleFactors");
}

/** The attributes of every matrix; others say more of it, as the share of the variance. */
const PLAIN = new Set(["dim", "dimnames", "class", "names"]);

/** What is read of a `LinearEmbeddingMatrix`, and the names of its rows, which are those of the cells. */
const LINEAR_EMBEDDING = new Set(["sampleFactors", "NAMES"]);

/**
 * Adds a matrix with a row for each cell or feature, and the names of its columns as metadata.
 * @param beside the place of its other attributes or slots.
 */
export async function addAlignedMatrix(path: string, value: RValue, beside: string, tables: RTables): Promise<void> {
  const known = isS4(value) ? LINEAR_EMBEDDING : PLAIN;
  const isKnown = !isS4(value) || isLinearEmbedding(value);
  if (isKnown) await addOtherSlots(value, known, (key) => `${beside}/${key}`, tables);
  else await tables.beside(beside, value);
  await tables.add(path, async () => {
    const own = isLinearEmbedding(value) ? slot(value, "sampleFactors") : value;
    if (!isS4(own) && !attributesOf(own).has("dim")) throw new UnsupportedError(`${called(own)}, no matrix`);
    const matrix = await matrixOf(own, path, tables.cx);
    const table = matrix.table(path, "same");
    const [, columns] = matrix.names;
    return columns === null
      ? table
      : { ...table, metadata: { ...table.metadata, columns: textsOf(columns.text).map((one) => one ?? "NA") } };
  });
}

/** The columns that have elements of their own. */
const KNOWN = new Set(["reducedDims", "altExps", "colPairs", "rowPairs"]);

/** What a column is called here: `SpatialExperiment` has the places of the cells in `spatialCoords`. */
const NAMES: ReadonlyMap<string, string> = new Map([["spatialCoords", "spatial"]]);

/**
 * Adds the other columns of the inner frames: matrices and frames as elements of their own, the rest as one frame with the
 * name of the slot.
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
    if (slot(value, name).kind === "null") continue;
    const uns = `${place.slice(0, -"obsm".length)}uns`;
    await tables.attempt(`${place}/${name}`, async () => {
      const frame = frameOf(slot(value, name));
      const index = names ?? numbered(frame.rows);
      const columns = frame.columns.filter(([column]) => !KNOWN.has(column));
      // The elements of the other columns have their own slots beside them.
      for (const [column, one] of frame.columns)
        if (KNOWN.has(column)) await tables.besideFrame(`${uns}/${column}`, one, []);
      const vectors = columns.filter(([, one]) => !isMatrixColumn(one) && !isFrame(one));
      await tables.besideFrame(`${uns}/${name}`, slot(value, name), vectors);
      for (const [column, one] of columns) {
        const own = `${place}/${NAMES.get(column) ?? column}`;
        if (isMatrixColumn(one)) await addAlignedMatrix(own, one, `${uns}/${column}`, tables);
        else if (isFrame(one)) {
          const inside = await tables.attempt(own, async () => frameOf(one));
          if (inside !== null && inside.columns.length > 0) await tables.frame(own, { ...inside, names: index });
          await tables.beside(`${uns}/${column}`, one);
        }
      }
      if (vectors.length > 0) await tables.frame(`${place}/${name}`, { ...frame, columns: vectors, names: index });
    });
  }
}

/** What `int_metadata` holds of no one's data: the version of the package, and a name that a modality has. */
const OF_THE_PACKAGE = new Set(["version", "mainExpName"]);

/** Adds `int_metadata` below `uns`; the images of `SpatialExperiment`, which lie in a frame of objects, as a tree. */
export async function addInnerMetadata(value: RValue, prefix: string, tables: RTables): Promise<void> {
  await tables.attempt(`${prefix}uns/int_metadata`, async () => {
    for (const [name, one] of namedElements(listOf(slot(value, "int_metadata"), "int_metadata"))) {
      if (OF_THE_PACKAGE.has(name)) continue;
      if (name !== "imgData") await addAny(`${prefix}uns/int_metadata/${name}`, one, tables);
      else {
        const images = `${prefix}uns/${name}`;
        await tables.attempt(images, () => tables.mapping(images, listOf(one, name)));
        await tables.besideFrame(images, one, []);
        await addAny(`${images}.rownames`, slot(one, "rownames"), tables);
      }
    }
  });
}
