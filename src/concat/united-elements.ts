/**
 * Creates the elements of the result by kind: dataframes of the axes, matrices, elements along an axis, pairwise
 * blocks.
 */

import type { ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { createFixedSizeLists } from "../arrow/dense.js";
import { takeColumn } from "../arrow/take.js";
import { describeArrowType } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import { countElements } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable } from "../tables/column-table.js";
import { type AlignedPart, type Axis, getOtherAxis } from "./aligned-parts.js";
import { castNumbers, createFilledNumbers, createNumbersColumn, getFlatNumbers } from "./cast-numbers.js";
import { FLOAT64, getCommonNumericType, isNumericType, type NumericType } from "./common-type.js";
import {
  concatDense,
  concatTableRows,
  copyRange,
  createDenseTable,
  type DenseResult,
  flattenLists,
  getInnerDimensions,
} from "./dense-matrices.js";
import type { MissingIntegers } from "./frame-columns.js";
import { type ConcatFrameOptions, concatFrames, createUnnamedFrame, type FramePart } from "./frames.js";
import type { AxisNames, Join } from "./joined-names.js";
import {
  areRepeatable,
  findDenseForm,
  getCommonMatrixType,
  getMatrixEntryType,
  isSparse,
  lacksPositions,
  type MatrixPart,
  sumPartLengths,
} from "./matrix-part.js";
import { type MergeStrategy, mergeElementsAcross } from "./merged.js";
import { concatRagged, isRagged } from "./ragged-elements.js";
import { concatSparse } from "./sparse-matrices.js";
import { concatStructured } from "./structured-matrices.js";
import { createTableFromRows, createWholeFrame, readWholeTable } from "./whole-tables.js";

export interface ConcatTablesOptions {
  readonly axis: Axis;
  readonly join: Join;
  readonly merge: MergeStrategy | null;
  readonly unsMerge: MergeStrategy | null;
  readonly label: string | null;
  /** A key for each dataset. */
  readonly keys: readonly string[];
  readonly indexUnique: string | null;
  readonly fillValue: number | null;
  readonly missingIntegers: MissingIntegers;
  readonly pairwise: boolean;
  readonly lossy: boolean;
  readonly signal: AbortSignal | undefined;
}

export type Warn = (text: string) => void;

/** The datasets along one pair of axes, and the options for their elements. */
export interface Union extends ConcatTablesOptions {
  /** `raw/` if the parts are the datasets' raw matrices rather than the datasets themselves. */
  readonly prefix: "" | "raw/";
  readonly parts: readonly AlignedPart[];
  /** The names of the other axis. */
  readonly joined: AxisNames;
  /** The name of the index along the other axis. */
  readonly index: string;
  /** Total length of all datasets. */
  readonly length: number;
  readonly warn: Warn;
}

type NamedTables = Promise<readonly (readonly [name: string, table: ColumnTable])[]>;

/** Returns the dataframe of the concatenation axis. */
export function concatAxisFrame(union: Union): Promise<ColumnTable> {
  const { axis, prefix, label, keys } = union;
  return concatFrames(framesOfAxis(union), {
    ...frameOptions(union, `${prefix}${axis}`),
    label: label === null ? null : { name: label, keys },
  });
}

function framesOfAxis({ axis, parts, indexUnique, keys }: Union): readonly FramePart[] {
  return parts.map(({ source, tables, length }, i) => ({
    source,
    frame: tables.get(axis) ?? createUnnamedFrame(axis, length),
    suffix: indexUnique === null ? "" : `${indexUnique}${keys[i]}`,
  }));
}

function frameOptions(union: Union, name: string): ConcatFrameOptions {
  const { join, lossy, missingIntegers, signal, warn } = union;
  return { name, join, lossy, missingIntegers, signal, warn, label: null };
}

/** Returns the dataframe of the other axis, and the merged elements along it. */
export async function mergeTablesAcross(union: Union): NamedTables {
  const { axis, prefix, parts, joined, index, merge, missingIntegers, lossy, signal } = union;
  const other = getOtherAxis(axis);
  const across = `${prefix}${other}`;
  if (merge === null) return [[across, createTableFromRows(across, createWholeFrame(index, joined, []))]];
  return [...(await mergeElementsAcross(parts, { axis: other, joined, index, merge, missingIntegers, lossy, signal }))];
}

/** Returns `X` and the layers. */
export async function concatMainMatrices(union: Union): NamedTables {
  const { axis, joined } = union;
  const along = axis === "obs" ? 0 : 1;
  return eachElement(
    union,
    (name) => name === "X" || name.startsWith("layers/"),
    async (name, own) => {
      const matrices = withTables(union, own);
      return concatMatrix(matrices, { ...union, name, along, across: joined.length, form: "any" });
    },
  );
}

