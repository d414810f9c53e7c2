/** Seurat assays: `Assay` and derived classes, `Assay5`, and the slots of version 2 objects. */

import { InvalidDataError, isAnnarrowError } from "annarrow";
import type { RValue } from "../../../containers/rds/model/value.js";
import { findNamePositions } from "../../seurat-names.js";
import type { RTables } from "../collect/tables.js";
import type { MatrixContext, RMatrix } from "../matrices/forms.js";
import { joinMatrices } from "../matrices/joined.js";
import { openRMatrix } from "../matrices/matrix.js";
import { isEmpty } from "../values/empty.js";
import { isFrame, type RFrame, toRFrame } from "../values/frame.js";
import {
  describeRValue,
  findRStrings,
  getRList,
  getRMatrixShape,
  getRSlot,
  hasSlots,
  listNamedElements,
} from "../values/value.js";

export interface AssayAxis {
  readonly cells: readonly string[];
  readonly features: readonly string[];
}

/** A matrix of an assay, with its features and cells in its own order. */
export interface Layer extends AssayAxis {
  readonly name: string;
  /** Opens the matrix with features as rows and cells as columns. */
  readonly open: () => Promise<RMatrix>;
}

export interface Assay {
  /**
   * Cells of a Seurat 5 assay, which may be a subset of the object's cells; null for older assays, which have all
   * cells.
   */
  readonly cells: readonly string[] | null;
  readonly features: readonly string[];
  readonly frame: RFrame | null;
  readonly variable: readonly string[];
  readonly layers: readonly Layer[];
}

/**
 * Opens an assay. A part that cannot be read becomes a separate failure.
 * @throws {InvalidDataError} for an object that is not an assay.
 */
export async function openAssay(assay: RValue, tables: RTables, prefix: string): Promise<Assay> {
  if (hasSlots(assay, "layers", "cells", "features")) return assay5(assay, tables, prefix);
  if (!hasSlots(assay, "data")) throw new InvalidDataError(`${describeRValue(assay)}, no assay`);
  const slots = [
    ["data", getRSlot(assay, "data")],
    ["counts", getRSlot(assay, slotBefore(assay, "counts", "raw.data"))],
    ["scale.data", getRSlot(assay, "scale.data")],
  ] as const;
  const layers: Layer[] = [];
  for (const [name, value] of slots) {
    const layer = await orFailing(name, () => namedLayer(name, value, tables.cx, prefix));
    if (layer !== null) layers.push(layer);
    await tables.beside(`${prefix}uns/${name}`, value);
  }
  // Version 2 stores cells in raw.data that were filtered out of data.
  const features = layers.find((layer) => layer.features.length > 0)?.features ?? [];
  const frame = hasSlots(assay, "meta.features") ? await featuresFrame(assay, "meta.features", tables, prefix) : null;
  const variable = await variableNames(getRSlot(assay, slotBefore(assay, "var.features", "var.genes")), tables, prefix);
  return { cells: null, features, frame, variable, layers };
}

/** Returns the name of a slot, or the name that it has in version 2. */
function slotBefore(assay: RValue, name: string, before: string): string {
  return hasSlots(assay, name) ? name : before;
}

function strings(value: RValue): readonly string[] {
  return (findRStrings(value) ?? []).map((name) => name ?? "NA");
}

/** In all versions, the prefix of element names for the additional slots and attributes of the feature dataframe. */
const BESIDE_FEATURES = "meta.features";

/** Opens the dataframe of the features; null if it is absent or cannot be read. */
function featuresFrame(assay: RValue, name: string, tables: RTables, prefix: string): Promise<RFrame | null> {
  return tables.attempt(`${prefix}var/${name}`, async () => {
    const frame = getRSlot(assay, name);
    await tables.beside(`${prefix}uns/${BESIDE_FEATURES}`, frame);
    return isEmpty(frame) && !isFrame(frame) ? null : toRFrame(frame);
  });
}

async function variableNames(value: RValue, tables: RTables, prefix: string): Promise<readonly string[]> {
  await tables.beside(`${prefix}uns/var.features`, value);
  const names = await tables.attempt(`${prefix}var/highly_variable`, async () => {
    if (isEmpty(value) || value.kind === "character") return strings(value);
    throw new InvalidDataError(`${describeRValue(value)}, no names of features`);
  });
  return names ?? [];
}

/** Makes a layer. If that fails, returns a layer that fails when it is opened. */
async function orFailing(name: string, make: () => Promise<Layer | null>): Promise<Layer | null> {
  try {
    return await make();
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { name, features: [], cells: [], open: async () => Promise.reject(error) };
  }
}

/** Makes a layer from a matrix with names. Returns null for an empty matrix, which is found in unused slots. */
async function namedLayer(name: string, value: RValue, cx: MatrixContext, prefix: string): Promise<Layer | null> {
  if (isEmpty(value)) return null;
  const matrix = await openRMatrix(value, `${prefix}${name}`, cx);
  const [rows, columns] = matrix.shape;
  if (rows === 0 && columns === 0) return null;
  const [features, cells] = matrix.names.map((names, axis) =>
    names === null ? Array.from({ length: matrix.shape[axis] }, (_, i) => String(i + 1)) : strings(names),
  );
  return { name, features, cells, open: async () => matrix };
}

