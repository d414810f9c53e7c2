/** Writes a BPCells matrix, version 2. */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { Bp128Page } from "../../kernels/bp128/page.js";
import { createBp128Pages } from "../../kernels/bp128/pages.js";
import { toIntegerArray } from "../../kernels/sparse/convert-indices.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { findLastPointerAtMost } from "../../kernels/sparse/indptr.js";
import { InvalidInputError, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { IntArray, NumberArray } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { toNonZeroTable } from "../../tables/reshaped-tables.js";
import { ListCounts, type MatrixLayout } from "../../tables/sparse/list-counts.js";
import { createSparseEntries, type EntryBatch, type SparseEntries } from "../../tables/sparse/sparse-entries.js";
import { createTextAttribute, TEXT } from "../attributes.js";
import type { ColumnSink } from "../column-sink.js";
import { type BpcellsWriterContext, getArrayPath, openNumbers, UINT32, UINT64 } from "./context.js";
import { EntrySorter, type SortedEntries } from "./entry-sorter.js";
import { checkCount, writeAxisNames } from "./names.js";
import { PackedSink } from "./packed-sink.js";
import { MatrixValues, openValues, pickValueType } from "./values.js";

export interface MatrixTables {
  readonly matrix: ColumnTable;
  readonly rowNames: ColumnTable | null;
  readonly colNames: ColumnTable | null;
}

export interface WrittenMatrix {
  readonly entries: number;
  readonly shape: readonly [number, number];
}

/**
 * Writes a matrix into `group`. Entries are sorted within each row (or column); repeated entries and zeros are
 * preserved.
 * @throws {InvalidInputError} for tables whose sizes do not match, entries outside the shape, and values that the type
 * cannot represent.
 */
export async function writeMatrix(
  group: GroupWriter,
  tables: MatrixTables,
  cx: BpcellsWriterContext,
): Promise<WrittenMatrix> {
  const { matrix, rowNames, colNames } = tables;
  const { shape, order, value, batches } = await createMatrixSource(matrix, [rowNames, colNames], cx);
  if (rowNames !== null) checkCount(rowNames, shape[0]);
  if (colNames !== null) checkCount(colNames, shape[1]);
  const type = pickValueType(value, cx.type, matrix.name);
  const values = new MatrixValues(value, type, matrix.name, cx);
  const form: MatrixLayout = { shape, order, axes: [null, null] };
  const version = `${cx.packed ? "packed" : "unpacked"}-${type}-matrix-v2`;
  const place = await cx.groups.begin(group, version);
  const out = await EntryArrays.open(place, form, values, cx);
  for await (const batch of batches(form)) {
    await loadIndexKernels(batch.minor.length);
    await runWithLocation({ element: matrix.name }, () => out.add(batch));
  }
  const entries = await out.close();
  const axes: MatrixAxes = { version, shape, order, rowNames, colNames };
  await writeAxes(place, axes, cx);
  return { entries, shape };
}

class EntryArrays {
  readonly #group: GroupWriter;
  readonly #values: MatrixValues;
  readonly #index: IndexSink;
  readonly #val: ColumnSink<void, NumberArray>;
  readonly #counts: ListCounts;
  readonly #slices: EntrySorter;

  private constructor(
    group: GroupWriter,
    form: MatrixLayout,
    values: MatrixValues,
    sinks: { readonly index: IndexSink; readonly val: ColumnSink<void, NumberArray> },
  ) {
    this.#group = group;
    this.#values = values;
    this.#index = sinks.index;
    this.#val = sinks.val;
    this.#counts = new ListCounts(form, values.element);
    this.#slices = new EntrySorter(form.order === "row" ? "row" : "col", values.element);
  }

  static async open(
    group: GroupWriter,
    form: MatrixLayout,
    values: MatrixValues,
    { packed }: BpcellsWriterContext,
  ): Promise<EntryArrays> {
    const pages = packed ? await createBp128Pages(2) : [];
    const index = await openIndex(group, pages[0] ?? null);
    const val = await openValues(group, values, pages[1] ?? null);
    return new EntryArrays(group, form, values, { index, val });
  }

  async add(entries: EntryBatch): Promise<void> {
    const { minor } = entries;
    const numbers = this.#values.numbers(entries.values);
    if (entries.kind === "lists") return this.#lists(entries.offsets, minor, numbers);
    this.#counts.coordinates(entries.major, minor);
    for (const part of this.#slices.coordinates(entries.major, minor, numbers)) await this.#write(part);
  }

  /** Writes lists in portions that fit into the packed index's page. */
  async #lists(offsets: Int32Array, minor: IntArray, numbers: NumberArray): Promise<void> {
    const [base] = offsets;
    for (let first = 0; first + 1 < offsets.length; ) {
      const last = Math.max(first + 1, findLastPointerAtMost(offsets, offsets[first] + this.#room));
      const [from, to] = [offsets[first] - base, offsets[last] - base];
      await this.#fitting(offsets.subarray(first, last + 1), minor.subarray(from, to), numbers.subarray(from, to));
      first = last;
    }
  }

  get #room(): number {
    return this.#index instanceof PackedSink ? this.#index.room().length : Number.POSITIVE_INFINITY;
  }

  /**
   * Writes lists. Lists that fit into the page are copied into it and checked there. A longer list is checked in place.
   */
  async #fitting(offsets: Int32Array, minor: IntArray, numbers: NumberArray): Promise<void> {
    const index = this.#index;
    if (!(index instanceof PackedSink) || !has32Bits(minor) || minor.length > this.#room) {
      const inOrder = this.#counts.listsInOrder(offsets, minor);
      await this.#write(this.#slices.lists(offsets, minor, numbers, inOrder));
    } else if (this.#counts.listsInOrder(offsets, minor, (limit) => index.put(minor, limit))) {
      await index.filled(minor.length);
      await this.#val.write(numbers);
    } else {
      await this.#write(this.#slices.lists(offsets, minor, numbers));
    }
  }

  /** Completes the arrays. @returns the number of entries. */
  async close(): Promise<number> {
    for (const part of this.#slices.finish()) await this.#write(part);
    await this.#index.close();
    await this.#val.close();
    await runWithLocation({ element: getArrayPath(this.#group, "idxptr") }, async () => {
      const array = await this.#group.array("idxptr", { type: UINT64, shape: [null] });
      for (const pointers of this.#counts.pointers()) {
        const values = toIntegerArray(pointers, UINT64);
        await array.write({ kind: "fixed", values }, values.length);
      }
      await array.close();
    });
    return this.#counts.entries;
  }

  async #write({ positions, values }: SortedEntries): Promise<void> {
    await this.#index.write(positions);
    await this.#val.write(values);
  }
}

type IndexSink = ColumnSink<void, Uint32Array>;

function has32Bits(minor: IntArray): minor is Int32Array | Uint32Array {
  return minor instanceof Int32Array || minor instanceof Uint32Array;
}

function openIndex(group: GroupWriter, page: Bp128Page | null): Promise<IndexSink> {
  return page === null ? openNumbers(group, "index", UINT32) : PackedSink.open(group, "index", "d1z", page);
}

export interface MatrixAxes {
  readonly version: string;
  readonly shape: readonly [rows: number, columns: number];
  readonly order: "row" | "column";
  readonly rowNames: ColumnTable | null;
  readonly colNames: ColumnTable | null;
}

/** Writes the axes as arrays: `shape`, `storage_order`, `row_names` and `col_names`. */
async function writeAxes(group: GroupWriter, axes: MatrixAxes, cx: BpcellsWriterContext): Promise<void> {
  const { version, shape, order, rowNames, colNames } = axes;
  group.attribute("version", createTextAttribute(version));
  await runWithLocation({ element: getArrayPath(group, "shape") }, async () => {
    const array = await group.array("shape", { type: UINT32, shape: [2] });
    await array.write({ kind: "fixed", values: Uint32Array.from(shape) }, 2);
    await array.close();
  });
  await runWithLocation({ element: getArrayPath(group, "storage_order") }, async () => {
    const array = await group.array("storage_order", { type: TEXT, shape: [1], compressed: false });
    await array.write(encodeStoredTexts([order === "row" ? "row" : "col"]), 1);
    await array.close();
  });
  await writeAxisNames(group, "row_names", rowNames, shape[0], cx);
  await writeAxisNames(group, "col_names", colNames, shape[1], cx);
}

// Finds the shape, order and entries of the matrix in a table.

interface MatrixSource {
  readonly shape: readonly [number, number];
  readonly order: "row" | "column";
  readonly value: ArrowField;
  readonly batches: SparseEntries["batches"];
}

const LARGEST_SIZE = 2 ** 32 - 1;

/**
 * Opens a table's matrix.
 * @param names the tables of names, whose lengths give the shape if it is otherwise unknown.
 * @throws {InvalidInputError} if the shape is unknown, or if the table is not a matrix.
 */
async function createMatrixSource(
  table: ColumnTable,
  names: readonly [row: ColumnTable | null, col: ColumnTable | null],
  cx: BpcellsWriterContext,
): Promise<MatrixSource> {
  const matrix = await coordinatesOrLists(table);
  const shape = shapeOf(matrix, names, cx);
  const own = orderOf(matrix);
  const order = cx.order ?? own ?? "column";
  const { value, batches } = await createSparseEntries(matrix, own === order, cx);
  return { shape, order, value, batches };
}

/** Converts a dense matrix to the coordinates of its nonzero values. Other matrices remain unchanged. */
async function coordinatesOrLists(table: ColumnTable): Promise<ColumnTable> {
  const [first] = table.fields;
  const isDense = table.fields.length === 1 && first.type.id === "FixedSizeList";
  if (!isDense && table.metadata?.layout !== "columns") return table;
  if (table.layouts.includes("coordinate")) return inRowOrder(await table.layout("coordinate"));
  if (isDense) return toNonZeroTable(table);
  throw new UnsupportedElementError(
    "one column per column of a matrix; give it as lists of fixed size, or as coordinates",
    {
      element: table.name,
    },
  );
}

/** Marks the nonzero values of a dense matrix as ordered by rows, because the metadata may not specify this. */
function inRowOrder(table: ColumnTable): ColumnTable {
  const { metadata } = table;
  if (metadata === null || metadata.kind !== "array" || metadata.order !== undefined) return table;
  return { ...table, batches: (options) => table.batches(options), metadata: { ...metadata, order: "row" } };
}

function orderOf({ metadata }: ColumnTable): "row" | "column" | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix") return "row";
  return metadata?.kind === "csc_matrix" ? "column" : null;
}

function shapeOf(
  table: ColumnTable,
  names: readonly [ColumnTable | null, ColumnTable | null],
  cx: BpcellsWriterContext,
): readonly [number, number] {
  const known = table.metadata?.shape;
  const of = (axis: 0 | 1) => {
    const size = (known?.length === 2 ? known[axis] : undefined) ?? cx.shape?.[axis] ?? names[axis]?.rows ?? null;
    const what = axis === 0 ? "rows" : "columns";
    if (size === null) {
      throw new InvalidInputError(`nothing says how many ${what} it has: give the shape, or names of the ${what}`, {
        element: table.name,
      });
    }
    if (Number.isInteger(size) && size >= 0 && size <= LARGEST_SIZE) return size;
    throw new UnsupportedElementError(`${size} ${what}; BPCells has up to ${LARGEST_SIZE}`, { element: table.name });
  };
  return [of(0), of(1)];
}
