/**
 * Some columns of one row group as a Parquet file of their own, in memory: the engine reads nothing but whole files at
 * once, and everything of what it reads.
 */

import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { UnsupportedError } from "../../model/errors.js";
import type { SeekableFile } from "../../sources/file-bytes.js";
import type { ReadOptions } from "../../sources/source.js";
import { FILE_SCHEMA } from "../thrift/schema-keys.js";
import { type ChunkPlace, type ParquetFooter, placeOf, type TopColumn } from "./footer.js";
import { MISSING_BYTES, mendedChunk } from "./old-writers.js";
import { checkPages } from "./page-checksums.js";

/** What the engine, of 32 bits, can take and give at once with its copies. */
const MAX_BYTES = 2 ** 30;

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;
const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);

export interface PartFile {
  readonly bytes: Uint8Array;
  /** Of all pages, decompressed. */
  readonly plainBytes: number;
}

/**
 * @param group position of the row group; null for a file without rows.
 * @param arrowSchema the value of the key `ARROW:schema`; null for none.
 * @throws {UnsupportedError} where the chunks are larger than the engine can take.
 * @throws {InvalidDataError} where a page has not the checksum that it should.
 */
export async function partFile(
  file: SeekableFile,
  footer: ParquetFooter,
  group: number | null,
  columns: readonly TopColumn[],
  arrowSchema: string | null,
  options: ReadOptions,
): Promise<PartFile> {
  const chunks = group === null ? [] : footer.groups[group].chunks();
  const places = columns.flatMap(({ name, leaves }) =>
    chunks.slice(leaves.start, leaves.end).map((chunk) => ({ ...placeOf(chunk, name), name })),
  );
  const said = places.reduce((sum, { start, end }) => sum + end - start, 0);
  const plainBytes = places.reduce((sum, place) => sum + place.plainBytes, 0);
  if (said > MAX_BYTES || plainBytes > 2 * MAX_BYTES) {
    throw new UnsupportedError(
      `row group ${group} has ${said} bytes, ${plainBytes} decompressed; at most ${MAX_BYTES} and ${2 * MAX_BYTES} ` +
        "are read at once: write the file with smaller row groups, or read fewer columns",
    );
  }
  const data = await readChunks(file, footer, places, options);
  const stored = data.reduce((sum, { length }) => sum + length, 0);
  for (const [i, part] of data.entries()) checkPages(part, places[i].name);
  const rows = group === null ? 0 : footer.groups[group].rows;
  const schema = [rootElement(columns.length), ...columns.flatMap(({ elements }) => elements.map((e) => e.whole()))];
  const out = new StructWriter();
  out.integer(1, I32, 2);
  out.structs(2, schema);
  out.integer(3, I64, rows);
  out.structs(4, group === null ? [] : [rowGroup(places, data, rows)]);
  if (arrowSchema !== null) out.structs(5, [keyValue(FILE_SCHEMA, arrowSchema)]);
  const metadata = out.end();
  const bytes = new Uint8Array(MAGIC.length + stored + metadata.length + 8);
  bytes.set(MAGIC);
  let at = MAGIC.length;
  for (const part of data) {
    bytes.set(part, at);
    at += part.length;
  }
  bytes.set(metadata, at);
  new DataView(bytes.buffer).setUint32(at + metadata.length, metadata.length, true);
  bytes.set(MAGIC, at + metadata.length + 4);
  return { bytes, plainBytes };
}

function rootElement(children: number): Uint8Array {
  const root = new StructWriter();
  root.text(4, "schema");
  root.integer(5, I32, children);
  return root.end();
}

function keyValue(key: string, value: string): Uint8Array {
  const pair = new StructWriter();
  pair.text(1, key);
  pair.text(2, value);
  return pair.end();
}

/** The pages of each chunk, as writers without faults leave them. */
async function readChunks(
  file: SeekableFile,
  { faults, bytes }: ParquetFooter,
  places: readonly ChunkPlace[],
  options: ReadOptions,
): Promise<readonly Uint8Array[]> {
  if (!faults.compressedUnsaid && !faults.shortChunks) return file.read(places, options);
  const more = faults.shortChunks ? Math.min(MISSING_BYTES, bytes) : 0;
  const read = await file.read(
    places.map(({ start, end }) => ({ start, end: end + more })),
    options,
  );
  return read.map((chunk, i) => mendedChunk(chunk, places[i].metadata, faults));
}

function rowGroup(places: readonly ChunkPlace[], data: readonly Uint8Array[], rows: number): Uint8Array {
  let at = MAGIC.length;
  const chunks = places.map(({ metadata, start }, i) => {
    const { length } = data[i];
    const column = new StructWriter();
    // Positions of what is not copied are left out: statistics go with them, page indexes and filters do not.
    for (const { id, type, bytes } of metadata.copied((field) => field < 9)) {
      if (id === 7) column.integer(7, I64, length);
      else column.field(id, type, bytes);
    }
    column.integer(9, I64, metadata.size(9) + at - start);
    if (metadata.size(9) > start) column.integer(11, I64, at);
    at += length;
    const chunk = new StructWriter();
    chunk.integer(2, I64, 0);
    chunk.field(3, STRUCT, column.end());
    return chunk.end();
  });
  const group = new StructWriter();
  group.structs(1, chunks);
  group.integer(2, I64, at - MAGIC.length);
  group.integer(3, I64, rows);
  return group.end();
}

/** The fields of one struct, in the order of their ids. */
class StructWriter {
  readonly #out = new PageBuffer(256);
  #last = 0;

  integer(id: number, type: number, value: number): void {
    this.#head(id, type);
    this.#out.varint(2 * value);
  }

  text(id: number, value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.#head(id, BINARY);
    this.#out.varint(bytes.length);
    this.#out.append(bytes);
  }

  structs(id: number, structs: readonly Uint8Array[]): void {
    this.#head(id, LIST);
    if (structs.length < 15) this.#out.byte((structs.length << 4) | STRUCT);
    else {
      this.#out.byte(0xf0 | STRUCT);
      this.#out.varint(structs.length);
    }
    for (const struct of structs) this.#out.append(struct);
  }

  /** A value that is encoded already. */
  field(id: number, type: number, bytes: Uint8Array): void {
    this.#head(id, type);
    this.#out.append(bytes);
  }

  end(): Uint8Array {
    this.#out.byte(0);
    return this.#out.written();
  }

  #head(id: number, type: number): void {
    this.#out.byte(((id - this.#last) << 4) | type);
    this.#last = id;
  }
}
