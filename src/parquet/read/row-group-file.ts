/**
 * Creates a Parquet file in memory from some columns of one row group. The engine always reads a file completely, so it
 * gets only these columns.
 */

import type { SeekableFile } from "../../io/sources/file-bytes.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { UnsupportedError } from "../../model/errors.js";
import { CompactWriter, FILE_SCHEMA } from "../thrift.js";
import { type ChunkLocation, type ParquetFooter, parseChunkLocation, type TopColumn } from "./footer.js";
import { MISSING_BYTES, repairChunk } from "./old-writers.js";
import { checkPages } from "./page-checksums.js";

/** Maximum number of bytes that the 32-bit engine can accept, and that it can return, including its copies. */
const MAX_BYTES = 2 ** 30;

const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);

export interface RowGroupFile {
  readonly bytes: Uint8Array;
  /** Size of all decompressed pages in bytes. */
  readonly plainBytes: number;
}

/** A part of a file: some columns of one row group. */
export interface RowGroupColumns {
  /** Position of the row group; null for a file without rows. */
  readonly group: number | null;
  readonly columns: readonly TopColumn[];
  /** The value of the key `ARROW:schema`; null if it is absent. */
  readonly arrowSchema: string | null;
}

/**
 * Creates a file that contains only the given part, for the engine.
 * @throws {UnsupportedError} if the chunks are larger than the engine's limit.
 * @throws {InvalidDataError} if the checksum of a page is wrong.
 */
export async function createPartFile(
  file: SeekableFile,
  footer: ParquetFooter,
  { group, columns, arrowSchema }: RowGroupColumns,
  options: ReadOptions,
): Promise<RowGroupFile> {
  const chunks = group === null ? [] : footer.groups[group].chunks();
  const places = columns.flatMap(({ name, leaves }) =>
    chunks.slice(leaves.start, leaves.end).map((chunk) => ({ ...parseChunkLocation(chunk, name), name })),
  );
  const said = places.reduce((sum, { start, end }) => sum + end - start, 0);
  const plainBytes = places.reduce((sum, place) => sum + place.plainBytes, 0);
  if (said > MAX_BYTES || plainBytes > 2 * MAX_BYTES) {
    throw new UnsupportedError(
      `row group ${group} has ${said} bytes, ${plainBytes} decompressed; at most ${MAX_BYTES} and ${2 * MAX_BYTES} ` +
        "are read at once: write the file with smaller row groups, or read fewer columns",
    );
  }
  const read = await readChunks(file, footer, places, options);
  const data = read.map((chunk, i) => checkPages(chunk, places[i].name));
  const stored = data.reduce((sum, { length }) => sum + length, 0);
  const rows = group === null ? 0 : footer.groups[group].rows;
  const schema = [rootElement(columns.length), ...columns.flatMap(({ elements }) => elements.map((e) => e.whole()))];
  const metadata = CompactWriter.struct((out) => {
    out.i32(1, 2);
    out.writtenStructs(2, schema);
    out.i64(3, rows);
    out.writtenStructs(4, group === null ? [] : [rowGroup(places, data, rows)]);
    if (arrowSchema === null) return;
    out.structList(5, [arrowSchema], (value) => {
      out.binary(1, FILE_SCHEMA);
      out.binary(2, value);
    });
  });
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
  return CompactWriter.struct((root) => {
    root.binary(4, "schema");
    root.i32(5, children);
  });
}

/** Reads the pages of each chunk, and repairs faults that old writers caused. */
async function readChunks(
  file: SeekableFile,
  { faults, bytes }: ParquetFooter,
  places: readonly ChunkLocation[],
  options: ReadOptions,
): Promise<readonly Uint8Array[]> {
  if (!faults.compressedUnsaid && !faults.shortChunks) return file.read(places, options);
  const more = faults.shortChunks ? Math.min(MISSING_BYTES, bytes) : 0;
  const read = await file.read(
    places.map(({ start, end }) => ({ start, end: end + more })),
    options,
  );
  return read.map((chunk, i) => repairChunk(chunk, places[i].metadata, faults));
}

function rowGroup(places: readonly ChunkLocation[], data: readonly Uint8Array[], rows: number): Uint8Array {
  let at = MAGIC.length;
  return CompactWriter.struct((group) => {
    group.structList(1, [...places.entries()], ([i, { metadata, start }]) => {
      const { length } = data[i];
      group.i64(2, 0);
      group.struct(3, () => {
        // Positions that refer to parts that are not copied are omitted. Statistics are copied with the metadata; page
        // indexes and filters are not copied.
        for (const { id, type, bytes } of metadata.copied((field) => field < 9)) {
          if (id === 7) group.i64(7, length);
          else group.encoded(id, type, bytes);
        }
        group.i64(9, metadata.size(9) + at - start);
        if (metadata.size(9) > start) group.i64(11, at);
      });
      at += length;
    });
    group.i64(2, at - MAGIC.length);
    group.i64(3, rows);
  });
}
