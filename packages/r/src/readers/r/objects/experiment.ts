/**
 * Reads `SummarizedExperiment`, `RangedSummarizedExperiment`, `SingleCellExperiment` and derived classes under
 * AnnData's names. The main matrix is the first assay, as in zellkonverter's `writeH5AD`.
 */

import { InvalidDataError } from "annarrow";
import { countTextStrings } from "../../../containers/rds/model/text.js";
import { findOnlyString, type RCharacter, type RList, type RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { openRMatrix } from "../matrices/matrix.js";
import { createNumberNames, createRCharacter, findRFrame, isFrame, type RFrame, toRFrame } from "../values/frame.js";
import { findFeatureRanges, getRangesNames } from "../values/ranges.js";
import { findEnvironment, getFields } from "../values/references.js";
import {
  findRNames,
  getListElement,
  getRList,
  getRSlot,
  hasSlots,
  isS4,
  listNamedElements,
  listRTexts,
} from "../values/value.js";
import {
  type Aligned,
  addAlignedMatrix,
  addInnerColumns,
  addInnerMetadata,
  isMatrixColumn,
  listInnerElements,
} from "./inner-parts.js";
import { createPairsTable, listPairsColumns } from "./pairs.js";
import { addOtherSlots } from "./slots.js";

export function isExperiment(value: RValue): boolean {
  return hasSlots(value, "assays", "colData");
}

/** An alternative experiment, and the object that holds it. */
export interface AlternativeExperiment {
  readonly name: string;
  readonly value: RValue;
  readonly holder: RValue;
}

/** Returns the alternative experiments, which have the same cells but other features. Some classes have none. */
export function listAlternativeExperiments(value: RValue): readonly AlternativeExperiment[] {
  const all = listInnerElements(value, "int_colData", "altExps");
  return all.map(([name, holder]) => ({ name, value: getRSlot(holder, "se"), holder }));
}

/** Adds the slots of the object that holds an alternative experiment. The elements are named below `prefix`. */
export async function addHolder({ holder }: AlternativeExperiment, prefix: string, tables: RTables): Promise<void> {
  await addOtherSlots(holder, HOLDER, (name) => `${prefix}uns/altExp.${name}`, tables);
}

const HOLDER = new Set(["se"]);

/** Returns the name of the main experiment; null if it has none. */
export function getMainExperimentName(value: RValue): string | null {
  const metadata = getRSlot(value, "int_metadata");
  return metadata.kind === "list" ? findOnlyString(getListElement(metadata, "mainExpName")) : null;
}

/** Slots that are read. The other slots of a derived class become elements of `uns`. */
const KNOWN = new Set([
  ...["colData", "assays", "NAMES", "elementMetadata", "metadata", "rowRanges", "reducedDims"],
  ...["int_colData", "int_elementMetadata", "int_metadata"],
]);

/**
 * Adds the elements of one experiment below `prefix`, without its alternative experiments.
 * @param parent the cell names of the main experiment, which R also gives to its alternative experiments. Null for a
 * main experiment.
 * @returns the names of the cells.
 */
export async function addExperiment(
  value: RValue,
  prefix: string,
  tables: RTables,
  parent: RCharacter | null = null,
): Promise<RCharacter | null> {
  const own = await tables.attempt(`${prefix}obs`, async () => toRFrame(getRSlot(value, "colData")));
  const names = own === null ? parent : namedCells(own, prefix, tables, parent);
  const features = await tables.attempt(`${prefix}var`, async () => featuresOf(value));
  if (own !== null) await addFrame(`${prefix}obs`, { ...own, names }, tables);
  if (features !== null) await addFrame(`${prefix}var`, features, tables);
  await addAssays(value, prefix, tables);
  const ofCells = { place: `${prefix}obsm`, names };
  await tables.attempt(`${prefix}obsm`, async () => {
    // Versions before 2019 have the reduced dimensions in a slot.
    const before = listNamedElements(getRList(getRSlot(value, "reducedDims"), "reducedDims"));
    await addEmbeddings([...listInnerElements(value, "int_colData", "reducedDims"), ...before], ofCells, tables);
  });
  await addPairs(value, ["int_colData", "colPairs"], `${prefix}obsp`, tables);
  await addPairs(value, ["int_elementMetadata", "rowPairs"], `${prefix}varp`, tables);
  if (features !== null) await addRanges(value, features, prefix, tables);
  await tables.attempt(`${prefix}uns`, () => tables.mapping(`${prefix}uns`, metadataOf(value)));
  await tables.beside(`${prefix}uns/metadata`, getRSlot(value, "metadata"));
  const ofFeatures = { place: `${prefix}varm`, names: features?.names ?? null };
  await addInnerColumns(value, { ofCells, ofFeatures }, tables);
  await addInnerMetadata(value, prefix, tables);
  await besideVectors(`${prefix}uns/colData`, getRSlot(value, "colData"), tables);
  await besideVectors(`${prefix}uns/rowData`, featuresValue(value), tables);
  await addOtherSlots(value, KNOWN, (name) => `${prefix}uns/${name}`, tables);
  return names;
}

/** Returns the cell names, replaced by those of a parent. @throws {InvalidDataError} if the numbers of cells differ. */
function namedCells(cells: RFrame, prefix: string, tables: RTables, parent: RCharacter | null): RCharacter {
  if (parent === null) return cells.names ?? createNumberNames(cells.rows);
  const own = cells.names;
  if (countTextStrings(parent.text) !== cells.rows) {
    throw new InvalidDataError(`${cells.rows} cells, the main experiment has ${countTextStrings(parent.text)}`);
  }
  const all = listRTexts(parent.text);
  if (own !== null && listRTexts(own.text).some((name, i) => name !== all[i])) {
    tables.warn(`${prefix}obs: other names of cells than the main experiment has, in whose place R takes these`);
  }
  return parent;
}

/** Adds a frame. Matrices among its columns go to `obsm` or `varm`, since dataframe columns have one dimension. */
async function addFrame(name: string, frame: RFrame, tables: RTables): Promise<void> {
  const columns = frame.columns.filter(([, value]) => !isMatrixColumn(value));
  await tables.frame(name, { ...frame, columns, names: frame.names ?? createNumberNames(frame.rows) });
  for (const [column, value] of frame.columns.filter(([, one]) => isMatrixColumn(one))) {
    const place = `${name}m/${column}`;
    await addAlignedMatrix(place, value, `${name.slice(0, -"obs".length)}uns/${column}`, tables);
  }
}

/** Adds what a frame has besides its rows and vectors. Its matrices are separate elements. */
async function besideVectors(place: string, value: RValue, tables: RTables): Promise<void> {
  const columns = findRFrame(value)?.columns ?? [];
  await tables.besideFrame(
    place,
    value,
    columns.filter(([, one]) => !isMatrixColumn(one)),
  );
}

/**
 * Returns the frame of the features: `elementMetadata`, or the columns that are stored with the ranges if there are
 * any.
 */
function featuresOf(value: RValue): RFrame {
  const ranges = getRSlot(value, "rowRanges");
  const own = toRFrame(featuresValue(value));
  const names = isS4(ranges) ? getRangesNames(ranges) : getRSlot(value, "NAMES");
  if (names.kind !== "character") return own;
  if (countTextStrings(names.text) === own.rows) return { ...own, names: bare(names) };
  throw new InvalidDataError(`${countTextStrings(names.text)} names for ${own.rows} features`);
}

function featuresValue(value: RValue): RValue {
  const ranges = getRSlot(value, "rowRanges");
  return getRSlot(isS4(ranges) ? ranges : value, "elementMetadata");
}

/** Returns the metadata. The name of the first assay is added as `X_name`, where zellkonverter looks for it. */
function metadataOf(value: RValue): RList {
  const list = getRList(getRSlot(value, "metadata"), "metadata");
  const own = listNamedElements(list);
  const [first] = findRNames(assayList(getRSlot(value, "assays")), 1) ?? [];
  if (first === undefined || assayList(getRSlot(value, "assays")).values.length === 0) return list;
  if (own.some(([name]) => name === X_NAME)) return list;
  return {
    kind: "list",
    values: [...list.values, createRCharacter([first])],
    attributes: new Map([["names", createRCharacter([...own.map(([name]) => name), X_NAME])]]),
  };
}

const X_NAME = "X_name";

function bare(names: RCharacter): RCharacter {
  return { ...names, attributes: new Map() };
}

async function addAssays(value: RValue, prefix: string, tables: RTables): Promise<void> {
  await tables.attempt(`${prefix}layers`, async () => {
    const stored = getRSlot(value, "assays");
    const assays = listNamedElements(assayList(stored));
    for (const [i, [name, assay]] of assays.entries()) {
      const path = i === 0 ? `${prefix}X` : `${prefix}layers/${name}`;
      await tables.add(path, async () => {
        const table = (await openRMatrix(assay, path, tables.cx)).table(path, "transposed");
        return i === 0 ? { ...table, metadata: { ...table.metadata, assay: name } } : table;
      });
      await tables.beside(`${prefix}uns/${name}`, assay);
    }
    // The object that contains the list, and the list itself, have their own slots.
    if (findEnvironment(stored) === null && !hasSlots(stored, "listData")) {
      await addOtherSlots(stored, ASSAYS, (one) => `${prefix}uns/assays.${one}`, tables);
    }
    await tables.beside(
      `${prefix}uns/assays`,
      getRSlot(stored, "data").kind === "null" ? stored : getRSlot(stored, "data"),
    );
  });
}

/** Slots in which an object stores the list of its assays, and the attributes of a list. */
const ASSAYS = new Set(["data", ".Data", "names", "class"]);

/** Returns the list of assays, which is stored in a slot, or in an environment in older versions. */
function assayList(assays: RValue): RList {
  const data = getRSlot(assays, "data");
  if (data.kind !== "null") return getRList(data, "assays");
  const environment = findEnvironment(assays);
  const inner = environment === null ? undefined : getFields(environment).get("data");
  return getRList(inner ?? assays, "assays");
}

async function addEmbeddings(
  list: readonly (readonly [name: string, value: RValue])[],
  { place, names }: Aligned,
  tables: RTables,
): Promise<void> {
  const uns = `${place.slice(0, -"obsm".length)}uns`;
  for (const [name, value] of list) {
    if (isFrame(value)) {
      await tables.attempt(`${place}/${name}`, async () => {
        const frame = toRFrame(value);
        await tables.frame(`${place}/${name}`, {
          ...frame,
          names: names ?? frame.names ?? createNumberNames(frame.rows),
        });
      });
      await tables.beside(`${uns}/${name}`, value);
      continue;
    }
    await addAlignedMatrix(`${place}/${name}`, value, `${uns}/${name}`, tables);
  }
}

async function addPairs(
  value: RValue,
  [inner, name]: readonly [string, string],
  place: string,
  tables: RTables,
): Promise<void> {
  const uns = `${place.slice(0, -"obsp".length)}uns`;
  await tables.attempt(place, async () => {
    for (const [key, given] of listInnerElements(value, inner, name)) {
      const isSubset = getRSlot(given, "hits").kind !== "null";
      const hits = isSubset ? getRSlot(given, "hits") : given;
      if (isSubset) await addOtherSlots(given, SUBSET, (one) => `${uns}/${key}.${one}`, tables);
      const columns = await tables.attempt(`${place}/${key}`, async () => listPairsColumns(hits));
      for (const [i, [column, values]] of (columns ?? []).entries()) {
        const path = i === 0 ? `${place}/${key}` : `${place}/${key}.${column}`;
        await tables.add(path, () => createPairsTable(path, hits, values));
      }
      await addOtherSlots(hits, PAIRS, (one) => `${uns}/${key}.${one}`, tables);
      await tables.beside(`${uns}/${key}.elementMetadata`, getRSlot(hits, "elementMetadata"));
    }
  });
}

/** Slots of the `SingleCellExperiment` object that holds pairs. */
const SUBSET = new Set(["hits"]);
const PAIRS = new Set(["from", "to", "nLnode", "nRnode", "elementMetadata"]);

/** Slots that are read from a list with ranges for each feature. */
const LISTED_RANGES = new Set(["unlistData", "partitioning", "elementMetadata", "elementType"]);

async function addRanges(value: RValue, features: RFrame, prefix: string, tables: RTables): Promise<void> {
  const ranges = getRSlot(value, "rowRanges");
  if (!isS4(ranges)) return;
  const own = `${prefix}varm/rowRanges`;
  await tables.attempt(own, async () => {
    const found = findFeatureRanges(ranges, features.rows);
    if (found === null) return;
    // If a feature has several ranges, they cannot be aligned with the features.
    const isAligned = found.rows === features.rows && found.names === null;
    const name = isAligned ? own : `${prefix}uns/rowRanges`;
    await tables.frame(
      name,
      isAligned ? { ...found, names: features.names ?? createNumberNames(features.rows) } : found,
    );
  });
  const inner = getRSlot(ranges, "unlistData");
  if (inner.kind !== "null") {
    await addOtherSlots(ranges, LISTED_RANGES, (one) => `${prefix}uns/rowRanges.list.${one}`, tables);
    return tables.beside(`${prefix}uns/rowRanges`, inner);
  }
  // If each feature has one range, the columns of the ranges are those of `rowData`.
  const slots = new Map([...ranges.slots].filter(([name]) => name !== "elementMetadata"));
  await tables.beside(`${prefix}uns/rowRanges`, { ...ranges, slots });
}
