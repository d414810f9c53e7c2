/** Checks a table's types and names for DuckDB. Some types are unsupported, and others are stored in another form. */

import { DataType, Int64, type Schema, TimeUnit } from "apache-arrow";
import { findRepeatedName } from "../../kernels/text/names.js";
import { UnsupportedError } from "../../model/errors.js";
import { emptyListAsList, type Substitute, substituteHalfFloat, substituteSameWidth } from "../substitute.js";

/**
 * Returns the substitute for a type. Half precision becomes Float32 (which holds every value exactly), lists of the
 * fixed size 0 become lists, and nanosecond durations become Int64 nanoseconds, because DuckDB's intervals have only
 * microseconds.
 */
export function findDuckDBSubstitute(type: DataType): Substitute | null {
  if (DataType.isDuration(type) && type.unit === TimeUnit.NANOSECOND) return substituteSameWidth(new Int64());
  return substituteHalfFloat(type) ?? emptyListAsList(type);
}

/**
 * Checks that DuckDB can hold the types of a table.
 * @throws {UnsupportedError} for unions, for structs that have no fields or two fields with the same name, and for
 * tables without columns.
 */
export function checkForDuckDB(schema: Schema, element: string): void {
  if (schema.fields.length === 0) throw new UnsupportedError("has no columns, which DuckDB cannot hold", { element });
  for (const { name, type } of schema.fields) {
    const problem = unsupported(type);
    if (problem === null) continue;
    throw new UnsupportedError(`column "${name}" holds ${problem}, which DuckDB cannot; leave it out`, { element });
  }
}

function unsupported(type: DataType): string | null {
  if (DataType.isUnion(type)) return "a union";
  if (DataType.isStruct(type) && type.children.length === 0) return "structs without fields";
  if (DataType.isStruct(type) && findRepeatedName(type.children.map(({ name }) => name)) !== null) {
    return "structs with two fields of one name";
  }
  const inner = DataType.isDictionary(type) ? [type.dictionary] : (type.children ?? []).map((child) => child.type);
  return inner.map(unsupported).find((problem) => problem !== null) ?? null;
}
