/** A dataset as a directory of tables: one file per table, and `manifest.json` (docs/mapping.md, section 1). */

import {
  type Data,
  DataType,
  type Dictionary,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  type Vector,
} from "apache-arrow";
import type { Dataset, DataTable } from "../dataset.js";
import { InvalidInputError, isAnnarrowError } from "../errors.js";
import { isFlat } from "./cell-text.js";
import { encodeTable } from "./encode.js";
import { FileNames } from "./file-names.js";
import type { ParquetOptions } from "./parquet.js";
import { canHoldInParquet } from "./parquet-types.js";
import type { Target } from "./target.js";

/** Of docs/mapping.md. */
const MAPPING_VERSION = 1;

export type TablesFormat = "parquet" | "arrow" | "csv" | "tsv";

export interface ManifestTable {
  readonly name: string;
  readonly file: string;
  readonly kind: string;
  readonly rows: number;
  readonly derived?: true;
  readonly categories?: Readonly<Record<string, string>>;
}

export interface TablesResult {
  readonly tables: readonly ManifestTable[];
  readonly warnings: readonly string[];
}

/**
 * Writes `tables` of `dataset` to `target` and commits nothing: that is the caller's.
 * A table that Parquet cannot hold becomes an `.arrow` file; one that CSV cannot hold or whose data cannot be read is
 * an error, or, with `lossy`, left out with a warning.
 */
export async function writeTables(
  dataset: Dataset,
  tables: readonly DataTable[],
  format: TablesFormat,
  target: Target,
  options: ParquetOptions & { readonly lossy?: boolean } = {},
): Promise<TablesResult> {
  const names = new FileNames(["manifest.json"]);
  const written: ManifestTable[] = [];
  const warnings: string[] = [];
  // Tables first: their names stay plain, whatever the files of categories are called.
  const places = tables.map((table) => {
    const as = format === "parquet" && !canHoldInParquet(table.schema) ? "arrow" : format;
    return { table, as, file: names.file(table.name.split("/"), `.${as}`) };
  });
  for (const { table, as, file } of places) {
    if (options.lossy && (as === "csv" || as === "tsv") && !table.schema.fields.every((field) => isFlat(field.type))) {
      warnings.push(`${table.name} has nested columns, which ${as} cannot hold: left out`);
      continue;
    }
    const counted = countRows(table);
    try {
      await target.write(file, encodeTable(counted.table, as, options));
    } catch (error) {
      if (!options.lossy || !isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
      warnings.push(`left out: ${error.message}`);
      continue;
    }
    const categories = as === "parquet" ? await writeCategories(counted, names, target, options) : {};
    written.push({
      name: table.name,
      file,
      kind: table.metadata.kind,
      rows: counted.rows(),
      ...(table.derived ? { derived: true } : {}),
      ...(Object.keys(categories).length > 0 ? { categories } : {}),
    });
  }
  await target.write("manifest.json", manifest(dataset, written));
  return { tables: written, warnings };
}

async function* manifest(dataset: Dataset, tables: readonly ManifestTable[]): AsyncGenerator<Uint8Array> {
  const { format, version, container, shape } = dataset;
  const content = { annarrow: MAPPING_VERSION, format, formatVersion: version, container, shape, tables };
  yield new TextEncoder().encode(`${JSON.stringify(content, null, 2)}\n`);
}

/** A dictionary column: its path in the schema (`column`, or `column.item` within nested types) and where its values lie. */
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

/** The same table; its rows are counted and its dictionaries noted as they pass. */
function countRows(table: DataTable): Counted {
  const columns = dictionaryColumns(table.schema.fields, "", []);
  const dictionaries = new Map<DictionaryColumn, Vector>();
  let rows = 0;
  const counted: DataTable = {
    ...plainTable(table),
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
  };
  return { table: counted, rows: () => rows, dictionaries: () => dictionaries };
}

/** The members of a table that is not necessarily a plain object. */
function plainTable(table: DataTable): DataTable {
  const { name, schema, rows, metadata, derived, axis, layouts } = table;
  return {
    name,
    schema,
    rows,
    metadata,
    derived,
    axis,
    layouts,
    layout: (layout) => table.layout(layout),
    batches: (options) => table.batches(options),
    read: (options) => table.read(options),
  };
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

/** Parquet drops unused categories and their order: all of them, in order, go to a file of their own. */
async function writeCategories(counted: Counted, names: FileNames, target: Target, options: ParquetOptions) {
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
  return { ...(signal ? { signal } : {}), ...(compression ? { compression } : {}) };
}

function valuesTable(schema: Schema, values: Vector): DataTable {
  const batches = values.data.map((data) => {
    const struct = makeData({ type: new Struct(schema.fields), length: data.length, nullCount: 0, children: [data] });
    return new RecordBatch(schema, struct);
  });
  const only = () => {
    throw new InvalidInputError("a table of categories is only written");
  };
  return {
    name: "categories",
    schema,
    rows: values.length,
    metadata: { kind: "array", shape: [values.length] },
    derived: false,
    axis: null,
    layouts: [],
    layout: only,
    read: only,
    async *batches() {
      yield* batches;
    },
  };
}
