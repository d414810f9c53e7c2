/** Describes a dataset's content as JSON, for programs. */

import type { TableSet } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { escapeControlChars } from "annarrow/core/api";
import type { GeneIndexState } from "annarrow/core/query";
import {
  computeTableOutline,
  estimateTableBytes,
  getStorageOutline,
  type TableOutline,
} from "../tables/table-outline.js";

/** Returns the output of `inspect --json`: names, types, sizes and metadata of all tables, without their values. */
export async function toInspectJson(dataset: TableSet<OpenedTable>, companion: GeneIndexState | null = null) {
  const { source, format, version, container, shape, warnings } = dataset;
  return {
    ...{ source, format, version, container, shape },
    tables: (await Promise.all([...dataset.tables.values()].map(computeTableOutline))).map(tableJson),
    failures: [...dataset.failures].map(([name, error]) => ({ name, error: error.tag, message: error.message })),
    warnings,
    companion,
  };
}

function tableJson(table: TableOutline) {
  const { name, rows, derived, axis, layouts, metadata } = table;
  const bytes = estimateTableBytes(table);
  const storage = getStorageOutline(metadata);
  return {
    name,
    kind: metadata.kind,
    rows,
    bytes: bytes === null ? null : Math.ceil(bytes.size),
    bytesAreEstimated: bytes?.estimated ?? null,
    ...{ derived, axis, layouts, metadata },
    storage: storage ?? undefined,
    columns: table.columns.map(({ name, type, nullable, metadata }) => ({ name, type, nullable, metadata })),
  };
}

/** Formats a JSON document and escapes control characters as in JSON, so that its values stay the same. */
export function escapeJsonControlChars(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.replace(/[\x7f-\x9f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => escapeControlChars(character));
}
