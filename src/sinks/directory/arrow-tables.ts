/**
 * Writes the directory's tables that need Arrow objects: one file per table, and files for the categories of its
 * columns.
 */

import { type Data, DataType, type Dictionary, Field, type RecordBatch, Schema, type Vector } from "apache-arrow";
import { isFlat } from "../../arrow/apache/cell-text.js";
import { findRepeatedName } from "../../kernels/text/names.js";
import type { DataTable } from "../../model/dataset.js";
import { createBatchTable, overrideTable } from "../../tables/batch-table.js";
import { recordBatch } from "../../tables/record-batch.js";
import type { ParquetOptions } from "../parquet/parquet.js";
import { canHoldInParquet } from "../parquet/parquet-types.js";
import { encodeTable, type FormatOptions } from "./encode.js";
import type { TableOutput, TablesFormat, WrittenTable } from "./table-files.js";

/**
 * Returns the format for a table in a directory of `format`. Arrow replaces Parquet if Parquet cannot hold the table,
 * or if several dictionary columns have the same path, because the manifest lists categories by path.
 */
export function formatFor({ schema }: DataTable, format: TablesFormat): TablesFormat {
  const paths = dictionaryColumns(schema.fields, "", []).map(({ path }) => path);
  return format === "parquet" && (!canHoldInParquet(schema) || findRepeatedName(paths) !== null) ? "arrow" : format;
}

/** Whether every value of the table can be written as text without nesting. */
export function isFlatTable(table: DataTable): boolean {
  return table.schema.fields.every((field) => isFlat(field.type));
}

/**
 * Writes a table to a file. For a Parquet file, the categories of the columns are written to separate files beside it.
 */
export async function writeArrowTable(
  table: DataTable,
  as: TablesFormat,
  output: TableOutput,
  options: FormatOptions,
): Promise<WrittenTable> {
  const counted = countRows(table);
  await output.target.write(output.file, encodeTable(counted.table, as, options));
  const categories = as === "parquet" ? await writeCategories(counted, output, options) : {};
  return { rows: counted.rows(), categories };
}

/**
 * A dictionary column: its path in the schema (`column`, or `column.item` within nested types) and the location of its
 * values.
 */
interface DictionaryColumn {
  readonly path: string;
  readonly type: Dictionary;
  readonly indices: readonly number[];
}

interface Counted {
  readonly table: DataTable;
  rows(): number;
  dictionaries(): ReadonlyMap<DictionaryColumn, Vector>;
}

/** Counts a table's rows and records its dictionaries as its batches pass through. */
function countRows(table: DataTable): Counted {
  const columns = dictionaryColumns(table.schema.fields, "", []);
  const dictionaries = new Map<DictionaryColumn, Vector>();
  let rows = 0;
  const counted = overrideTable(table, {
    async *batches(options) {
      rows = 0;
      for await (const batch of table.batches(options)) {
        for (const column of columns) {
          const dictionary = dictionaries.get(column) ?? dictionaryAt(batch, column);
          if (dictionary !== undefined) dictionaries.set(column, dictionary);
        }
        rows += batch.numRows;
        yield batch;
      }
    },
  });
  return { table: counted, rows: () => rows, dictionaries: () => dictionaries };
}

function dictionaryColumns(
  fields: readonly Field[],
  prefix: string,
  indices: readonly number[],
): readonly DictionaryColumn[] {
  return fields.flatMap((field, i) => {
    const path = prefix + field.name;
    const at = [...indices, i];
    if (DataType.isDictionary(field.type)) return [{ path, type: field.type, indices: at }];
    return dictionaryColumns(field.type.children ?? [], `${path}.`, at);
  });
}

function dictionaryAt(batch: RecordBatch, column: DictionaryColumn): Vector | undefined {
  let data: Data = batch.data;
  for (const i of column.indices) data = data.children[i];
  return data.dictionary;
}

/** Writes all categories in order to separate files, because Parquet loses unused categories and their order. */
async function writeCategories(counted: Counted, { names, target }: TableOutput, options: ParquetOptions) {
  const { table } = counted;
  const categories: Record<string, string> = {};
  for (const [column, values] of counted.dictionaries()) {
    const schema = new Schema([new Field("value", column.type.dictionary, true)]);
    const as = canHoldInParquet(schema) ? "parquet" : "arrow";
    const file = names.file([...`${table.name}.categories`.split("/"), column.path], `.${as}`);
    const content = valuesTable(schema, values);
    await target.write(file, encodeTable(content, as, quiet(options)));
    Object.defineProperty(categories, column.path, { value: file, enumerable: true });
  }
  return categories;
}

function quiet({ signal, compression }: ParquetOptions): ParquetOptions {
  return { signal, compression };
}

function valuesTable(schema: Schema, values: Vector): DataTable {
  const batches = values.data.map((data) => recordBatch(schema, data.length, [data]));
  return createBatchTable({
    name: "categories",
    schema,
    rows: values.length,
    metadata: { kind: "array", shape: [values.length] },
    async *batches() {
      yield* batches;
    },
  });
}
