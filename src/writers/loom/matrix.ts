/** Writes `/matrix` and the arrays in `/layers` as dense arrays, genes x cells, in loompy's chunks. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import type { ArrayWriter, GroupWriter, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { LongWork } from "../../io/sources/event-loop.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import {
  InvalidInputError,
  NothingToWriteError,
  runWithLocation,
  UnsupportedElementError,
  UnsupportedError,
} from "../../model/errors.js";
import { getDecodedSize, type NumberArray, type StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { ListCounts, type MatrixLayout } from "../../tables/sparse/list-counts.js";
import { createSparseEntries, type SparseEntries } from "../../tables/sparse/sparse-entries.js";
import { reportLoss } from "../context.js";
import type { LoomWriterContext } from "./context.js";
import { DenseBuffer, type DenseBufferLayout } from "./dense-buffer.js";
import { createStampAttributes } from "./groups.js";
import { computeMatrixChunks, countUnstorableMissing, flattenFixedLists, UINT8 } from "./stored-types.js";

/**
 * Writes a matrix from complete rows, or from entries in any order.
 * @returns the number of rows in the table.
 * @throws {InvalidInputError} for missing values, entries outside the shape, and a different number of rows.
 * @throws {UnsupportedError} for values that are not numbers.
 */
export async function writeMatrix(
  place: MatrixPlace,
  given: ColumnTable,
  shape: LoomShape,
  cx: LoomWriterContext,
): Promise<number> {
  const table = await readableForm(given);
  const matrix = new MatrixWriter({ ...place, ...createStampAttributes(given.metadata, cx.version) }, table, shape, cx);
  return await (isDense(table) ? matrix.rows() : matrix.entries());
}

interface MatrixPlace {
  readonly group: GroupWriter;
  readonly name: string;
  readonly attributes?: WrittenAttributes;
}

class MatrixWriter {
  readonly #place: MatrixPlace;
  readonly #table: ColumnTable;
  readonly #shape: LoomShape;
  readonly #cx: LoomWriterContext;

  constructor(place: MatrixPlace, table: ColumnTable, shape: LoomShape, cx: LoomWriterContext) {
    this.#place = place;
    this.#table = table;
    this.#shape = shape;
    this.#cx = cx;
  }

