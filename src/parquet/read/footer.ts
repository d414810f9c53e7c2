/**
 * Reads the footer of a Parquet file: its columns, its row groups, and where their chunks are located (parquet.thrift).
 */

import type { FileRange, SeekableFile } from "../../io/sources/file-bytes.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { ColumnLimit, type ColumnLimitOptions } from "../../ipc/read/column-limit.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { ThriftStruct } from "../thrift.js";
import { detectWriterFaults, type WriterFaults } from "./old-writers.js";

/** A column of the table. A nested column consists of several columns in the file. */
export interface TopColumn {
  readonly name: string;
  /** The schema elements of the column and its descendants. */
  readonly elements: readonly ThriftStruct[];
  /** The range [start, end) of the column's chunks in each row group. */
  readonly leaves: FileRange;
}

export interface RowGroup {
  readonly rows: number;
  /** The `ColumnChunk` of each leaf. */
  chunks(): readonly ThriftStruct[];
}

export interface ParquetFooter {
  readonly columns: readonly TopColumn[];
  readonly root: ThriftStruct;
  readonly groups: readonly RowGroup[];
  readonly keyValues: ReadonlyMap<string, string>;
  readonly faults: WriterFaults;
  /** Size in bytes of the footer with its length and magic. At least this many bytes follow the last page. */
  readonly bytes: number;
}

const TAIL = 65536;
/** Size in bytes of the footer length and the magic. */
const END = 8;
/** Maximum nesting depth of a type. */
const MAX_DEPTH = 128;

/**
 * Reads the footer of a file.
 * @throws {InvalidDataError} if the footer is cut off or inconsistent, {UnsupportedError} if it is encrypted or has
 * more columns than `maxColumns`.
 */
export async function readFooter(
  file: SeekableFile,
  options: ReadOptions & ColumnLimitOptions,
): Promise<ParquetFooter> {
  let tail = await file.tail(TAIL, options);
  const magic = String.fromCharCode(...tail.subarray(-4));
  if (magic === "PARE") throw new UnsupportedError("the file is encrypted");
  if (tail.length < END + 4 || magic !== "PAR1") {
    throw new InvalidDataError("the file is cut off: it does not end in PAR1");
  }
  const length = new DataView(tail.buffer, tail.byteOffset + tail.length - END, 4).getUint32(0, true);
  if (length + END > tail.length) tail = await file.tail(length + END, options);
  if (length + END > tail.length) {
    throw new InvalidDataError(`the footer has ${length} bytes, the file ${tail.length}`);
  }
  return parseFooter(tail.subarray(tail.length - END - length, tail.length - END), options.maxColumns);
}

function parseFooter(bytes: Uint8Array, maxColumns: number | undefined): ParquetFooter {
  const metadata = new ThriftStruct(bytes);
  if (metadata.has(8)) throw new UnsupportedError("the file is encrypted");
  new ColumnLimit(maxColumns).count(metadata.count(2) - 1);
  const [root, ...elements] = metadata.structs(2);
  if (root === undefined) throw new InvalidDataError("the footer has no schema");
  const columns = topColumns(root, elements);
  const leaves = columns.at(-1)?.leaves.end ?? 0;
  const groups = metadata.structs(4).map((group, i) => rowGroup(group, i, leaves));
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  // Some writers do not count the rows and write 0 instead.
  if (metadata.size(3) !== 0 && rows !== metadata.size(3)) {
    throw new InvalidDataError(`the row groups have ${rows} rows, the file says ${metadata.size(3)}`);
  }
  const keyValues = new Map(metadata.structs(5).map((pair) => [pair.text(1), pair.text(2)]));
  return { columns, root, groups, keyValues, faults: detectWriterFaults(metadata.text(6)), bytes: bytes.length + END };
}

function rowGroup(group: ThriftStruct, i: number, leaves: number): RowGroup {
  return {
    rows: group.size(3),
    chunks() {
      const chunks = group.structs(1);
      if (chunks.length === leaves) return chunks;
      throw new InvalidDataError(`row group ${i} has ${chunks.length} columns, the schema ${leaves}`);
    },
  };
}

