/**
 * `SummarizedExperiment`, `RangedSummarizedExperiment` and `SingleCellExperiment`, and the classes that extend them, under
 * the names of AnnData. The main matrix is the first assay, as zellkonverter's `writeH5AD` has it.
 */

import { textLength } from "../../../containers/rds/model/text.js";
import { onlyString, R_NULL, type RCharacter, type RList, type RValue } from "../../../containers/rds/model/value.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { RTables } from "../collect/tables.js";
import { matrixOf } from "../matrices/matrix.js";
import { characters, frameOf, isFrame, numbered, type RFrame } from "../values/frame.js";
import { featureRanges, rangesNames } from "../values/ranges.js";
import { environmentOf, fieldsOf } from "../values/references.js";
import {
  attributesOf,
  called,
  element,
  hasSlots,
  isS4,
  listOf,
  namedElements,
  namesOf,
  slot,
  textsOf,
} from "../values/value.js";
import { pairsTable } from "./pairs.js";

export function isExperiment(value: RValue): boolean {
  return hasSlots(value, "assays", "colData");
}

/** Alternative experiments, which have the same cells and other features; none in classes without. */
export function alternativeExperiments(value: RValue): readonly (readonly [name: string, value: RValue])[] {
  const inner = innerList(value, "int_colData", "altExps");
  return inner === null ? [] : namedElements(inner).map(([name, one]) => [name, slot(one, "se")] as const);
}

/** The name of the main experiment; null where it has none. */
export function mainName(value: RValue): string | null {
  const metadata = slot(value, "int_metadata");
  return metadata.kind === "list" ? onlyString(element(metadata, "mainExpName")) : null;
}

/** Adds the elements of one experiment, without its alternative ones, below `prefix`. */
export async function addExperiment(value: RValue, prefix: string, tables: RTables): Promise<void> {
  const cells = frameOf(slot(value, "colData"));
  const features = featuresOf(value);
  await addFrame(`${prefix}obs`, cells, tables);
  await addFrame(`${prefix}var`, features, tables);
  await addAssays(value, prefix, tables);
  await addEmbeddings(innerList(value, "int_colData", "reducedDims"), `${prefix}obsm`, tables);
  await addPairs(innerList(value, "int_colData", "colPairs"), `${prefix}obsp`, tables);
  await addPairs(innerList(value, "int_elementMetadata", "rowPairs"), `${prefix}varp`, tables);
  await addRanges(value, features.rows, prefix, tables);
  await tables.attempt(`${prefix}uns`, () => tables.mapping(`${prefix}uns`, metadataOf(value)));
}

/** A frame; matrices among its columns are elements of `obsm` or `varm`, as those of a dataframe have one dimension. */
async function addFrame(name: string, frame: RFrame, tables: RTables): Promise<void> {
  const isMatrixColumn = (value: RValue) => attributesOf(value).has("dim");
  const columns = frame.columns.filter(([, value]) => !isMatrixColumn(value));
  await tables.frame(name, { ...frame, columns, names: frame.names ?? numbered(frame.rows) });
  for (const [column, value] of frame.columns.filter(([, one]) => isMatrixColumn(one))) {
    const place = `${name}m/${column}`;
    await tables.add(place, async () => (await matrixOf(value, place, tables.cx)).table(place, "same"));
  }
}

/** The frame of the features: `elementMetadata`, or where there are ranges, the columns beside them. */
function featuresOf(value: RValue): RFrame {
  const ranges = slot(value, "rowRanges");
  const own = frameOf(slot(isS4(ranges) ? ranges : value, "elementMetadata"));
  const names = isS4(ranges) ? rangesNames(ranges) : slot(value, "NAMES");
  if (names.kind !== "character") return own;
  if (textLength(names.text) === own.rows) return { ...own, names: bare(names) };
  throw new InvalidDataError(`${textLength(names.text)} names for ${own.rows} features`);
}

/** The metadata, with the name of the first assay as `X_name`, by which zellkonverter finds it again. */
function metadataOf(value: RValue): RList {
  const list = listOf(slot(value, "metadata"), "metadata");
  const own = namedElements(list);
  const [first] = namesOf(assayList(slot(value, "assays")), 1) ?? [];
  if (first === undefined || assayList(slot(value, "assays")).values.length === 0) return list;
  if (own.some(([name]) => name === X_NAME)) return list;
  return {
    kind: "list",
    values: [...list.values, characters([first])],
    attributes: new Map([["names", characters([...own.map(([name]) => name), X_NAME])]]),
  };
}

