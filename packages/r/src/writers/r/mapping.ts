/** Mappings (`uns`) as lists. */

import { InvalidInputError } from "annarrow";
import { createTextColumn, decodeTextValues } from "annarrow/core/arrow";
import type { ColumnTable } from "annarrow/core/tables";
import { readTableBatches } from "annarrow/core/tables";
import { writeFirstColumn } from "annarrow/core/writers";
import type { RList, RValue } from "../../containers/rds/model/value.js";
import { createVectorSink } from "./column.js";
import { createIntegerVector, createNamedList, type RWriterContext, type WrittenValue, withOrigin } from "./context.js";
import { nameTableInErrors, type Written } from "./dataset.js";
import { createRDenseMatrix } from "./dense.js";
import { createDataFrame, readFrame } from "./frame.js";
import { createRSparseMatrix, isSparse } from "./matrix.js";
import { encodeStringItems } from "./text.js";

const NULL: RValue = { kind: "null" };

interface Level {
  readonly children: Map<string, Level | RValue>;
}

/** Name of the mapping that contains elements without axes. */
const MAPPING = "uns";

/**
 * Returns the tables below `uns` as a list, nested by name.
 * @param listings the tables that list the mapping's nodes. Empty mappings occur only in them.
 */
export async function createMappingList(
  below: readonly (readonly [key: string, table: ColumnTable])[],
  listings: readonly ColumnTable[],
  cx: RWriterContext,
  written: Written[],
): Promise<RList> {
  const root: Level = { children: new Map() };
  const paths = new Set(below.map(([key]) => key));
  // A listing contains all elements in their order.
  for (const listing of listings) {
    for (const [path, isMapping] of await listed(listing, cx)) {
      if (paths.has(path)) place(root, path, NULL);
      else if (isMapping) place(root, path, null);
    }
  }
  for (const [key, table] of below) {
    cx.signal?.throwIfAborted();
    const { value, rows } = await nameTableInErrors(table.name, () => createWrittenValue(table, cx));
    place(root, key, value);
    written.push({ name: table.name, rows });
  }
  return nestedList(root);
}

function place(root: Level, path: string, value: RValue | null): void {
  let level = root;
  const keys = path.split("/");
  const last = keys.pop() ?? "";
  for (const key of value === null ? [...keys, last] : keys) {
    const next = level.children.get(key) ?? { children: new Map() };
    if (!("children" in next)) throw new InvalidInputError("a table cannot have others below it", { element: path });
    level.children.set(key, next);
    level = next;
  }
  if (value !== null) level.children.set(last, value);
}

function nestedList({ children }: Level): RList {
  const values = [...children].map(([key, child]) => [key, "children" in child ? nestedList(child) : child] as const);
  return createNamedList(new Map(values));
}

/** Returns the paths of all nodes relative to `uns`, and whether each node is a mapping. */
async function listed(listing: ColumnTable, cx: RWriterContext): Promise<readonly (readonly [string, boolean])[]> {
  const [path, kind] = ["path", "kind"].map((name) => listing.fields.findIndex((field) => field.name === name));
  if (path < 0 || kind < 0) return [];
  const found: (readonly [string, boolean])[] = [];
  for await (const { columns } of readTableBatches(listing, cx)) {
    const [names, kinds] = [columns[path], columns[kind]];
    if (names.layout !== "variable" || kinds.layout !== "variable") return [];
    const all = decodeTextValues(kinds);
    for (const [i, name] of decodeTextValues(names).entries()) {
      const own = name === null ? -1 : name.indexOf(`${MAPPING}/`);
      // Table names may begin with the modality's path.
      if (name !== null && own >= 0) found.push([name.slice(own + MAPPING.length + 1), all[i] === "dict"]);
    }
  }
  return found;
}

/** Writes a table as an R value: a vector, a matrix, a data frame, or NULL. */
export async function createWrittenValue(
  table: ColumnTable,
  cx: RWriterContext,
): Promise<{ readonly value: RValue; readonly rows: number }> {
  const { fields, metadata } = table;
  const shape = metadata?.shape;
  if (metadata?.kind === "null" || (fields.length === 1 && fields[0].type.id === "Null" && table.rows === 1)) {
    return { value: { kind: "null" }, rows: 1 };
  }
  if (isSparse(table) && shape?.length === 2) {
    const axes = { sizes: [shape[0], shape[1]], names: [null, null], tables: [null, null] } as const;
    return createRSparseMatrix(table, axes, "column", cx);
  }
  if (fields.length !== 1 || metadata?.kind === "dataframe") {
    const frame = await readFrame(table, undefined, cx);
    const value = createDataFrame(frame);
    return { value: metadata?.kind === "rec-array" ? withOrigin(value, "rec-array") : value, rows: frame.rows };
  }
  const width = findTextMatrixWidth(table);
  if (width !== null) return createTextMatrix(table, width, cx);
  if (fields[0].type.id === "FixedSizeList" && table.rows !== null) {
    return createRDenseMatrix(table, { sizes: [table.rows, null], dimnames: null, isTransposed: false }, cx);
  }
  const sink = createVectorSink(cx, { ...fields[0], metadata: { ...metadata, ...fields[0].metadata } });
  const { rows, result } = await writeFirstColumn(sink, table, cx);
  return { value: result, rows };
}

// Text matrices become R's character vectors with dimensions.

/** Returns the number of columns of a text matrix; null for other tables. */
function findTextMatrixWidth({ fields }: ColumnTable): number | null {
  const [field, ...others] = fields;
  if (others.length > 0 || field?.type.id !== "FixedSizeList") return null;
  return field.type.item.type.id === "Utf8" ? field.type.size : null;
}

/**
 * Returns the matrix of a table of text lists. R stores this matrix by columns.
 * @param width the length of the lists.
 * @throws {RefusedError} for text with a NUL.
 */
async function createTextMatrix(table: ColumnTable, width: number, cx: RWriterContext): Promise<WrittenValue> {
  const sections = Array.from({ length: width }, () => cx.document.section(1));
  let rows = 0;
  for await (const { columns, length } of readTableBatches(table, cx)) {
    const [lists] = columns;
    if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
    if (lists.child.layout !== "variable") throw new TypeError("text expected");
    const texts = decodeTextValues(lists.child);
    for (const [j, section] of sections.entries()) {
      const own = createTextColumn(Array.from({ length }, (_, i) => texts[i * width + j]));
      if (own.layout === "variable") await section.add(encodeStringItems(own));
    }
    rows += length;
  }
  const dim = new Map([["dim", createIntegerVector(rows, width)]]);
  return { value: cx.document.vector("character", rows * width, sections, dim), rows };
}
