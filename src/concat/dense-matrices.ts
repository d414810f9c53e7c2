/** Concatenates the rows of dense matrices, and moves their columns to new positions. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { createFixedSizeLists, getListItems } from "../arrow/dense.js";
import { type ArrowType, createField, describeArrowType, nestType } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import { countElements, type NumberArray } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable } from "../tables/column-table.js";
import { createListingMembers } from "../tables/reshaped-tables.js";
import { joinTableChunks } from "../tables/table-chunks.js";
import { castNumbers, createFilledNumbers, createNumbersColumn, type Fill, getFlatNumbers } from "./cast-numbers.js";
import { describeChunkReuse, joinDenseRows } from "./joined-storage.js";
import { areRepeatable, findDenseForm, type MatrixPart, sumPartLengths } from "./matrix-part.js";

/** The matrix to create; `fill` is the value for positions that are missing from a matrix. */
export interface DenseResult extends Fill {
  readonly name: string;
  /** Number of columns. */
  readonly across: number;
  /** Dimensions of each value beyond the rows and columns. */
  readonly inner: readonly number[];
  readonly lossy: boolean;
}

/** Maximum number of values per batch of filler rows, which stand for a missing matrix. */
const FILLED_VALUES = 2 ** 20;

/** Returns a matrix with `across` columns and the rows of all parts, in order. */
export function concatDense(parts: readonly MatrixPart[], result: DenseResult): ColumnTable {
  const { across, inner } = result;
  const rows = sumPartLengths(parts);
  const blocks = joinTableChunks(
    parts.map((part) => ({ rows: part.length, batches: (options) => rowsOf(part, result, options) })),
  );
  return createDenseTable(result, [rows, across, ...inner], {
    repeatable: areRepeatable(parts),
    ...blocks,
    ...describeChunkReuse(parts, joinDenseRows(parts, result), blocks.batches),
  });
}

/** Creates a matrix of this shape, whose rows are lists of values. */
export function createDenseTable(
  { name, type }: Pick<DenseResult, "name" | "type">,
  [rows, ...dimensions]: readonly [rows: number, ...dimensions: number[]],
  own: Pick<ColumnTable, "repeatable" | "batches"> & Partial<ColumnTable>,
): ColumnTable {
  const table: ColumnTable = {
    ...createListingMembers(name, rows),
    metadata: { kind: "array", shape: [rows, ...dimensions] },
    fields: [createField("value", nestType(type, dimensions), false)],
    layouts: ["dense"],
    async layout(layout) {
      if (layout === "dense") return table;
      throw new InvalidInputError(`no layout ${layout} of dense matrices that are put together`, { element: name });
    },
    ...own,
  };
  return table;
}

async function* rowsOf(
  { table, places, length: all, source }: MatrixPart,
  result: DenseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, inner, type, name, lossy } = result;
  if (table === null) {
    yield* filledRows(all, result);
    return;
  }
  const dense = await findDenseForm(table);
  if (dense === null) throw new InvalidInputError("no dense matrix", { source, element: name });
  for await (const { length, columns } of dense.batches(options)) {
    const { flat, width } = flattenLists(columns[0]);
    const cast = castNumbers(flat, type, { lossy, element: name });
    const isSame = places === null && width === across;
    const values = isSame ? cast : placed(cast, { rows: length, width, places }, result);
    yield { length, columns: [createFixedSizeLists(values, [across, ...inner], length)] };
  }
}

/** Returns the values of all lists, and the number of lists per row. */
export function flattenLists(lists: Column): { readonly flat: Column; readonly width: number } {
  if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
  let flat = getListItems(lists);
  while (flat.layout === "fixed-size-list") flat = getListItems(flat);
  return { flat, width: lists.type.size };
}

interface Block {
  readonly rows: number;
  readonly width: number;
  readonly places: Int32Array | null;
}

function placed(flat: Column, { rows, width, places }: Block, result: DenseResult): Column {
  const { across, inner, type } = result;
  const size = countElements(inner);
  const from = getFlatNumbers(flat);
  const to = createFilledNumbers(rows * across * size, result);
  for (let row = 0; row < rows; row++) {
    const [source, target] = [row * width * size, row * across * size];
    if (places === null) {
      copyRange(from, source, to, target, Math.min(width, across) * size);
      continue;
    }
    for (let column = 0; column < width; column++) {
      const place = places[column];
      if (place < 0) continue;
      for (let k = 0; k < size; k++) to[target + place * size + k] = from[source + column * size + k];
    }
  }
  return createNumbersColumn(to, type);
}

export function copyRange(from: NumberArray, source: number, to: NumberArray, target: number, count: number): void {
  for (let k = 0; k < count; k++) to[target + k] = from[source + k];
}

function* filledRows(rows: number, result: DenseResult): Generator<ColumnBatch> {
  const { across, inner, type } = result;
  const width = across * countElements(inner);
  const most = Math.max(1, Math.floor(FILLED_VALUES / Math.max(1, width)));
  for (let at = 0; at === 0 || at < rows; at += most) {
    const length = Math.min(most, rows - at);
    const values = createNumbersColumn(createFilledNumbers(length * width, result), type);
    yield { length, columns: [createFixedSizeLists(values, [across, ...inner], length)] };
  }
}

/** Returns the dimensions of a dense matrix beyond its rows and columns. */
export function getInnerDimensions({ fields: [{ type }] }: ColumnTable): readonly number[] {
  const dimensions: number[] = [];
  let item: ArrowType = type.id === "FixedSizeList" ? type.item.type : type;
  while (item.id === "FixedSizeList") {
    dimensions.push(item.size);
    item = item.item.type;
  }
  return dimensions;
}

/**
 * Chains the rows of tables with equal columns.
 * @throws {InvalidInputError} if the columns differ; the message names both types.
 */
export function concatTableRows(
  name: string,
  parts: readonly { readonly table: ColumnTable; readonly source: string }[],
): ColumnTable {
  const [{ table: first, source: firstSource }] = parts;
  for (const { table, source } of parts) {
    const [mine, theirs] = [first, table].map(({ fields }) =>
      fields.map((one) => describeArrowType(one.type)).join(", "),
    );
    if (mine === theirs) continue;
    throw new InvalidInputError(`it is ${theirs}, in ${firstSource} ${mine}, which are not put together`, {
      source,
      element: name,
    });
  }
  const rows = parts.reduce<number | null>(
    (sum, { table }) => (sum === null || table.rows === null ? null : sum + table.rows),
    0,
  );
  const { metadata } = first;
  const shape = metadata?.shape;
  return {
    ...createListingMembers(name, rows),
    fields: first.fields,
    metadata:
      metadata === null || shape === undefined || rows === null
        ? metadata
        : { ...metadata, shape: [rows, ...shape.slice(1)] },
    repeatable: parts.every(({ table }) => table.repeatable),
    ...joinTableChunks(parts.map(({ table }) => ({ rows: table.rows, batches: (options) => table.batches(options) }))),
  };
}