/**
 * Reads the columns from the schema's elements. These are stored in depth-first order, each with its number of
 * children.
 */
function topColumns(root: ThriftStruct, elements: readonly ThriftStruct[]): TopColumn[] {
  const columns: TopColumn[] = [];
  let at = 0;
  let leaf = 0;
  const pass = (depth: number): void => {
    const element = elements[at++];
    if (element === undefined) throw new InvalidDataError(`the schema ends behind ${elements.length} elements`);
    if (depth > MAX_DEPTH) throw new UnsupportedError(`a type is nested more than ${MAX_DEPTH} levels deep`);
    const children = element.has(5) ? element.size(5) : 0;
    if (children === 0) leaf++;
    for (let i = 0; i < children; i++) pass(depth + 1);
  };
  const count = root.has(5) ? root.size(5) : 0;
  for (let i = 0; i < count; i++) {
    const [first, start] = [at, leaf];
    pass(0);
    const own = elements.slice(first, at);
    columns.push({ name: own[0].text(4), elements: own, leaves: { start, end: leaf } });
  }
  if (at !== elements.length) throw new InvalidDataError(`the schema has ${elements.length} elements, ${at} are used`);
  return columns;
}

/** The location of a chunk, and the size of its decompressed pages. */
export interface ChunkLocation extends FileRange {
  readonly metadata: ThriftStruct;
  readonly plainBytes: number;
}

/**
 * A value of `Encoding` in parquet.thrift that the engine does not support. The 2026 versions of pyarrow and parquet-rs
 * may write it.
 */
const ALP = 10;
const LAST_ENCODING = ALP;

/** @throws {UnsupportedError} with the name of an unsupported encoding. */
function checkEncodings(encodings: readonly number[], column: string): void {
  const unknown = encodings.find((encoding) => encoding >= ALP);
  if (unknown === undefined) return;
  const name = unknown > LAST_ENCODING ? `number ${unknown}` : "ALP";
  throw new UnsupportedError(`${column} has the encoding ${name}, which is not read; write it with PLAIN encoding`);
}

/**
 * Reads the location of a chunk.
 * @throws {UnsupportedError} if it is in another file, encrypted, or in an unsupported encoding.
 */
export function parseChunkLocation(chunk: ThriftStruct, column: string): ChunkLocation {
  if (chunk.has(1)) throw new UnsupportedError(`${column} lies in another file, ${JSON.stringify(chunk.text(1))}`);
  const metadata = chunk.struct(3);
  if (metadata === null || chunk.has(8)) throw new UnsupportedError(`the metadata of ${column} are encrypted`);
  checkEncodings(metadata.integers(2), column);
  const data = metadata.size(9);
  const dictionary = metadata.integer(11) ?? 0;
  // If there is no dictionary page, some writers set its position to 0.
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const length = metadata.size(7);
  return { metadata, start, end: start + length, plainBytes: metadata.size(6) };
}

/** Width of a signed integer in bytes, keyed by the number that represents its type in the file. */
const INTEGER_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 4],
  [2, 8],
]);

/**
 * Returns the minimum and maximum of a chunk of signed integers, taken from its statistics; null if they are missing.
 */
export function findIntegerBounds(chunk: ThriftStruct): readonly [least: number, greatest: number] | null {
  const metadata = chunk.struct(3);
  const statistics = metadata?.struct(12) ?? null;
  const width = INTEGER_BYTES.get(metadata?.integer(1) ?? -1);
  if (statistics === null || width === undefined || !statistics.has(5) || !statistics.has(6)) return null;
  // Old writers use fields 1 and 2, whose order is undefined.
  const [greatest, least] = [statistics.binary(5), statistics.binary(6)];
  if (greatest.length !== width || least.length !== width) return null;
  const integerIn = (bytes: Uint8Array) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, width);
    return width === 4 ? view.getInt32(0, true) : Number(view.getBigInt64(0, true));
  };
  return [integerIn(least), integerIn(greatest)];
}
