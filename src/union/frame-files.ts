/** Dataframes of the union as Parquet files. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { createTextColumn } from "../arrow/text.js";
import { type ArrowField, createField, type DictionaryType, INT32, INT64, UTF8 } from "../arrow/type.js";
import type { ConvertedRows } from "../concat/frames.js";
import { describeFile, encodeFlatParquet } from "../sinks/parquet/plain-parquet.js";

import type { FlatField } from "./json-types.js";

export const CODEC = "zstd";

const INDEX = createField("_index", UTF8, false);

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
export function createGlobalRows(first: number, length: number): PrimitiveColumn {
  const values = new BigInt64Array(length);
  for (let i = 0; i < length; i++) values[i] = BigInt(first + i);
  return { layout: "primitive", type: INT64, length, validity: null, values };
}

function obsFields(columns: readonly FlatField[]): readonly ArrowField[] {
  const dataset = { ...createField("dataset_id", DATASET_TYPE, false), metadata: { kind: "categorical" } };
  return [createField("row", INT64, false), dataset, INDEX, ...columns];
}

function varFields(columns: readonly FlatField[]): readonly ArrowField[] {
  return [createField("col", INT32, false), INDEX, ...columns];
}

/** Encodes a file of observations. @param first global row of the first observation. */
export function encodeObsFile(
  frame: AsyncIterable<ConvertedRows>,
  {
    columns,
    dataset,
    first,
  }: { readonly columns: readonly FlatField[]; readonly dataset: string; readonly first: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const dictionary = createTextColumn([dataset]);
  let at = first;
  async function* batches(): AsyncGenerator<ColumnBatch> {
    for await (const { length, names, columns: own } of frame) {
      yield { length, columns: [createGlobalRows(at, length), datasetColumn(dictionary, length), names, ...own] };
      at += length;
    }
  }
  return frameFile(obsFields(columns), batches(), signal);
}

/** Encodes a file of features. @param first union column of the first feature. */
export function encodeVarFile(
  rows: AsyncIterable<ConvertedRows>,
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
  return encodeFlatParquet(describeFile(fields, metadata, CODEC), batches, signal);
}

/** Fields of the table presence, which lists the features measured in each dataset. */
const PRESENCE_FIELDS: readonly ArrowField[] = [
  createField("dataset_id", DATASET_TYPE, false),
  createField("col", INT32, false),
];

/** Encodes the presence file of a dataset, which lists its features. */
export function encodePresenceFile(
  dataset: string,
  columns: Int32Array,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { length } = columns;
  async function* batches(): AsyncGenerator<ColumnBatch> {
    const col: Column = { layout: "primitive", type: INT32, length, validity: null, values: columns.slice().sort() };
    yield { length, columns: [datasetColumn(createTextColumn([dataset]), length), col] };
  }
  const metadata = new Map([["annarrow", JSON.stringify({ kind: "dataframe" })]]);
  return encodeFlatParquet(describeFile(PRESENCE_FIELDS, metadata, CODEC), batches(), signal);
}