/** Returns the elements with a row for each position along the axis: `obsm` or `varm`. */
export async function concatElementsAlong(union: Union): NamedTables {
  const frames = framesOfAxis(union);
  return eachElement(
    union,
    (name) => name.startsWith(`${union.axis}m/`),
    async (name, own) => {
      const parts = withTables(union, own);
      if (areFrames(parts, name)) {
        const below = parts.map(({ table }, i) => ({ ...frames[i], frame: table ?? pickIndexColumn(frames[i].frame) }));
        return concatFrames(below, frameOptions(union, name));
      }
      if (parts.some(({ table }) => table !== null && isRagged(table))) return concatRagged(parts, { ...union, name });
      const widths = parts.flatMap(({ table }) => (table === null ? [] : [columnsOf(table)]));
      const width = union.join === "inner" ? Math.min(...widths) : Math.max(...widths);
      const matrices = parts.map((part) => {
        const across = part.table === null ? 0 : columnsOf(part.table);
        return { ...part, across, places: across === width ? null : firstPlaces(across, width) };
      });
      return concatMatrix(matrices, { ...union, name, along: 0, across: width, form: "any" });
    },
  );
}

/** True if all datasets store the element as a dataframe. @throws {InvalidInputError} if only some of them do. */
function areFrames(parts: readonly PartWithTable[], element: string): boolean {
  const find = (isFrame: boolean) =>
    parts.find(({ table }) => table !== null && (table.metadata?.kind === "dataframe") === isFrame);
  const [frame, matrix] = [find(true), find(false)];
  if (frame !== undefined && matrix !== undefined) {
    const problem = `it is a dataframe here, in ${matrix.source} a matrix, which are not put together`;
    throw new InvalidInputError(problem, { source: frame.source, element });
  }
  return frame !== undefined;
}

/** Returns pairwise matrices (`obsp` or `varp`) as blocks along the diagonal. */
export async function concatPairMatrices(union: Union): NamedTables {
  return eachElement(
    union,
    (name) => name.startsWith(`${union.axis}p/`),
    async (name, own) => {
      let first = 0;
      const parts = withTables(union, own).map((part) => {
        const start = first;
        first += part.length;
        const places = Int32Array.from({ length: part.length }, (_, i) => start + i);
        return { ...part, across: part.length, places };
      });
      return concatMatrix(parts, { ...union, name, along: 0, across: union.length, form: "blocks" });
    },
  );
}

/**
 * Makes the elements that all datasets have (or that any dataset has), in order of first appearance.
 * @param make receives the element's name in the result and its name in the datasets.
 */
async function eachElement(
  { parts, join, prefix }: Union,
  isWanted: (name: string) => boolean,
  make: (name: string, own: string) => Promise<ColumnTable>,
): NamedTables {
  const leaves = ({ tables }: AlignedPart) =>
    [...tables].flatMap(([name, { derived }]) => (derived || !isWanted(name) ? [] : [name]));
  const made: (readonly [string, ColumnTable])[] = [];
  for (const own of new Set(parts.flatMap(leaves))) {
    if (join === "inner" && !parts.every(({ tables }) => tables.has(own))) continue;
    made.push([`${prefix}${own}`, await make(`${prefix}${own}`, own)]);
  }
  return made;
}

type PartWithTable = AlignedPart & { readonly table: ColumnTable | null };

function withTables({ parts }: Union, name: string): readonly PartWithTable[] {
  return parts.map((part) => ({ ...part, table: part.tables.get(name) ?? null }));
}

/** Returns the dataframe without its columns. */
export function pickIndexColumn(frame: ColumnTable): ColumnTable {
  const index = frame.fields.findIndex(({ name }) => name === frame.metadata?.index);
  return index < 0 ? frame : (frame.only?.([index]) ?? frame);
}

function columnsOf(table: ColumnTable): number {
  const width = table.metadata?.shape?.[1];
  if (width !== undefined) return width;
  const type = table.fields[0]?.type;
  return type?.id === "FixedSizeList" ? type.size : 0;
}

/** Keeps the indices of the first `width` of `count` columns, and replaces the others with -1 (dropped). */
function firstPlaces(count: number, width: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => (i < width ? i : -1));
}

// Joins the matrices with the same name: sparse, dense, or both.