/** Opens an assay whose layers have no names. Two logical matrices declare the features and cells of each layer. */
async function assay5(assay: RValue, tables: RTables, prefix: string): Promise<Assay> {
  const { cx } = tables;
  const features = logMap(getRSlot(assay, "features"));
  const cells = logMap(getRSlot(assay, "cells"));
  const layers: Layer[] = [];
  for (const name of ["features", "cells", "layers"])
    await tables.beside(`${prefix}uns/${name}`, getRSlot(assay, name));
  for (const [name, value] of listNamedElements(getRList(getRSlot(assay, "layers"), "layers"))) {
    const layer = await orFailing(name, async () => {
      const own = { name, features: features.of(name), cells: cells.of(name) };
      return { ...own, open: () => openRMatrix(value, `${prefix}layers/${name}`, cx) };
    });
    if (layer !== null) layers.push(layer);
    await tables.beside(`${prefix}uns/${name}`, value);
  }
  const meta = await featuresFrame(assay, "meta.data", tables, prefix);
  const frame = meta === null ? null : { ...meta, names: null };
  const all = { features: features.names, cells: cells.names };
  const joined = SPLIT.reduce<readonly Layer[]>((some, name) => withJoined(some, name, all, cx, prefix), layers);
  return { ...all, frame, variable: variableOf(frame, features.names), layers: joined };
}

/** Layers that may be split by sample, as in `counts.1` and `counts.2`. */
const SPLIT = ["counts", "data"];

/** Replaces split layers by a joined layer, as `JoinLayers` does. */
function withJoined(
  layers: readonly Layer[],
  name: string,
  all: AssayAxis,
  cx: MatrixContext,
  prefix: string,
): readonly Layer[] {
  const parts = layers.filter((one) => one.name.startsWith(`${name}.`));
  if (parts.length === 0 || layers.some((one) => one.name === name)) return layers;
  if (parts.length === 1) return layers.map((one) => (one === parts[0] ? { ...one, name } : one));
  const open = async (): Promise<RMatrix> => {
    const opened = await Promise.all(
      parts.map(async (part) => ({
        name: part.name,
        matrix: await openLayer(part),
        columns: placesAmong(part.cells, all.cells, "cell"),
        rows: placesAmong(part.features, all.features, "feature"),
      })),
    );
    const shape = [all.features.length, all.cells.length] as const;
    return joinMatrices(`${prefix}layers/${name}`, opened, shape, cx.reading.options);
  };
  return layers.flatMap((one) => (one === parts[0] ? [{ ...all, name, open }] : parts.includes(one) ? [] : [one]));
}

/** Opens the matrix of a layer. @throws {InvalidDataError} if it does not match the layer's features and cells. */
export async function openLayer({ features, cells, open }: Layer): Promise<RMatrix> {
  const matrix = await open();
  const [rows, columns] = matrix.shape;
  if (rows === features.length && columns === cells.length) return matrix;
  const wanted = `${features.length} features and ${cells.length} cells`;
  throw new InvalidDataError(`a matrix of ${rows} x ${columns}, there are ${wanted}`);
}

function placesAmong(names: readonly string[], all: readonly string[], what: string): Int32Array {
  return findNamePositions(names, all, what) ?? Int32Array.from(names, (_, i) => i);
}

/** Returns the variable features that were set, or else the result of the selection method if there is only one. */
function variableOf(frame: RFrame | null, features: readonly string[]): readonly string[] {
  const columns = frame?.columns ?? [];
  const set = columns.find(([name]) => name === "var.features")?.[1];
  if (set !== undefined) return (findRStrings(set) ?? []).filter((name) => name !== null);
  const found = columns.filter(([name]) => /^vf_.+_variable$/.test(name));
  const [chosen] = found.map(([, value]) => value);
  if (found.length !== 1 || chosen.kind !== "logical") return [];
  return features.filter((_, i) => chosen.values[i] === 1);
}

interface LogMap {
  readonly names: readonly string[];
  readonly of: (layer: string) => readonly string[];
}

/** Reads a logical matrix with a row per name and a column per layer. @throws {InvalidDataError} */
function logMap(value: RValue): LogMap {
  if (value.kind !== "logical") throw new InvalidDataError(`${describeRValue(value)}, no table of names and layers`);
  const [rows, columns] = getRMatrixShape(value);
  const dimnames = getRSlot(value, "dimnames");
  const [names, layers] = dimnames.kind === "list" ? dimnames.values.map(strings) : [[], []];
  if (names?.length !== rows || layers?.length !== columns || value.values.length !== rows * columns) {
    throw new InvalidDataError(
      `${names?.length ?? 0} names and ${layers?.length ?? 0} layers of a table of ${rows} x ${columns}`,
    );
  }
  return {
    names,
    of(layer) {
      const column = layers.indexOf(layer);
      if (column < 0)
        throw new InvalidDataError(`layer ${JSON.stringify(layer)} is missing among ${layers.join(", ")}`);
      return names.filter((_, row) => value.values[column * rows + row] === 1);
    },
  };
}
