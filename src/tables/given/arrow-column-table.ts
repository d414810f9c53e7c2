/** Validates a caller's input and converts it to `ColumnTable`, the form that writers accept. */

import { type RecordBatch, type Schema, Table, type Vector } from "apache-arrow";
import { toColumns } from "../../arrow/apache/apache-columns.js";
import { parseMetadataObject, toColumnFields } from "../../arrow/apache/apache-fields.js";
import type { Column, ColumnBatch } from "../../arrow/column.js";
import { emptyColumn } from "../../arrow/column.js";
import { joinColumns } from "../../arrow/join.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { createSourceFile } from "../../io/sources/file-bytes.js";
import { createBytesSource } from "../../io/sources/memory.js";
import { isMagic } from "../../ipc/read/messages-of.js";
import { findRepeatedName } from "../../kernels/text/names.js";
import type { BatchOptions, DataTable, TableMetadata } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError, locateError } from "../../model/errors.js";
import { viewAsBytes } from "../../model/stored.js";
import {
  type ColumnBatchOptions,
  type ColumnTable,
  getOriginElement,
  type TableChunk,
  type TableChunks,
} from "../column-table.js";
import { type ChunkedFile, countFileRows, type FileChunk, FileTable } from "../files/file-table.js";
import { openIpc } from "../files/ipc-file.js";
import { restoreOriginalColumns } from "../original-columns.js";
import { findAsRead } from "../planned-table.js";
import { getBatchSchema } from "../record-batch.js";
import { createColumnsTable, isTableColumns, type TableColumns } from "./array-columns.js";

/** Batches with a common schema: an apache-arrow `Table`, or a stream. */
export interface BatchStream {
  readonly schema: Schema;
  readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

/**
 * A dataset's table, an apache-arrow `Table`, a schema with batches, batches alone (including a `RecordBatchReader`),
 * the bytes of an Arrow IPC stream or file, or an object that contains arrays by column name. Objects may come from any
 * copy of apache-arrow.
 */
export type ColumnTableInput =
  | DataTable
  | BatchStream
  | Iterable<RecordBatch>
  | AsyncIterable<RecordBatch>
  | Uint8Array
  | ArrayBuffer
  | TableColumns;

export interface ColumnTableOptions {
  /** The name of the table and its element, also in errors. A dataset's table has its own name. */
  readonly name?: string;
}

/**
 * Converts `input` to generic columns. For batches without a schema, reads up to the first batch to get the schema.
 * @throws {InvalidInputError} if the input is not a table, or if its metadata are not JSON or have no kind; while
 * batches are read, if a batch's schema differs from the first one, or if its buffers are too short.
 * @throws {UnsupportedError} for types that no store supports; the message names the type to cast them to.
 */
export async function convertInputToColumns(
  input: ColumnTableInput,
  options: ColumnTableOptions = {},
): Promise<ColumnTable> {
  const given: unknown = input;
  const own = isObject(given) && typeof given.name === "string" ? given.name : "table";
  const name = options.name ?? own;
  try {
    if (!isObject(given)) throw new InvalidInputError(`${NO_TABLE} (${typeof given})`);
    return restoreOriginalColumns(await opened(input, name));
  } catch (error) {
    throw isAnnarrowError(error) ? error.locate({ element: name }) : error;
  }
}

const NO_TABLE = "neither a table, nor batches, nor bytes of an Arrow stream, nor an object of arrays";

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

async function opened(input: ColumnTableInput, name: string): Promise<ColumnTable> {
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return ipcTable(input, name);
  if (isTableColumns(input)) return createColumnsTable(input, name, vectorColumn);
  if (isDataTable(input)) return dataTable(input, name);
  if (isStream(input)) return streamTable(input, name);
  if (!isIterable(input)) throw new InvalidInputError(NO_TABLE);
  return streamTable(await peeked(input), name);
}

/**
 * Opens an IPC stream or file with this library's file reader, because apache-arrow reads big-endian values as
 * little-endian and supports fewer types. Batches are created on request.
 */
async function ipcTable(given: Uint8Array | ArrayBuffer, name: string): Promise<ColumnTable> {
  const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) : viewAsBytes(given);
  if (bytes.length === 0) throw new InvalidInputError("no bytes, where an Arrow IPC stream or file should be");
  const file = await openBytes(bytes).catch((cause: unknown) => {
    if (isAnnarrowError(cause, "UnsupportedError")) throw cause;
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInputError(`${bytes.length} bytes that are no Arrow IPC stream or file: ${problem}`, { cause });
  });
  if (file.schema.fields.length === 0) {
    throw new InvalidInputError(`${bytes.length} bytes that are no Arrow IPC stream or file, or have no column`);
  }
  const places = file.schema.fields.map((_, i) => i);
  const batches = {
    async *[Symbol.asyncIterator]() {
      for (const [block, end] of file.blocks.entries()) yield* file.read({ block, start: 0, end }, places, {});
    },
  };
  return streamTable({ schema: file.schema, batches }, name, countFileRows(file));
}