const X_NAME = "X_name";

function bare(names: RCharacter): RCharacter {
  return { ...names, attributes: new Map() };
}

async function addAssays(value: RValue, prefix: string, tables: RTables): Promise<void> {
  await tables.attempt(`${prefix}layers`, async () => {
    const assays = namedElements(assayList(slot(value, "assays")));
    for (const [i, [name, assay]] of assays.entries()) {
      const path = i === 0 ? `${prefix}X` : `${prefix}layers/${name}`;
      await tables.add(path, async () => {
        const table = (await matrixOf(assay, path, tables.cx)).table(path, "transposed");
        return i === 0 ? { ...table, metadata: { ...table.metadata, assay: name } } : table;
      });
    }
  });
}

/** The list of assays, which is in a slot, or in older versions in an environment. */
function assayList(assays: RValue): RList {
  const data = slot(assays, "data");
  if (data.kind !== "null") return listOf(data, "assays");
  const environment = environmentOf(assays);
  const inner = environment === null ? undefined : fieldsOf(environment).get("data");
  return listOf(inner ?? assays, "assays");
}

/** A frame of objects within the inner frame of an object: `reducedDims`, `altExps`; null where there is none. */
function innerList(value: RValue, frame: string, name: string): RList | null {
  const inner = slot(value, frame);
  if (!isFrame(inner)) return null;
  const found = element(listOf(inner, frame), name);
  return isFrame(found) ? listOf(found, name) : null;
}

async function addEmbeddings(list: RList | null, place: string, tables: RTables): Promise<void> {
  for (const [name, value] of list === null ? [] : namedElements(list)) {
    if (isFrame(value)) {
      const frame = frameOf(value);
      await tables.frame(`${place}/${name}`, { ...frame, names: frame.names ?? numbered(frame.rows) });
      continue;
    }
    await tables.add(`${place}/${name}`, async () => {
      const { kind } = embedding(value);
      if (kind !== "matrix") throw new UnsupportedError(`${called(value)}, no matrix`);
      const matrix = await matrixOf(embedding(value).value, `${place}/${name}`, tables.cx);
      const table = matrix.table(`${place}/${name}`, "same");
      const [, columns] = matrix.names;
      return columns === null
        ? table
        : { ...table, metadata: { ...table.metadata, columns: textsOf(columns.text).map((one) => one ?? "NA") } };
    });
    for (const [key, one] of attributesOf(value)) {
      if (!isS4(value) && !PLAIN.has(key))
        await tables.value(`${place.slice(0, -"obsm".length)}uns/${name}/${key}`, one);
    }
  }
}

/** The attributes of every matrix; others say more of it, as the share of the variance. */
const PLAIN = new Set(["dim", "dimnames", "class", "names"]);

/** The matrix of a reduced dimension; `LinearEmbeddingMatrix` holds it in a slot. */
function embedding(value: RValue): { readonly kind: "matrix" | "other"; readonly value: RValue } {
  const factors = slot(value, "sampleFactors");
  if (factors.kind !== "null") return { kind: "matrix", value: factors };
  return { kind: attributesOf(value).has("dim") || isS4(value) ? "matrix" : "other", value };
}

async function addPairs(list: RList | null, place: string, tables: RTables): Promise<void> {
  for (const [name, value] of list === null ? [] : namedElements(list)) {
    const hits = slot(value, "hits");
    await tables.add(`${place}/${name}`, () => pairsTable(`${place}/${name}`, hits.kind === "null" ? value : hits));
  }
}

async function addRanges(value: RValue, features: number, prefix: string, tables: RTables): Promise<void> {
  const ranges = slot(value, "rowRanges");
  if (ranges === R_NULL || !isS4(ranges)) return;
  const own = `${prefix}varm/rowRanges`;
  await tables.attempt(own, async () => {
    const found = featureRanges(ranges, features);
    if (found === null) return;
    // Several ranges for a feature have no place beside the features.
    const isAligned = found.rows === features && found.names === null;
    const name = isAligned ? own : `${prefix}uns/rowRanges`;
    await tables.frame(name, isAligned ? { ...found, names: numberedLike(value, features) } : found);
  });
}

function numberedLike(value: RValue, features: number): RCharacter {
  return featuresOf(value).names ?? numbered(features);
}
