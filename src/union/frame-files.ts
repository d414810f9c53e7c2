/** Dataframes of the union as Parquet files. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { textColumnOf } from "../arrow/text.js";
import { type ArrowField, type DictionaryType, field, INT32, INT64, UTF8 } from "../arrow/type.js";
import { describeFile, plainParquet } from "../sinks/parquet/plain-parquet.js";
import type { FrameRows } from "./frame-rows.js";
import type { FlatField } from "./json-types.js";

export const CODEC = "zstd";

const INDEX = field("_index", UTF8, false);

const DATASET_TYPE: DictionaryType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };

/** Returns a `dataset_id` column in which all rows have the same dataset. */
function datasetColumn(dictionary: Column, length: number): Column {
  return {
    layout: "dictionary",
    type: DATASET_TYPE,
    length,
    validity: null,
    dictionary,
    indices: new Int32Array(length),
  };
}

/** Returns consecutive global row numbers. */
export function rowsFrom(first: number, length: number): PrimitiveColumn {
  const values = new BigInt64Array(length);
  for (let i = 0; i < length; i++) values[i] = BigInt(first + i);
  return { layout: "primitive", type: INT64, length, validity: null, values };
}

function obsFields(columns: readonly FlatField[]): readonly ArrowField[] {
  const dataset = { ...field("dataset_id", DATASET_TYPE, false), metadata: { kind: "categorical" } };
  return [field("row", INT64, false), dataset, INDEX, ...columns];
}

function varFields(columns: readonly FlatField[]): readonly ArrowField[] {
  return [field("col", INT32, false), INDEX, ...columns];
}

/** Encodes a file of observations. @param first global row of the first observation. */
export function obsFile(
  frame: AsyncIterable<FrameRows>,
  {
    columns,
    dataset,
    first,
  }: { readonly columns: readonly FlatField[]; readonly dataset: string; readonly first: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const dictionary = textColumnOf([dataset]);
  let at = first;
  async function* batches(): AsyncGenerator<ColumnBatch> {
    for await (const { length, names, columns: own } of frame) {
      yield { length, columns: [rowsFrom(at, length), datasetColumn(dictionary, length), names, ...own] };
      at += length;
    }
  }
  return frameFile(obsFields(columns), batches(), signal);
}

/** Encodes a file of features. @param first union column of the first feature. */
export function varFile(
  rows: AsyncIterable<FrameRows>,
  columns: readonly FlatField[],
  first: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = first;
  async function* batches(): AsyncGenerator<ColumnBatch> {
    for await (const { length, names, columns: own } of rows) {
      const values = Int32Array.from({ length }, (_, i) => at + i);
      yield { length, columns: [{ layout: "primitive", type: INT32, length, validity: null, values }, names, ...own] };
      at += length;
    }
  }
  return frameFile(varFields(columns), batches(), signal);
}

function frameFile(
  fields: readonly ArrowField[],
  batches: AsyncGenerator<ColumnBatch>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const metadata = new Map([["annarrow", JSON.stringify({ kind: "dataframe", index: "_index" })]]);
  return plainParquet(describeFile(fields, metadata, CODEC), batches, signal);
}

/** Fields of the table presence, which lists the features measured in each dataset. */
const PRESENCE_FIELDS: readonly ArrowField[] = [field("dataset_id", DATASET_TYPE, false), field("col", INT32, false)];

/** Encodes the presence file of a dataset, which lists its features. */
export function presenceFile(dataset: string, columns: Int32Array, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const { length } = columns;
  async function* batches(): AsyncGenerator<ColumnBatch> {
    const col: Column = { layout: "primitive", type: INT32, length, validity: null, values: columns.slice().sort() };
    yield { length, columns: [datasetColumn(textColumnOf([dataset]), length), col] };
  }
  const metadata = new Map([["annarrow", JSON.stringify({ kind: "dataframe" })]]);
  return plainParquet(describeFile(PRESENCE_FIELDS, metadata, CODEC), batches(), signal);
}