function openBytes(bytes: Uint8Array): Promise<ChunkedFile> {
  const file = createSourceFile(createBytesSource(bytes));
  return openIpc(
    file,
    { mayReplace: true, maxColumns: Number.POSITIVE_INFINITY },
    isMagic(bytes) ? undefined : bytes.length,
  );
}

/** Converts a `Vector` to a column and its field. */
async function vectorColumn(vector: Vector, name: string): Promise<readonly [ArrowField, Column]> {
  const { fields, batches } = streamTable(new Table({ [name]: vector }), name);
  const parts: Column[] = [];
  for await (const { columns } of batches()) parts.push(columns[0]);
  return [fields[0], joinColumns(parts)];
}

function isStream(input: Exclude<ColumnTableInput, Uint8Array | ArrayBuffer>): input is BatchStream {
  return "schema" in input && "batches" in input;
}

function isDataTable(input: Exclude<ColumnTableInput, Uint8Array | ArrayBuffer>): input is DataTable {
  return "schema" in input && "batches" in input && typeof input.batches === "function";
}

function isIterable(input: object): input is Iterable<RecordBatch> | AsyncIterable<RecordBatch> {
  return Symbol.asyncIterator in input || Symbol.iterator in input;
}

/**
 * Creates a stream from batches alone. The schema comes from the first batch or, if a reader has no batches, from the
 * reader.
 */
async function peeked(batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>): Promise<BatchStream> {
  const rest = iterated(batches);
  const first = await rest.next();
  if (first.done !== true) {
    checkBatch(first.value, 0);
    return { schema: getBatchSchema(first.value), batches: continued(first.value, rest) };
  }
  const schema: unknown = "schema" in batches ? batches.schema : undefined;
  if (isSchema(schema)) return { schema, batches: [] };
  throw new InvalidInputError("no batch, and so no schema; give { schema, batches }");
}

function isSchema(schema: unknown): schema is Schema {
  return isObject(schema) && Array.isArray(schema.fields) && isObject(schema.metadata);
}

/**
 * Checks that `batch` has the members of a record batch from any copy of apache-arrow.
 * @throws {InvalidInputError} if a member is missing.
 */
function checkBatch(batch: unknown, number: number): void {
  const isBatch =
    isObject(batch) && isSchema(batch.schema) && isObject(batch.data) && Array.isArray(batch.data.children);
  if (!isBatch) throw new InvalidInputError(`batch ${number} is no record batch of apache-arrow`);
}

async function* iterated(batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  yield* batches;
}

async function* continued(first: RecordBatch, rest: AsyncGenerator<RecordBatch>): AsyncGenerator<RecordBatch> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * Converts a dataset's table.
 * @param only positions of the fields that are read; all by default.
 */
function dataTable(table: DataTable, name: string, only?: readonly number[]): ColumnTable {
  const { schema, rows, derived, layouts } = table;
  const all = toColumnFields(schema);
  const fields = only?.map((place) => all[place]) ?? all;
  const names = fields.map((field) => field.name);
  // If columns share a name, they cannot be selected by name, so all columns are read.
  const isChosen = only !== undefined && findRepeatedName(schema.names.map(String)) === null;
  // A table of a dataset allocates its own memory.
  async function* batches({ returned: _, ...options }: BatchOptions & ColumnBatchOptions = {}) {
    const read = isChosen ? fields : all;
    const batches = columnBatches(
      table.batches(isChosen ? { ...options, columns: names } : options),
      read,
      name,
      options.signal,
    );
    if (only === undefined || isChosen) return yield* batches;
    for await (const batch of batches) yield { length: batch.length, columns: only.map((at) => batch.columns[at]) };
  }
  return {
    name,
    fields,
    ...metadataOf(schema, table.metadata ?? null),
    rows,
    derived,
    remembered: table instanceof FileTable || getOriginElement(table) === null ? true : undefined,
    origin: getOriginElement(table),
    asRead: only === undefined ? findAsRead(table) : null,
    repeatable: true,
    layouts: only === undefined ? layouts : [],
    layout: async (layout) => dataTable(await table.layout(layout), name),
    only: (places) => dataTable(table, name, only === undefined ? places : places.map((place) => only[place])),
    batches,
    blocks: table instanceof FileTable ? { ...fileBlocks(table, batches), batches } : undefined,
  };
}

