/** Column chunks that are stored as they are: booleans, values of fixed width, and nothing but nulls. */

import type { PrimitiveColumn } from "../../arrow/column.js";
import { appendLevels } from "../../kernels/parquet/levels.js";
import { ChunkWriter } from "./chunk-writer.js";
import type { ChunkTools, EncodedPages } from "./encoded-chunk.js";
import { appendBooleans, appendFixed } from "./gather.js";
import { ENCODING } from "./page.js";
import type { ParquetColumn } from "./parquet-column.js";
import { pagesOf, rowsOf, type Slice } from "./slice.js";

/** @param present how many booleans are there, at least 1. */
export async function encodeBooleans(
  column: ParquetColumn,
  slices: readonly Slice<PrimitiveColumn>[],
  present: number,
  { compress, levels }: ChunkTools,
): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  let set = 0;
  for (const page of pagesOf(slices)) {
    levels.begin(page, column.nullable);
    set += appendBooleans(page, levels.body);
    await writer.dataPage(levels.body.written(), rowsOf(page));
  }
  const least = Uint8Array.of(set === present ? 1 : 0);
  const greatest = Uint8Array.of(set > 0 ? 1 : 0);
  return { ...writer.finish(), statistics: { least, greatest } };
}

/** Values of `width` bytes; without statistics, since readers do not agree on the order of halves. */
export async function encodeFixed(
  column: ParquetColumn,
  width: number,
  slices: readonly Slice<PrimitiveColumn>[],
  { compress, levels }: ChunkTools,
): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  for (const page of pagesOf(slices)) {
    levels.begin(page, column.nullable);
    appendFixed(page, width, levels.body);
    await writer.dataPage(levels.body.written(), rowsOf(page));
  }
  return { ...writer.finish(), statistics: null };
}

/** Levels alone. */
export async function encodeNulls(slices: readonly Slice[], { compress, levels }: ChunkTools): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  for (const page of pagesOf(slices)) {
    const rows = rowsOf(page);
    levels.body.clear();
    appendLevels([{ bits: new Uint8Array((rows + 7) >> 3), offset: 0, length: rows }], levels.body);
    await writer.dataPage(levels.body.written(), rows);
  }
  return { ...writer.finish(), statistics: null };
}
