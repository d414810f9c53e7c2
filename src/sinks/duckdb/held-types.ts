/** The types and names of tables in DuckDB: what it cannot hold, and what it holds in another form. */

import { DataType, Int64, type Schema, TimeUnit } from "apache-arrow";
import { repeatedName } from "../../kernels/text/names.js";
import { InvalidInputError, RefusedError, UnsupportedError } from "../../model/errors.js";
import { emptyListAsList, halfAsSingle, retyped, type Substitute } from "../substitute.js";

/**
 * Half precision becomes Float32 (every value is exact in it), lists of the fixed size 0 become lists, and
 * nanosecond durations become Int64 nanoseconds, which DuckDB's intervals would cut to microseconds.
 */
export function duckdbRule(type: DataType): Substitute | null {
  if (DataType.isDuration(type) && type.unit === TimeUnit.NANOSECOND) return retyped(new Int64());
  return halfAsSingle(type) ?? emptyListAsList(type);
}

/**
 * Checks that DuckDB can hold a table.
 * @throws {UnsupportedError} for unions, structs without fields or with two fields of one name, tables without columns.
 * @throws {InvalidInputError} where two columns have one name, or names that differ only in case.
 */
export function checkForDuckDB(schema: Schema, element: string): void {
  if (schema.fields.length === 0) throw new UnsupportedError("has no columns, which DuckDB cannot hold", { element });
  const seen = new Map<string, string>();
  for (const { name, type } of schema.fields) {
    const problem = unsupported(type);
    if (problem !== null) {
      throw new UnsupportedError(`column "${name}" holds ${problem}, which DuckDB cannot; leave it out`, { element });
    }
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      const what =
        other === name
          ? `two columns have the name "${name}", which a table of DuckDB has once; leave them out, by naming columns`
          : `DuckDB cannot tell the columns "${other}" and "${name}" apart; load one of them, by naming columns`;
      throw new RefusedError(what, { element });
    }
    seen.set(name.toLowerCase(), name);
  }
}

function unsupported(type: DataType): string | null {
  if (DataType.isUnion(type)) return "a union";
  if (DataType.isStruct(type) && type.children.length === 0) return "structs without fields";
  if (DataType.isStruct(type) && repeatedName(type.children.map(({ name }) => name)) !== null) {
    return "structs with two fields of one name";
  }
  const inner = DataType.isDictionary(type) ? [type.dictionary] : (type.children ?? []).map((child) => child.type);
  return inner.map(unsupported).find((problem) => problem !== null) ?? null;
}

/** @throws {InvalidInputError} for names that differ in capitals alone. */
export function refuseSameNames(names: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw new InvalidInputError(`DuckDB cannot tell the tables "${other}" and "${name}" apart; load one of them`);
    }
    seen.set(name.toLowerCase(), name);
  }
}
