/** Dataframes of the union as Parquet files. */

import type { TableMetadata } from "annarrow";
import type { Column, ColumnBatch, PrimitiveColumn } from "annarrow/core/arrow";
import {
  type ArrowField,
  createField,
  createTextColumn,
  type DictionaryType,
  INT32,
  INT64,
  UTF8,
} from "annarrow/core/arrow";
import type { ConvertedRows } from "annarrow/core/concat";
import { describeFile } from "annarrow/core/parquet";
import { encodeFlatParquet } from "annarrow/core/sinks";
import type { FlatField } from "./json-types.js";

export const CODEC = "zstd";

const INDEX = createField("_index", UTF8, false);

const DATASET_TYPE: DictionaryType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };

/** Returns a `dataset_id` column in which all rows have the same value. */
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

/** Encodes a file of observations. @param first global row number of the first observation. */
export function encodeObsFile(
  frame: AsyncIterable<ConvertedRows>,
  {
    columns,
    dataset,
    first,
  }: { readonly columns: readonly FlatField[]; readonly dataset: string; readonly first: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const own = { ...createField("dataset_id", DATASET_TYPE, false), metadata: { kind: "categorical" } };
  const fields = [createField("row", INT64, false), own, INDEX, ...columns];
  const dictionary = createTextColumn([dataset]);
  const numbered = (at: number, length: number) => [createGlobalRows(at, length), datasetColumn(dictionary, length)];
  return encodeFrameFile(frame, { fields, first, numbered }, signal);
}

/** Encodes a file of features. @param first union column of the first feature. */
export function encodeVarFile(
  frame: AsyncIterable<ConvertedRows>,
  columns: readonly FlatField[],
  first: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const fields = [createField("col", INT32, false), INDEX, ...columns];
  const numbered = (at: number, length: number) => [int32Column(Int32Array.from({ length }, (_, i) => at + i))];
  return encodeFrameFile(frame, { fields, first, numbered }, signal);
}

interface FrameFile {
  readonly fields: readonly ArrowField[];
  /** Number of the first row in the union. */
  readonly first: number;
  /** Returns the columns that precede the names, for the rows with the numbers `at`, `at` + 1, …. */
  numbered(at: number, length: number): readonly Column[];
}

function encodeFrameFile(
  frame: AsyncIterable<ConvertedRows>,
  { fields, first, numbered }: FrameFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  async function* batches(): AsyncGenerator<ColumnBatch> {
    let at = first;
    for await (const { length, names, columns } of frame) {
      yield { length, columns: [...numbered(at, length), names, ...columns] };
      at += length;
    }
  }
  return encodeTableFile(fields, { kind: "dataframe", index: "_index" }, batches(), signal);
}

/** Encodes a table of the union. */
export function encodeTableFile(
  fields: readonly ArrowField[],
  metadata: TableMetadata,
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const values = new Map([["annarrow", JSON.stringify(metadata)]]);
  return encodeFlatParquet(describeFile(fields, values, CODEC), batches, signal);
}

function int32Column(values: Int32Array): PrimitiveColumn {
  return { layout: "primitive", type: INT32, length: values.length, validity: null, values };
}

/** Fields of the presence table, which lists the features measured in each dataset. */
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
    const dictionary = createTextColumn([dataset]);
    yield { length, columns: [datasetColumn(dictionary, length), int32Column(columns.slice().sort())] };
  }
  return encodeTableFile(PRESENCE_FIELDS, { kind: "dataframe" }, batches(), signal);
}