/** Returns a file's blocks, whose rows are read by `read`. */
function fileBlocks(
  table: FileTable,
  read: (options: BatchOptions) => AsyncIterable<ColumnBatch>,
): Pick<TableChunks, "all" | "none"> {
  const blockOf = ({ rows, bounds, inner }: FileChunk): TableChunk => ({
    rows: rows[1] - rows[0],
    bounds,
    batches: (options: ColumnBatchOptions = {}) => read({ ...options, rows }),
    inner: inner === undefined ? undefined : async (options) => (await inner(options)).map(blockOf),
  });
  const all = table.blocks.map(blockOf);
  return { all, none: (options = {}) => read({ ...options, rows: [0, 0] }) };
}

/**
 * Converts a stream of batches.
 * @param rows number of rows, for batches that can be read again. If the batches are a list, their rows are counted.
 */
function streamTable({ schema, batches }: BatchStream, name: string, rows?: number): ColumnTable {
  if (!isSchema(schema)) throw new InvalidInputError("the schema is none of apache-arrow");
  const fields = toColumnFields(schema);
  const again = Array.isArray(batches) || rows !== undefined;
  let read = false;
  return {
    name,
    fields,
    ...metadataOf(schema, null),
    remembered: true,
    rows: rows ?? (Array.isArray(batches) ? batches.reduce((sum, batch) => sum + batch.numRows, 0) : null),
    derived: false,
    repeatable: again,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`no layout ${layout}: a table of the caller has the form in which it is given`, {
        element: name,
      });
    },
    batches: ({ signal } = {}) => {
      if (read && !again) throw new InvalidInputError("a stream is read once", { element: name });
      read = true;
      return columnBatches(batches, fields, name, signal);
    },
  };
}

/** Reads and checks the element's metadata in a schema. @param known metadata of a table that has its own. */
function metadataOf(
  { metadata }: Schema,
  known: TableMetadata | null,
): Pick<ColumnTable, "metadata" | "schemaMetadata"> {
  const schemaMetadata = new Map(metadata);
  const json = schemaMetadata.get("annarrow");
  schemaMetadata.delete("annarrow");
  if (json === undefined) return { metadata: known, schemaMetadata };
  return { metadata: tableMetadata(parseMetadataObject(json, "the schema")), schemaMetadata };
}

function tableMetadata(metadata: Readonly<Record<string, unknown>>): TableMetadata {
  const { kind, shape, ...rest } = metadata;
  if (typeof kind !== "string" || kind === "") {
    throw new InvalidInputError(`the metadata annarrow of the schema has no kind: ${JSON.stringify(metadata)}`);
  }
  if (shape === undefined) return { ...rest, kind };
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new InvalidInputError(`the metadata annarrow of the schema has the shape ${JSON.stringify(shape)}`);
  }
  return { ...rest, kind, shape };
}

async function* columnBatches(
  batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>,
  fields: readonly ArrowField[],
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnBatch> {
  const types = fields.map(({ type }) => type);
  const known = new WeakSet<Schema>();
  let number = 0;
  try {
    signal?.throwIfAborted();
    for await (const batch of batches) {
      signal?.throwIfAborted();
      checkBatch(batch, number);
      if (!known.has(batch.schema)) checkFields(fields, getBatchSchema(batch), number);
      known.add(batch.schema);
      yield { length: batch.numRows, columns: toColumns(batch, types) };
      number++;
    }
    if (number === 0) yield { length: 0, columns: types.map(emptyColumn) };
  } catch (error) {
    throw isAnnarrowError(error) ? locateError(error, { element: name }) : error;
  }
}

function checkFields(fields: readonly ArrowField[], schema: Schema, number: number): void {
  const [expected, found] = [fields, toColumnFields(schema)].map((all) =>
    all.map((one) => `${one.name}: ${describeArrowType(one.type)}`).join(", "),
  );
  if (expected === found) return;
  throw new InvalidInputError(`batch ${number} has the columns (${found}), its table (${expected})`);
}
