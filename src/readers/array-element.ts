/** A stored array as a table of its own: one column `value`, or one column for each field of a record. */

import { storedMayBeNull } from "../arrow/stored.js";
import type { ArrowField } from "../arrow/type.js";
import { storageMetadata } from "../arrow/written-type.js";
import type { StoredArray } from "../containers/tree/container.js";
import { columnType } from "../jobs/rows/columns.js";
import type { TableMetadata } from "../model/dataset.js";
import type { TableElement } from "./element.js";

/** Stands for what has no value at all. */
export function nullElement(metadata: Readonly<Record<string, unknown>>): TableElement {
  return {
    kind: "table",
    fields: [{ name: "value", type: { id: "Null" }, nullable: true }],
    metadata: { kind: "null", shape: [], ...metadata },
    rows: 1,
    plan: { kind: "columns", columns: [{ kind: "null" }] },
    shape: [],
  };
}

/**
 * @param metadata of the table; its `shape` is that of the element, where the stored one says it otherwise.
 * @throws {UnsupportedError} for values that have no Arrow type.
 */
export function arrayElement(
  array: StoredArray,
  metadata: TableMetadata & { readonly shape: readonly number[] },
): TableElement {
  const { shape } = metadata;
  const rows = array.shape?.[0] ?? 1;
  if (array.type.kind === "record" && (array.shape ?? []).length <= 1) {
    const columns = array.type.fields.map((_, field) => ({ kind: "field", array, field }) as const);
    const fields = array.type.fields.map((one, i): ArrowField => {
      const stored = storageMetadata(one.type);
      return {
        name: one.name,
        type: columnType(columns[i]),
        nullable: one.shape.length === 0 && storedMayBeNull(one.type),
        ...(Object.keys(stored).length === 0 ? {} : { metadata: stored }),
      };
    });
    return { kind: "table", fields, metadata, rows, plan: { kind: "columns", columns }, shape };
  }
  const plan = { kind: "array", array } as const;
  return {
    kind: "table",
    fields: [{ name: "value", type: columnType(plan), nullable: arrayMayBeNull(array) }],
    metadata: { ...metadata, ...storageMetadata(array.type) },
    rows,
    plan: { kind: "columns", columns: [plan] },
    shape,
  };
}

/** Whether a row of the array can be missing: a list of values that can be is none. */
export function arrayMayBeNull({ type, shape }: StoredArray): boolean {
  return (shape?.length ?? 0) <= 1 && storedMayBeNull(type);
}
