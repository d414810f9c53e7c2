/** `containers.Map` and `dictionary` objects: keys and their values. */

import { columnOf } from "./column.js";
import { elementColumn } from "./elements.js";
import { fieldsOf } from "./frame.js";
import { textIn } from "./property.js";
import type { ObjectValue, Value } from "./value.js";
import type { ValueColumn } from "./value-column.js";

export interface MapEntries {
  readonly key: ValueColumn;
  /** null where the values are no column: each stands for itself then. */
  readonly value: ValueColumn | null;
  readonly values: Value;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** null for a mapping of another form, such as a dictionary that is not configured. */
export async function readEntries(value: ObjectValue): Promise<MapEntries | null> {
  const isMap = value.class === "containers.Map";
  const get = fieldsOf(value.objects[0]?.get(isMap ? "serialization" : "data"));
  const keys = get?.(isMap ? "keys" : "Key");
  const values = get?.(isMap ? "values" : "Value");
  if (keys === undefined || values === undefined) return null;
  const key = await listColumn("key", keys);
  const column = await listColumn("value", values);
  if (key === null || (column !== null && column.rows !== key.rows)) return null;
  const metadata: Record<string, unknown> = { ...value.metadata };
  for (const name of ["keyType", "valueType"]) {
    const type = textIn(get?.(name));
    if (type !== null) metadata[name] = type;
  }
  return { key, value: column, values, metadata };
}

async function listColumn(name: string, value: Value): Promise<ValueColumn | null> {
  if (value.kind === "cell") return await elementColumn(name, value.items);
  return await columnOf(value, false);
}