interface MatrixOptions {
  readonly name: string;
  /** The dimension along which the matrices are joined. */
  readonly along: 0 | 1;
  /** Length of the other dimension. */
  readonly across: number;
  /** `concatPairMatrices` creates a sparse matrix with blocks along the diagonal. */
  readonly form: "any" | "blocks";
  readonly fillValue: number | null;
  readonly lossy: boolean;
  readonly warn: (text: string) => void;
}

const BOOL: NumericType = { id: "Bool" };
const INT64: NumericType = { id: "Int", bits: 64, signed: true };

/**
 * Concatenates the matrices of all parts. At least one part must have a table.
 * @throws {InvalidInputError} for values that are not numbers, and for integers without a fill value.
 */
async function concatMatrix(parts: readonly MatrixPart[], options: MatrixOptions): Promise<ColumnTable> {
  const tables = parts.flatMap(({ table }) => (table === null ? [] : [table]));
  if (options.form === "blocks" || tables.some(isSparse)) return sparseMatrix(parts, options);
  const dense: MatrixPart[] = [];
  for (const part of parts) {
    const table = part.table === null ? null : await findDenseForm(part.table);
    if (part.table !== null && table === null) return otherElement(parts, options);
    dense.push({ ...part, table });
  }
  const isNumbers = dense.every(({ table }) => table === null || isNumericType(getMatrixEntryType(table)));
  return isNumbers ? denseMatrix(dense, options) : otherElement(dense, options);
}

function sparseMatrix(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, fillValue, form, warn } = options;
  const fill = form === "blocks" ? 0 : (fillValue ?? 0);
  const lacking = parts.filter((part) => lacksPositions(part, across));
  // anndata replaces missing matrices with matrices without columns, which are float64 in scipy.
  const isEmpty = ({ table, across: own }: MatrixPart) => table === null || (own === 0 && across > 0);
  const isFilled = fill === 0 ? parts.some(isEmpty) : lacking.length > 0;
  const filler = form === "blocks" ? BOOL : fill === 0 ? FLOAT64 : typeOfFill(fill);
  const type = getCommonMatrixType(parts, isFilled ? [filler] : [], name);
  report(parts, type, options);
  if (form === "any" && lacking.length > 0) {
    warn(`${name}: filled with ${fill} in ${lacking.length} of ${parts.length} datasets`);
  }
  return concatSparse(parts, { ...options, type, fill });
}

/** Returns the numpy type of a fill value. */
function typeOfFill(fill: number): NumericType {
  return Number.isInteger(fill) ? INT64 : FLOAT64;
}

function denseMatrix(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, along, fillValue, warn } = options;
  const fill = fillValue ?? Number.NaN;
  const fillType = typeOfFill(fill);
  const lacking = parts.filter((part) => lacksPositions(part, across));
  const types = parts.map((part): NumericType => {
    const own = part.table === null ? fillType : getMatrixEntryType(part.table);
    if (!isNumericType(own)) throw new TypeError("numbers expected");
    return lacking.includes(part) ? getCommonNumericType([own, fillType]) : own;
  });
  const type = getCommonNumericType(types);
  report(parts, type, options);
  if (lacking.length > 0) warn(`${name}: filled with ${fill} in ${lacking.length} of ${parts.length} datasets`);
  const inner = innerOf(parts, name);
  // Integers have no NaN. If no position lacks a value, nothing is filled.
  const result = { ...options, type, fill: lacking.length === 0 ? 0 : fill, inner };
  return along === 0 ? concatDense(parts, result) : concatDenseColumns(parts, result);
}

/** @throws {InvalidInputError} if the further dimensions of the matrices differ. */
function innerOf(parts: readonly MatrixPart[], element: string): readonly number[] {
  let first: readonly number[] | null = null;
  for (const { table, source } of parts) {
    if (table === null) continue;
    const inner = getInnerDimensions(table);
    first ??= inner;
    if (inner.join() === first.join()) continue;
    throw new InvalidInputError(`values of the shape ${JSON.stringify(inner)}, others have ${JSON.stringify(first)}`, {
      source,
      element,
    });
  }
  return first ?? [];
}

/**
 * Concatenates elements of other types, which must share one type and have all positions along the other axis.
 * @throws {InvalidInputError} for elements that differ in type or lack positions, because no fill value exists for
 * them.
 */
