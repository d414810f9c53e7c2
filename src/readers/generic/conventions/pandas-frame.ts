/** The table of a pandas dataframe: index levels first, with the metadata that pyarrow would write for it. */

import { createPandasMetadata } from "../../../arrow/pandas.js";
import { isJsonObject, parseJsonObject } from "../../../model/json-object.js";
import { type ColumnElement, createDataframeTable, type TableElement } from "../../element.js";

/** A column. If it is a level of the index, it may have no name. */
export interface PandasColumn {
  readonly name: string | null;
  readonly column: ColumnElement;
}

/** @param path the dataframe's name in errors. */
export function createPandasFrame(
  path: string,
  levels: readonly PandasColumn[],
  columns: readonly PandasColumn[],
): TableElement {
  const taken = new Set(columns.map(({ name }) => name));
  const names = levels.map(({ name }, i) => (name === null || taken.has(name) ? `__index_level_${i}__` : name));
  const all = [...names, ...columns.map(({ name }) => name ?? "None")];
  const table = createDataframeTable(
    path,
    all,
    [...levels, ...columns].map(({ column }) => column),
    names.length === 1 ? { index: names[0] } : { index_columns: names },
  );
  const lost = names.map((name) => table.failures?.get(name)).find((failure) => failure !== undefined);
  if (lost !== undefined) throw lost;
  return {
    ...table,
    schemaMetadata: new Map([["pandas", withLevels(createPandasMetadata(table.fields), levels, names)]]),
  };
}

/** Adds all index levels to the metadata. If a level is unnamed, its name is null. */
function withLevels(json: string, levels: readonly PandasColumn[], names: readonly string[]): string {
  const metadata = parseJsonObject(json);
  if (metadata === null || !Array.isArray(metadata.columns)) return json;
  const columns = metadata.columns.map((column: unknown) => {
    if (!isJsonObject(column)) return column;
    const level = names.indexOf(String(column.field_name));
    return level < 0 ? column : { ...column, name: levels[level].name };
  });
  return JSON.stringify({ ...metadata, index_columns: names, columns });
}