  /** Writes dense rows. @returns the number of rows. */
  async rows(): Promise<number> {
    const table = this.#table;
    const [height] = this.#shape;
    const [{ type }] = table.fields;
    if (type.id !== "FixedSizeList") throw new TypeError("lists of fixed size expected");
    const numbers = this.#numbers(type.item);
    const array = await this.#open(numbers.type, 0);
    let rows = 0;
    for await (const { columns, length } of readTableBatches(table, this.#cx, true)) {
      rows += length;
      if (rows > height) throw wrongRows(table, rows, height);
      if (length === 0) continue;
      await runWithLocation({ element: table.name }, () =>
        array.write({ kind: "fixed", values: numbers.of(flattenFixedLists(columns[0])) }, length),
      );
    }
    if (rows < height) throw wrongRows(table, rows, height);
    await runWithLocation({ element: table.name }, () => array.close());
    return rows;
  }

  /**
   * Scatters entries into bands that are as wide as a chunk, by rows or by columns, in the entries' order. Unordered
   * entries are sorted first. Entries at the same position are added up, with a warning.
   * @returns the number of entries.
   */
  async entries(): Promise<number> {
    const table = this.#table;
    const { source, order, values } = await this.#inBandOrder();
    const form: MatrixLayout = { shape: this.#shape, order, axes: [null, null] };
    await loadIndexKernels(table.rows ?? Number.POSITIVE_INFINITY);
    const array = await this.#open(values.type, order === "row" ? 0 : 1);
    const own = bandForm(order, this.#shape, values);
    // Bands without entries have no chunks, so no file access interrupts the loop that passes them.
    const work = new LongWork(this.#cx.signal);
    const band = new DenseBuffer(own, table.name, this.#cx.warn, async (block, positions) => {
      await array.write({ kind: "fixed", values: block }, positions);
      await work.pause();
    });
    const counts = new ListCounts(form, table.name);
    for await (const entries of source.batches(form)) {
      await runWithLocation({ element: table.name }, async () => {
        if (entries.kind === "lists") counts.lists(entries.offsets, entries.minor);
        else counts.coordinates(entries.major, entries.minor);
        await band.add(entries, values.of(entries.values));
      });
    }
    await runWithLocation({ element: table.name }, async () => {
      await band.close();
      await array.close();
    });
    return counts.entries;
  }

  async #inBandOrder(): Promise<{
    readonly source: SparseEntries;
    readonly order: Order;
    readonly values: MatrixNumbers;
  }> {
    const own = orderOf(this.#table);
    const source = await createSparseEntries(this.#table, own !== null, this.#cx);
    const values = this.#numbers(source.value);
    const order = cheaperOrder(own ?? "column", this.#shape, values);
    if (order === own || own === null) return { source, order, values };
    // Entry lists have only one order, so they are read as coordinates, which can be sorted.
    return { source: await createSparseEntries(this.#table, false, this.#cx), order, values };
  }

  #numbers(value: ArrowField): MatrixNumbers {
    return new MatrixNumbers(value, this.#table.name, this.#cx);
  }

  /** Creates the array, which is written along one of its dimensions. Its chunks allow more cells to be added later. */
  #open(type: StoredType, along: 0 | 1): Promise<ArrayWriter> {
    const { group, name, ...stamp } = this.#place;
    const shape = this.#shape;
    return runWithLocation({ element: this.#table.name }, () =>
      group.array(name, {
        ...{ type, shape, along, chunks: computeMatrixChunks(shape), extendable: [1], sparse: true },
        ...stamp,
      }),
    );
  }
}

function wrongRows({ name }: ColumnTable, rows: number, height: number): InvalidInputError {
  return new InvalidInputError(`${rows} rows, the matrix has ${height}`, { element: name });
}

/**
 * Converts a table that has a separate column for each matrix column, which cannot be written, to dense rows if it has
 * that layout.
 */
async function readableForm(table: ColumnTable): Promise<ColumnTable> {
  if (table.metadata?.layout === "columns" && table.layouts.includes("dense")) return await table.layout("dense");
  return table;
}

function isDense({ fields }: ColumnTable): boolean {
  return fields.length === 1 && fields[0].type.id === "FixedSizeList";
}

/** Maximum bytes of a band in the table's own order. If this is exceeded, the order with the smaller bands is used. */
const MAX_BAND_BYTES = 2 ** 27;

type Order = "row" | "column";

function cheaperOrder(own: Order, shape: LoomShape, values: MatrixNumbers): Order {
  const bytes = (order: Order) => {
    const { width, minors } = bandForm(order, shape, values);
    return width * minors * (getDecodedSize(values.type) ?? 8);
  };
  const other = own === "row" ? "column" : "row";
  return bytes(own) > MAX_BAND_BYTES && bytes(other) < bytes(own) ? other : own;
}

function bandForm(order: Order, shape: LoomShape, { type }: MatrixNumbers): DenseBufferLayout {
  const [rows, cols] = shape;
  const [height, width] = computeMatrixChunks(shape);
  return order === "row"
    ? { order, majors: rows, minors: cols, width: height, type }
    : { order, majors: cols, minors: rows, width, type };
}

/** Returns the order that the table declares. */
function orderOf({ metadata }: ColumnTable): Order | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix" && metadata.order === undefined) return "row";
  if (metadata?.kind === "csc_matrix" && metadata.order === undefined) return "column";
  // The nonzero values of a dense matrix are in row order.
  return metadata?.kind === "array" && metadata.layout === "coordinate" ? "row" : null;
}

class MatrixNumbers {
  /** The written type: integers and floats keep any width, and booleans become uint8. */
  readonly type: StoredType;
  readonly #taken: StoredType;
  readonly #element: string;
  readonly #cx: LoomWriterContext;
  #filled = false;

  /** @throws {UnsupportedError} for values that are not numbers. */
  constructor({ name, type }: ArrowField, element: string, cx: LoomWriterContext) {
    if (type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") {
      throw new UnsupportedError(`a matrix of ${describeArrowType(type)}; Loom's hold numbers`, { element });
    }
    this.#taken = toWrittenForm({ name, type, nullable: false }).type;
    this.type = type.id === "Bool" ? UINT8 : this.#taken;
    this.#element = element;
    this.#cx = cx;
    if (type.id === "Bool") cx.notes.add("booleans", element);
  }

  /**
   * Returns a column's numbers.
   * @throws {InvalidInputError} for a missing value. If losses are allowed, a missing float becomes NaN.
   */
  of(column: Column): NumberArray {
    const missing = countUnstorableMissing(this.#taken, column);
    if (missing > 0) this.#fill(missing, column.length);
    const stored = toStoredValues({ type: this.#taken, shape: [] }, column, missing > 0 ? "fill" : "error");
    if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    return stored.values;
  }

  #fill(missing: number, length: number): void {
    if (this.#filled) return;
    const problem = `${missing} of ${length} values are missing, for which a matrix of Loom has no form`;
    if (this.#taken.kind !== "float")
      throw new UnsupportedElementError(`${problem}: fill them in`, { element: this.#element });
    reportLoss(this.#cx, this.#element, { problem, instead: "they are written as NaN", remedy: "fill them in" });
    this.#filled = true;
  }
}

export type LoomShape = readonly [rows: number, cols: number];

/**
 * Returns the shape of the matrix.
 * @param known the shape given by the caller, if any.
 * @throws {InvalidInputError} if there is no matrix, if its shape is unknown, or if two tables have different shapes.
 */
export function computeLoomShape(
  tables: ReadonlyMap<string, ColumnTable>,
  known: readonly [number, number] | null,
): LoomShape {
  const matrix = tables.get("matrix");
  if (matrix === undefined) {
    const layers = [...tables.keys()].filter((name) => name.startsWith("layers/"));
    const remedy = layers.length === 0 ? "give one" : `choose one, as ${layers[0]}`;
    throw new NothingToWriteError(`a Loom file has one: ${remedy}`, { element: "matrix" });
  }
  const own = shapeOf(matrix);
  const size = (axis: 0 | 1): number => {
    const attributes = tables.get(axis === 0 ? "row_attrs" : "col_attrs");
    const found = own[axis] ?? known?.[axis] ?? attributes?.rows ?? null;
    if (found !== null) return found;
    throw new InvalidInputError(`nothing says how many ${axis === 0 ? "rows" : "columns"} it has: give the shape`, {
      element: "matrix",
    });
  };
  const shape: LoomShape = [size(0), size(1)];
  for (const [name, table] of tables) {
    if (name === "matrix" || name.startsWith("layers/")) checkShape(table, shape);
  }
  return shape;
}

/**
 * Checks a table's shape.
 * @throws {InvalidInputError} if the shape differs from the matrix's.
 */
function checkShape(table: ColumnTable, shape: LoomShape): void {
  const own = shapeOf(table);
  if ([0, 1].every((axis) => own[axis] === null || own[axis] === shape[axis])) return;
  throw new InvalidInputError(`shape ${JSON.stringify(own)}, the matrix has ${JSON.stringify(shape)}`, {
    element: table.name,
  });
}

/** Returns the shape that a table specifies; null for an unknown axis length. */
function shapeOf({ fields, metadata, rows }: ColumnTable): readonly [number | null, number | null] {
  const [first, ...others] = fields;
  if (others.length === 0 && first?.type.id === "FixedSizeList") return [rows, first.type.size];
  const shape = metadata?.shape;
  return shape?.length === 2 ? [shape[0], shape[1]] : [null, null];
}
