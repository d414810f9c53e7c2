/** Opens the bytes of a file as a table. */

import { type Data, Field, type RecordBatch, Schema } from "apache-arrow";
import { emptyData } from "../../arrow/apache/raw-data.js";
import { NULL } from "../../arrow/type.js";
import type { SeekableFile } from "../../io/sources/file-bytes.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { ColumnLimitOptions } from "../../ipc/read/column-limit.js";
import type { TableMetadata } from "../../model/dataset.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import { parseJsonObject, readJson } from "../../model/json-object.js";
import { Categories } from "../../parquet/read/categories.js";
import { renameInMetadata } from "../distinct-columns.js";
import {
  type AnyField,
  createNameRestorer,
  isChanged,
  listOriginalPositions,
  restoreOriginalField,
} from "../original-columns.js";
import { recordBatch } from "../record-batch.js";
import type { Origin } from "../stored-table.js";
import { type ChunkedFile, countFileRows, FileTable, type RowChunks } from "./file-table.js";
import type { CategoriesOf } from "./parquet-file.js";
import type { ListedPart, PartsTableProperties } from "./parts-file.js";

export type TableFileOptions = ReadOptions & ColumnLimitOptions;

export interface OpenedFile {
  readonly bytes: SeekableFile;
  readonly kind: "parquet" | "arrow" | "arrows";
  /** Size in bytes; needed for a stream (`arrows`). */
  readonly size?: number;
}

/** Properties of a table that are known before its file is opened. */
export interface FileTableEntry {
  readonly name: string;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly origin: Origin;
  /** The element's kind, for a file that does not specify it. */
  readonly kind?: string;
  /** Expected number of rows; a different number is an error. */
  readonly rows?: number;
  /** One-column files with the values of dictionaries, keyed by the path of the dictionary's column. */
  readonly categories: ReadonlyMap<string, OpenedFile>;
}

/** `kind` of a table that was never an element of a file. */
const PLAIN_KIND = "table";

/**
 * Opens a file that contains one table. Reads its schema and its number of rows, but no values.
 * @throws {InvalidDataError} if the file is malformed, or if its number of rows differs from `rows`.
 */
export async function openFileTable(
  file: OpenedFile,
  entry: FileTableEntry,
  options: TableFileOptions,
): Promise<FileTable> {
  const stored = await openFile(file, entry.categories, options);
  // A table along an axis gets its position column again when it is needed.
  const opened = entry.axis === null ? stored : restoreFileColumns(stored);
  const rows = countFileRows(opened);
  if (entry.rows !== undefined && entry.rows !== rows) {
    throw new InvalidDataError(`manifest.json says ${entry.rows} rows, the file has ${rows}`, { source: opened.name });
  }
  const { name, derived, axis, origin, kind } = entry;
  const metadata = metadataOf(opened, kind ?? PLAIN_KIND);
  return new FileTable(opened, { name, metadata, derived, axis, origin });
}

/** Properties of a table that is stored in many files. */
export interface PartsTableEntry extends FileTableEntry {
  readonly whole: PartsTableProperties;
}

/**
 * Opens the files that together contain one table's rows. Each file is opened only when it is read, except the last
 * one, whose schema has all columns.
 * @throws {InvalidDataError} if there are no files, or if the last one is invalid.
 */
export async function openPartsTable(
  parts: readonly (ListedPart & { readonly file: OpenedFile })[],
  { whole, ...entry }: PartsTableEntry,
  options: TableFileOptions,
): Promise<FileTable> {
  const { PartsFile } = await import("./parts-file.js");
  const loaded = loader(entry.categories);
  const { maxColumns } = options;
  const stored = await PartsFile.open(
    parts.map((part) => ({ ...part, open: (read) => openWith(part.file, loaded, { ...read, maxColumns }) })),
    whole,
    options,
  );
  const { name, derived, axis, origin, kind } = entry;
  const file = axis === null ? stored : restoreFileColumns(stored);
  return new FileTable(file, { name, metadata: metadataOf(file, kind ?? PLAIN_KIND), derived, axis, origin });
}

function openFile(
  file: OpenedFile,
  categories: ReadonlyMap<string, OpenedFile>,
  options: TableFileOptions,
): Promise<ChunkedFile> {
  return openWith(file, loader(categories), options);
}

/** Returns a function that loads each category file once, so that all files of a table share the categories. */
function loader(categories: ReadonlyMap<string, OpenedFile>): CategoriesOf {
  const loaded = new Map<string, Promise<Categories>>();
  return async (path, read) => {
    const file = categories.get(path);
    if (file === undefined) return null;
    const known = loaded.get(path) ?? loadCategories(file, path, read);
    loaded.set(path, known);
    known.catch(() => loaded.delete(path));
    return known;
  };
}