function otherElement(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, along } = options;
  const structured = along === 0 ? concatStructured(parts, options) : null;
  if (structured !== null) return structured;
  const there = parts.flatMap(({ table, source }) => (table === null ? [] : [{ table, source }]));
  const chain = concatTableRows(name, there);
  const type = chain.fields.map((one) => describeArrowType(one.type)).join(", ");
  if (along === 1) {
    throw new InvalidInputError(`values of the type ${type} are not put beside each other`, {
      source: parts[0].source,
      element: name,
    });
  }
  for (const { table, places, source } of parts) {
    if (table !== null && places === null) continue;
    const lacks = table === null ? "is missing here" : `does not have ${across} columns in their order here`;
    throw new InvalidInputError(`${lacks}, and nothing can fill values of the type ${type}`, { source, element: name });
  }
  return chain;
}

function report(parts: readonly MatrixPart[], type: NumericType, { name, warn }: MatrixOptions): void {
  const from = [
    ...new Set(parts.flatMap(({ table }) => (table === null ? [] : [describeArrowType(getMatrixEntryType(table))]))),
  ];
  const others = from.filter((one) => one !== describeArrowType(type));
  if (others.length > 0) warn(`${name}: becomes ${describeArrowType(type)}, from ${from.join(" and ")}`);
}

// Joins dense matrices side by side: each matrix adds its columns to the rows that all datasets share.

/** Maximum number of values per batch. Each batch reads some rows of every dataset. */
const BATCH_VALUES = 2 ** 22;

/** A matrix, and for each row of the result the index of its row in the matrix; -1 if the matrix has no such row. */
interface Block {
  readonly source: string;
  readonly table: ColumnTable | null;
  readonly columns: number;
  readonly positions: Int32Array;
}

/**
 * Returns a matrix of `across` rows with the columns of all parts, in order. Rows that are missing from a part are
 * filled.
 */
function concatDenseColumns(parts: readonly MatrixPart[], result: DenseResult): ColumnTable {
  const { across, inner } = result;
  const columns = sumPartLengths(parts);
  const blocks = parts.map((part) => ({ ...part, columns: part.length, positions: positionsOf(part, across) }));
  return createDenseTable(result, [across, columns, ...inner], {
    repeatable: areRepeatable(parts),
    batches: (options) => allRows(blocks, columns, result, options),
  });
}

function positionsOf({ places, across: own }: MatrixPart, across: number): Int32Array {
  const positions = new Int32Array(across).fill(-1);
  for (let row = 0; row < own; row++) {
    const place = places === null ? row : places[row];
    if (place >= 0) positions[place] = row;
  }
  return positions;
}

async function* allRows(
  blocks: readonly Block[],
  columns: number,
  result: DenseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, inner, type } = result;
  const size = countElements(inner);
  const most = Math.max(1, Math.floor(BATCH_VALUES / Math.max(1, columns * size)));
  const readers = blocks.map((block) => rowsReader(block, result, options));
  for (let at = 0; at === 0 || at < across; at += most) {
    const length = Math.min(most, across - at);
    const to = createFilledNumbers(length * columns * size, result);
    let first = 0;
    for (const [i, block] of blocks.entries()) {
      options?.signal?.throwIfAborted();
      const width = block.columns * size;
      const rows = Array.from({ length }, (_, row) => row).filter((row) => block.positions[at + row] >= 0);
      let done = 0;
      for await (const values of readers[i](Int32Array.from(rows, (row) => block.positions[at + row]))) {
        const from = getFlatNumbers(values);
        for (let start = 0; start < values.length; start += width) {
          copyRange(from, start, to, (rows[done++] * columns + first) * size, width);
        }
      }
      first += block.columns;
    }
    yield { length, columns: [createFixedSizeLists(createNumbersColumn(to, type), [columns, ...inner], length)] };
  }
}

/** Reads rows of a matrix as the result's type: from its storage or, for a stream, from memory. */
function rowsReader(
  { table, source, columns }: Block,
  { name, type, lossy }: DenseResult,
  options: ColumnBatchOptions | undefined,
): (positions: Int32Array) => AsyncGenerator<PrimitiveColumn> {
  let held: ColumnTable | null = null;
  return async function* (positions) {
    if (table === null || columns === 0 || positions.length === 0) return;
    const dense = held ?? (await findDenseForm(table));
    if (dense === null) throw new InvalidInputError("no dense matrix", { source, element: name });
    const picked = (await dense.rowsAt?.(positions)) ?? null;
    if (picked !== null) {
      for await (const batch of picked.batches(options))
        yield castNumbers(flattenLists(batch.columns[0]).flat, type, { lossy, element: name });
      return;
    }
    held ??= createTableFromRows(name, await readWholeTable(dense, options?.signal));
    for await (const batch of held.batches(options)) {
      yield castNumbers(flattenLists(takeColumn(batch.columns[0], positions)).flat, type, { lossy, element: name });
    }
  };
}
