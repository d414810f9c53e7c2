/**
 * Converts MATLAB variables to elements below `uns`. A value becomes an element, and a struct or cell becomes a
 * mapping.
 */

import type { Column } from "../../../arrow/column.js";
import type { TableMetadata } from "../../../model/dataset.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { createListingMembers, foldTableRows, replaceListedPaths } from "../../../tables/reshaped-tables.js";
import { createRenamedTable } from "../view/renamed.js";
import { findRowWidth, getOrigin, toSparseElement } from "./origin.js";
import type { MatlabVariable } from "./variables.js";

/**
 * Returns a value as the element `name`. For a struct or cell, returns the elements it contains, and the derived table
 * of their paths.
 */
export function toMappingElements(
  { table, path, below, listing }: MatlabVariable,
  name: string,
): ReadonlyMap<string, ColumnTable> {
  if (table !== null) return new Map([[name, leafOf(table, name)]]);
  const all = new Map<string, ColumnTable>();
  if (listing !== null) all.set(name, replaceListedPaths(listing, path, name));
  for (const [key, one] of below) all.set(`${name}/${key}`, leafOf(one, `${name}/${key}`));
  return all;
}

function leafOf(table: ColumnTable, name: string): ColumnTable {
  const { metadata } = table;
  const size = metadata?.size;
  // A table without a size was written from an element, and has been read back as that element.
  if (metadata === null || !Array.isArray(size)) return createRenamedTable(table, name, metadata);
  if (metadata.kind === "cell" && table.rows === 0) return emptyTexts(name);
  const sparse = toSparseElement(table, name);
  if (sparse !== null) return sparse;
  const origin = getOrigin(table);
  if (origin === null) return createRenamedTable(table, name, plainMetadata(table, metadata));
  const width = findRowWidth(origin);
  const isVector = size.length === 2 && table.fields[0].type.id !== "FixedSizeList";
  const folded = width !== null && isVector ? foldTableRows(table, [size[0], size[1]]) : table;
  return createRenamedTable(folded, name, origin.metadata);
}

/** Creates a string table without rows for an empty cell array, whose value type is unknown. */
function emptyTexts(name: string): ColumnTable {
  const type = { id: "Utf8" } as const;
  const [offsets, bytes] = [new Int32Array(1), new Uint8Array(0)];
  const none: Column = { layout: "variable", length: 0, validity: null, type, offsets, bytes };
  return {
    ...createListingMembers(name, 0),
    ...{ metadata: { kind: "string-array", shape: [0] }, repeatable: true },
    fields: [{ name: "value", type, nullable: false }],
    async *batches() {
      yield { length: 0, columns: [none] };
    },
  };
}

/** Returns the generic metadata that corresponds to a MATLAB class. */
function plainMetadata({ fields, rows }: ColumnTable, { kind, index }: TableMetadata): TableMetadata | null {
  if (kind === "rec-array" && rows !== null) return { kind, shape: [rows] };
  if (fields.length > 1 || kind === "dataframe" || kind === "rec-array") {
    return { kind: "dataframe", index };
  }
  const isScalar = rows === 1 && (kind === "string" || kind === "numeric-scalar");
  return isScalar ? { kind, shape: [] } : null;
}
