/** Encodes stored tables as files, without Arrow objects. The worker that decodes rows also encodes them. */

import { type EncodedTableChunk, type EncoderOptions, encodeFile } from "../arrow/encoder.js";
import type { ReadOptions } from "../io/sources/source.js";
import { ENCODERS, type EncoderName, isEncoderName } from "../jobs/encoders.js";
import type { Progress } from "../model/dataset.js";
import { DEFAULT_BATCH_BYTES, type StoredTable } from "./stored-table.js";

export interface StoredEncodingOptions extends Pick<ReadOptions, "signal"> {
  /** Maximum bytes of a batch, unless the encoder determines its size. */
  readonly batchBytes?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** How a stored table becomes a file of one format. */
export interface StoredEncoding {
  /** Whether the file contains all of its columns' categories in order. */
  readonly hasCategories: boolean;
  encode(options: StoredEncodingOptions): AsyncGenerator<Uint8Array>;
}

/**
 * Returns the encoding for `table`; null if the format has no encoder, or if the encoder does not support the columns
 * or options.
 */
export async function findStoredEncoding(
  table: StoredTable,
  format: string,
  options: EncoderOptions,
): Promise<StoredEncoding | null> {
  if (!isEncoderName(format)) return null;
  const encoder = await ENCODERS[format]();
  const encoding = encoder.begin(table.fields, options);
  if (encoding === null) return null;
  return {
    hasCategories: encoder.hasCategories,
    encode({ signal, onProgress, batchBytes = DEFAULT_BATCH_BYTES }) {
      const { name, schemaMetadata: metadata } = table;
      const readEmpty = () => table.noRows({ signal });
      const read = { signal, onProgress, batchBytes: encoder.batchBytes ?? batchBytes };
      const encoded = encodeRows(table, { encoder: format, options }, read);
      return encodeFile(() => encoding.createFile({ name, metadata, readEmpty }), encoded);
    },
  };
}

/**
 * Yields the encoded rows of a table, and reports the progress. The chosen encoder is described by serializable data.
 */
export async function* encodeRows(
  table: StoredTable,
  choice: { readonly encoder: EncoderName; readonly options: EncoderOptions },
  { signal, onProgress, batchBytes }: StoredEncodingOptions & { readonly batchBytes: number },
): AsyncGenerator<EncodedTableChunk> {
  const report = (done: number) => onProgress?.({ element: table.name, done, total: table.rows, unit: "rows" });
  let done = 0;
  report(0);
  for await (const result of table.parts({ kind: "encoded", ...choice, batchBytes }, { signal })) {
    if (result.kind !== "encoded") throw new TypeError("encoded rows were asked for");
    for (const encoded of result.encoded) {
      if (encoded.rows === 0) continue;
      yield encoded;
      done += encoded.rows;
      report(done);
    }
  }
}
