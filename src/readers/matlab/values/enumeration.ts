/** Enumerations: which member of the class each element is. */

import type { StoredArray } from "../../../containers/tree/container.js";
import { textArray } from "./memory-array.js";
import { rowsOf } from "./numeric.js";
import type { EnumerationValue } from "./value.js";
import type { ValueColumn } from "./value-column.js";

/** null where the parts are not those of an enumeration. */
export function enumerationColumn(value: EnumerationValue, inFrame: boolean): ValueColumn | null {
  const indices = value.parts.get("ValueIndices");
  const { names } = value;
  if (indices?.kind !== "numeric" || indices.type.kind !== "int" || names === null) return null;
  const array: StoredArray = rowsOf(indices, inFrame);
  const codes = { kind: "array", array } as const;
  const categories = { kind: "array", array: textArray("ValueNames", names) } as const;
  return {
    plan: { kind: "categorical", codes, categories, ordered: false },
    nullable: true,
    rows: array.shape?.[0] ?? 1,
    size: indices.size,
    kind: "categorical",
    metadata: { ...value.metadata, enumeration: true },
  };
}