async function openWith(
  { bytes, kind, size }: OpenedFile,
  categories: CategoriesOf,
  options: TableFileOptions,
): Promise<ChunkedFile> {
  return runWithLocation({ source: bytes.name }, async () => {
    switch (kind) {
      case "parquet": {
        const { openParquet } = await import("./parquet-file.js");
        return openParquet(bytes, { ...options, categories });
      }
      case "arrow":
      case "arrows": {
        const { openIpc } = await import("./ipc-file.js");
        return openIpc(bytes, options, kind === "arrow" ? undefined : size);
      }
      default:
        return kind satisfies never;
    }
  });
}

/** Reads all values of a file that has exactly one column. */
async function loadCategories(file: OpenedFile, path: string, options: ReadOptions): Promise<Categories> {
  const opened = await openFile(file, new Map(), options);
  const { fields } = opened.schema;
  if (fields.length !== 1) {
    throw new InvalidDataError(`the categories of ${path} have ${fields.length} columns, expected 1`, {
      source: opened.name,
    });
  }
  const parts: Data[] = [];
  for (const [block, end] of opened.blocks.entries()) {
    for await (const batch of opened.read({ block, start: 0, end }, [0], options)) {
      if (batch.numRows > 0) parts.push(batch.data.children[0]);
    }
  }
  return new Categories(parts.length > 0 ? parts : [emptyData(fields[0].type)]);
}

/** Parses the JSON of the schema's key `annarrow`, if the file has one. */
function metadataOf({ schema, name }: ChunkedFile, kind: string): TableMetadata {
  const text = schema.metadata.get("annarrow");
  if (text === undefined) return { kind };
  let content: unknown;
  try {
    content = readJson(text);
  } catch (cause) {
    throw new InvalidDataError(
      `the schema's metadata annarrow are no JSON: ${cause instanceof Error ? cause.message : cause}`,
      { source: name, cause },
    );
  }
  if (typeof content !== "object" || content === null || !("kind" in content) || typeof content.kind !== "string") {
    throw new InvalidDataError("the schema's metadata annarrow have no kind", { source: name });
  }
  const shape = "shape" in content ? content.shape : undefined;
  if (shape !== undefined && !isShape(shape)) {
    throw new InvalidDataError(`the schema's metadata annarrow have the shape ${JSON.stringify(shape)}`, {
      source: name,
    });
  }
  return { ...content, kind: content.kind, ...(shape === undefined ? {} : { shape }) };
}

function isShape(shape: unknown): shape is readonly number[] {
  return Array.isArray(shape) && shape.every((length) => Number.isSafeInteger(length) && length >= 0);
}

// Returns a file of a table without positions that were added to the table, and with the columns' original names.

function restoreFileColumns(file: ChunkedFile): ChunkedFile {
  const known = file.schema.fields.map(({ name, metadata }): AnyField => {
    return { name, metadata: parseJsonObject(metadata.get("annarrow") ?? "{}") ?? {} };
  });
  if (!known.some(isChanged)) return file;
  const places = listOriginalPositions(known);
  const nameOf = createNameRestorer(known);
  const schema = new Schema(
    places.map((place) => {
      const { type, nullable, metadata } = file.schema.fields[place];
      const own = restoreOriginalField({ ...known[place], type: NULL, nullable }, nameOf);
      const others = [...metadata].filter(([key]) => key !== "annarrow");
      const annotated = own.metadata === undefined ? [] : [["annarrow", JSON.stringify(own.metadata)] as const];
      return new Field(own.name, type, nullable, new Map([...others, ...annotated]));
    }),
    new Map([...file.schema.metadata].map(([key, text]) => [key, renameInMetadata(key, text, nameOf)])),
  );
  const named = (batch: RecordBatch, columns: readonly number[]) =>
    recordBatch(new Schema(columns.map((at) => schema.fields[at])), batch.numRows, [...batch.data.children]);
  const withBounds = ({ blocks, bounds }: RowChunks): RowChunks => ({
    blocks,
    bounds: (block, column) => bounds?.(block, places[column]) ?? null,
  });
  const { inner } = file;
  return {
    ...{ name: file.name, kind: file.kind, schema, blocks: file.blocks },
    bounds: (block, column) => file.bounds?.(block, places[column]) ?? null,
    inner:
      inner === undefined ? undefined : async (block, options) => withBounds(await inner.call(file, block, options)),
    async *read(range, columns, options) {
      const own = columns.map((at) => places[at]);
      for await (const batch of file.read(range, own, options)) yield named(batch, columns);
    },
    async empty(columns, options) {
      const own = columns.map((at) => places[at]);
      return named(await file.empty(own, options), columns);
    },
  };
}
