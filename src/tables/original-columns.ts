/**
 * Restores the original names that columns had before a table got positions (`table-columns.ts`) or distinct names
 * (`distinct-columns.ts`). The fields' metadata contain the original names and mark position columns, which do not
 * belong to the table.
 */

import type { ArrowField } from "../arrow/type.js";
import type { ColumnTable } from "./column-table.js";
import { getOriginalName, renameInMetadata } from "./distinct-columns.js";

/** A field whose metadata are parsed. */
export type AnyField = Pick<ArrowField, "name" | "metadata">;

/** Returns the table without the added position columns, and with the original column names. */
export function restoreOriginalColumns(table: ColumnTable): ColumnTable {
  const { fields } = table;
  if (!fields.some(isChanged)) return table;
  const places = listOriginalPositions(fields);
  const nameOf = createNameRestorer(fields);
  const { stored: _, kept: _kept, blocks: _blocks, only, metadata, ...rest } = table;
  const index = metadata?.index;
  return {
    ...rest,
    fields: places.map((place) => restoreOriginalField(fields[place], nameOf)),
    metadata: metadata !== null && typeof index === "string" ? { ...metadata, index: nameOf(index) } : metadata,
    schemaMetadata: new Map([...table.schemaMetadata].map(([key, text]) => [key, renameInMetadata(key, text, nameOf)])),
    layout: async (layout) => restoreOriginalColumns(await table.layout(layout)),
    only:
      only === undefined
        ? undefined
        : (some) =>
            restoreOriginalColumns(
              only.call(
                table,
                some.map((at) => places[at]),
              ),
            ),
    async *batches(options) {
      for await (const { length, columns } of table.batches(options)) {
        yield { length, columns: places.map((place) => columns[place]) };
      }
    },
  };
}

const isPosition = ({ metadata }: AnyField) => metadata?.position === true;
/** True if a field was added to its table or renamed. */
export const isChanged = (field: AnyField) =>
  isPosition(field) || getOriginalName(field.name, field.metadata) !== field.name;

/** Returns the positions of the fields that were not added to the table. */
export function listOriginalPositions(fields: readonly AnyField[]): readonly number[] {
  return fields.flatMap((field, place) => (isPosition(field) ? [] : [place]));
}

/**
 * Returns a function that maps a column's current name to its original name. A column keeps its current name if the
 * original one is taken.
 */
export function createNameRestorer(fields: readonly AnyField[]): (name: string) => string {
  const columns = fields.filter((field) => !isPosition(field));
  const own = new Map(columns.map(({ name, metadata }) => [name, getOriginalName(name, metadata)]));
  const taken = new Set(columns.flatMap(({ name }) => (own.get(name) === name ? [name] : [])));
  return (name) => {
    const found = own.get(name) ?? name;
    return taken.has(found) ? name : found;
  };
}

export function restoreOriginalField({ metadata, ...field }: ArrowField, nameOf: (name: string) => string): ArrowField {
  const name = nameOf(field.name);
  if (metadata === undefined || name === field.name) return metadata === undefined ? field : { ...field, metadata };
  const { name: _, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? { ...field, name } : { ...field, name, metadata: rest };
}
