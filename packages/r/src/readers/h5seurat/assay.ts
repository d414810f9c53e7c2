/** An assay: its matrices as X and layers, its features as var. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { createMemoryArray } from "annarrow/core/containers";
import type { NumberArray, StoredType } from "annarrow/core/model";
import type { StoredArray } from "annarrow/format";
import { createArrayTable, openChild } from "annarrow/format";
import { computeFeatureRanks, findNamePositions, hasSameNames, isRank, pickMainLayer } from "../seurat-names.js";
import { openArray } from "./column.js";
import { add, type H5SeuratContext, type OpenedGroup } from "./context.js";
import { createFrameTable, type NamedColumn, openFrame } from "./frame.js";
import { addAny, addMapping } from "./lists.js";
import { openMatrix } from "./matrix.js";
import { readNames } from "./names.js";

/** Children of an assay that are not slots of a derived class. */
const KNOWN = new Set([
  ...["counts", "data", "scale.data", "features", "scaled.features", "variable.features", "meta.features", "misc"],
]);

export interface Features {
  readonly array: StoredArray;
  readonly count: number;
  readonly names: () => Promise<readonly string[]>;
}

/**
 * Adds the elements of an assay below `prefix`.
 * @param cells number of cells.
 * @throws {InvalidDataError} for an assay without features.
 */
export async function addAssay(
  cx: H5SeuratContext,
  { group, keys }: OpenedGroup,
  prefix: string,
  cells: number,
): Promise<Features> {
  const array = await openArray(group, "features", cx.reading);
  if (array.type.kind !== "text" || array.shape?.length !== 1) {
    throw new InvalidDataError("features are no names", { element: array.path });
  }
  const features: Features = { array, count: array.shape[0], names: () => readNames(array, cx.reading) };
  await add(cx, `${prefix}var`, async () =>
    createFrameTable(`${prefix}var`, await featureColumns(cx, group, keys, features, prefix), array),
  );
  const layers = ["data", "counts", "scale.data"].filter((name) => keys.includes(name));
  const main = pickMainLayer(layers);
  for (const name of layers) {
    const own = name === main ? "X" : `layers/${name}`;
    if (name === "scale.data") await addScaled(cx, { group, keys }, { prefix, own, isMain: name === main }, features);
    else {
      await add(cx, `${prefix}${own}`, async () => {
        const matrix = await openMatrix(await openChild(group, name, cx.reading), [features.count, cells], cx.reading);
        return matrix.table(`${prefix}${own}`, "transposed");
      });
    }
  }
  if (keys.includes("misc")) await addMapping(cx, `${prefix}uns/misc`, await openChild(group, "misc", cx.reading));
  for (const key of keys) {
    if (!KNOWN.has(key)) await addAny(cx, `${prefix}uns/${key}`, group, key);
  }
  return features;
}

interface LayerPlace {
  readonly prefix: string;
  readonly own: string;
  readonly isMain: boolean;
}

/**
 * Scaled values of all features become a layer. Scaled values of some features, or of reordered features, become an
 * array in obsm, and their feature names go to uns.
 */
async function addScaled(
  cx: H5SeuratContext,
  { group, keys }: OpenedGroup,
  { prefix, own, isMain }: LayerPlace,
  features: Features,
): Promise<void> {
  const named = keys.includes("scaled.features");
  const scaled = named
    ? await cx.found.element(`${prefix}${own}`, () => openArray(group, "scaled.features", cx.reading))
    : null;
  const count = scaled?.shape?.[0] ?? features.count;
  const isWhole = async () =>
    scaled === null ||
    (count === features.count && hasSameNames(await readNames(scaled, cx.reading), await features.names()));
  const hasAll = isMain || (await cx.found.element(`${prefix}${own}`, isWhole));
  if (hasAll === null) return;
  const path = `${prefix}${hasAll ? own : "obsm/scale.data"}`;
  await add(cx, path, async () => {
    const matrix = await openMatrix(await openChild(group, "scale.data", cx.reading), null, cx.reading);
    if (matrix.shape[0] !== count) {
      throw new InvalidDataError(`${matrix.shape[0]} rows, there are ${count} scaled features`);
    }
    if (isMain && scaled !== null) {
      const [own, all] = [await readNames(scaled, cx.reading), await features.names()];
      if (findNamePositions(own, all, "feature") !== null) {
        throw new UnsupportedError("scaled features in another order than those of the assay");
      }
    }
    return matrix.table(path, "transposed");
  });
  if (hasAll || scaled === null) return;
  const names = `${prefix}uns/scale.data.features`;
  await add(cx, names, () => createArrayTable(scaled, { kind: "string-array", shape: [count] }));
}

async function featureColumns(
  cx: H5SeuratContext,
  group: OpenedGroup["group"],
  keys: readonly string[],
  features: Features,
  prefix: string,
): Promise<readonly NamedColumn[]> {
  const columns: NamedColumn[] = [];
  if (keys.includes("meta.features")) {
    const frame = await openFrame(await openChild(group, "meta.features", cx.reading), cx.reading, (column, error) => {
      cx.found.failures.set(`${prefix}var/${column}`, error.locate({ element: `${prefix}var/${column}` }));
    });
    for (const column of frame.columns) columns.push(column);
  }
  if (!keys.includes("variable.features") || columns.some(([name]) => name === "highly_variable")) return columns;
  const variable = await readNames(await openArray(group, "variable.features", cx.reading), cx.reading);
  const chosen = new Set(variable);
  const names = await features.names();
  const column = (name: string, type: StoredType, values: NumberArray): (typeof columns)[number] => {
    const array = createMemoryArray(`${prefix}var/${name}`, type, [values.length], { kind: "fixed", values });
    return [name, { plan: { kind: "array", array }, metadata: { kind: "array" } }];
  };
  const flags = Uint8Array.from(names, (name) => (chosen.has(name) ? 1 : 0));
  const ranks = columns.some(([name]) => isRank(name)) ? null : computeFeatureRanks(variable, names);
  return [
    ...columns,
    column("highly_variable", { kind: "bool" }, flags),
    ...(ranks === null ? [] : [column("highly_variable_rank", { kind: "float", bits: 64 }, ranks)]),
  ];
}
