/** Creates Parquet files from encoded row groups, with the footer (`FileMetaData` in parquet.thrift). */

import type { EncodedFile, EncodedTableChunk } from "../../arrow/encoder.js";
import { CompactWriter } from "../thrift.js";
import type { EncodedColumnChunk } from "./chunk-writer.js";
import { CODEC, type Codec } from "./compression.js";
import type { FileDescription } from "./file-description.js";
import type { Annotation, ParquetColumn } from "./parquet-column.js";
import { type EncodedRowGroup, isRowGroup } from "./row-group.js";

/** Encodes the parts of one file in the order in which they are written. */
export class ParquetFile implements EncodedFile {
  readonly #description: FileDescription;
  readonly #rowGroups: Uint8Array[] = [];
  #rows = 0;
  #offset = MAGIC.length;

  constructor(description: FileDescription) {
    this.#description = description;
  }

  /** Returns the bytes before the row groups. */
  start(): readonly Uint8Array[] {
    return [MAGIC];
  }

  /** Adds a row group and returns its bytes. The row group is not retained. */
  add(group: EncodedTableChunk): Uint8Array {
    if (!isRowGroup(group)) throw new TypeError("a row group is expected");
    const { columns, compression } = this.#description;
    // The row group's footer entry is encoded immediately, because the encoded form is smaller, and a wide table has
    // very many chunks.
    this.#rowGroups.push(encodeRowGroupEntry(columns, group, this.#offset, compression));
    this.#rows += group.rows;
    this.#offset += group.bytes.length;
    return group.bytes;
  }

  /** Returns the bytes after the last row group. */
  end(): readonly Uint8Array[] {
    const { columns, keyValues } = this.#description;
    return [encodeFooter({ columns, rows: this.#rows, rowGroups: this.#rowGroups, keyValues })];
  }
}

export const MAGIC = new TextEncoder().encode("PAR1");

const FORMAT_VERSION = 2;
const REQUIRED = 0;
const OPTIONAL = 1;

/** Encodes a row group's entry in the footer. `offset` is the position of the group's first chunk in the file. */
function encodeRowGroupEntry(
  columns: readonly ParquetColumn[],
  { chunks, rows }: Pick<EncodedRowGroup, "chunks" | "rows">,
  offset: number,
  codec: Codec,
): Uint8Array {
  const offsets = chunkOffsets(chunks, offset);
  return CompactWriter.struct((group) => {
    group.structList(1, [...chunks.entries()], ([i, chunk]) => {
      const used = chunk.compressed ? CODEC[codec] : CODEC.none;
      group.i64(2, 0);
      group.struct(3, () => columnMetadata(group, columns[i], chunk, { offset: offsets[i], codec: used }));
    });
    group.i64(
      2,
      chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0),
    );
    group.i64(3, rows);
    group.i64(5, offset);
    group.i64(
      6,
      chunks.reduce((sum, chunk) => sum + chunk.storedBytes, 0),
    );
  });
}

function chunkOffsets(chunks: readonly EncodedColumnChunk[], offset: number): number[] {
  let at = offset;
  return chunks.map(({ storedBytes }) => {
    at += storedBytes;
    return at - storedBytes;
  });
}

function columnMetadata(
  out: CompactWriter,
  column: ParquetColumn,
  chunk: EncodedColumnChunk,
  { offset, codec }: { readonly offset: number; readonly codec: number },
): void {
  out.i32(1, column.physical);
  out.i32List(2, chunk.encodings);
  out.textList(3, [column.name]);
  out.i32(4, codec);
  out.i64(5, chunk.values);
  out.i64(6, chunk.rawBytes);
  out.i64(7, chunk.storedBytes);
  out.i64(9, offset + chunk.dataOffset);
  if (chunk.hasDictionary) out.i64(11, offset);
  const { statistics } = chunk;
  out.struct(12, () => {
    out.i64(3, chunk.nulls);
    if (statistics === null) return;
    out.binary(5, statistics.greatest);
    out.binary(6, statistics.least);
  });
}

export interface FileMetadata {
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  readonly rowGroups: readonly Uint8Array[];
  readonly keyValues: readonly (readonly [key: string, value: string])[];
}

/** Encodes the end of the file: the footer, its length and the magic bytes. */
function encodeFooter({ columns, rows, rowGroups, keyValues }: FileMetadata): Uint8Array {
  const metadata = CompactWriter.struct((file) => {
    file.i32(1, FORMAT_VERSION);
    file.structList<ParquetColumn | null>(2, [null, ...columns], (column) => {
      if (column === null) {
        file.binary(4, "schema");
        file.i32(5, columns.length);
        return;
      }
      file.i32(1, column.physical);
      if (column.values.kind === "fixed") file.i32(2, column.values.width);
      file.i32(3, column.nullable ? OPTIONAL : REQUIRED);
      file.binary(4, column.name);
      if (column.annotation !== null) annotate(file, column.annotation);
    });
    file.i64(3, rows);
    file.writtenStructs(4, rowGroups);
    file.structList(5, keyValues, ([key, value]) => {
      file.binary(1, key);
      file.binary(2, value);
    });
    file.binary(6, "annarrow");
    // Readers ignore the minimum and maximum of a column whose order is missing.
    file.structList(7, columns, () => file.struct(1, () => undefined));
  });
  const bytes = new Uint8Array(metadata.length + 8);
  bytes.set(metadata);
  new DataView(bytes.buffer).setUint32(metadata.length, metadata.length, true);
  bytes.set(MAGIC, metadata.length + 4);
  return bytes;
}

/** Writes the logical type and, if there is one, the converted type, which older readers need. */
function annotate(element: CompactWriter, annotation: Annotation): void {
  switch (annotation.kind) {
    case "integer": {
      const { bits, signed } = annotation;
      element.i32(6, (signed ? 15 : 11) + Math.log2(bits / 8));
      element.struct(10, () =>
        element.struct(10, () => {
          element.byte(1, bits);
          element.boolean(2, signed);
        }),
      );
      return;
    }
    case "string":
      element.i32(6, 0);
      element.struct(10, () => element.struct(1, () => undefined));
      return;
    case "float16":
      element.struct(10, () => element.struct(15, () => undefined));
      return;
    case "null":
      element.struct(10, () => element.struct(11, () => undefined));
      return;
    case "date":
      element.i32(6, 6);
      element.struct(10, () => element.struct(6, () => undefined));
      return;
    case "timestamp": {
      const { unit, utc } = annotation;
      // The converted types denote points in time, not local times. There is no converted type for nanoseconds.
      if (utc && unit !== "ns") element.i32(6, unit === "ms" ? 9 : 10);
      const unitField = { ms: 1, us: 2, ns: 3 }[unit];
      element.struct(10, () =>
        element.struct(8, () => {
          element.boolean(1, utc);
          element.struct(2, () => element.struct(unitField, () => undefined));
        }),
      );
      return;
    }
    default:
      annotation satisfies never;
  }
}
