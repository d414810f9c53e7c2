/** What DuckDB takes in another form than Arrow has it, or not at all (measured with DuckDB-WASM 1.32). */

import { Data, DataType, Float32, Int64, List, makeData, Precision, type Schema, TimeUnit } from "apache-arrow";
import { InvalidInputError, UnsupportedError } from "../errors.js";
import type { Substitute } from "./substitute.js";

/**
 * Half precision becomes Float32 (every value is exact in it), lists of the fixed size 0 become lists, and
 * nanosecond durations become Int64 nanoseconds, which DuckDB's intervals would cut to microseconds.
 */
export function duckdbRule(type: DataType): Substitute | null {
  if (DataType.isFloat(type) && type.precision === Precision.HALF) return { type: new Float32(), data: widened };
  if (DataType.isDuration(type) && type.unit === TimeUnit.NANOSECOND) {
    const after = new Int64();
    return { type: after, data: (data) => new Data(after, data.offset, data.length, data.nullCount, data.buffers) };
  }
  if (DataType.isFixedSizeList(type) && type.listSize === 0) {
    const after = new List(type.children[0]);
    return {
      type: after,
      data: ({ offset, length, nullCount, nullBitmap, children: [child] }) => {
        const valueOffsets = new Int32Array(length + 1);
        return makeData({ type: after, offset, length, nullCount, nullBitmap, valueOffsets, child });
      },
    };
  }
  return null;
}

function widened(data: Data): Data {
  const halves: Uint16Array = data.values;
  const values = new Float32Array(data.length);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < data.length; i++) bits[i] = singleBits(halves[i]);
  const { offset, length, nullCount } = data;
  return makeData({ type: new Float32(), offset, length, nullCount, nullBitmap: data.nullBitmap, data: values });
}

/** The binary32 of a binary16, payloads of NaN kept. */
function singleBits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 1023) << 13);
}

/**
 * @throws {UnsupportedError} for unions, structs without fields, tables without columns.
 * @throws {InvalidInputError} where two columns differ in capitals only, which DuckDB cannot tell apart.
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
      throw new InvalidInputError(
        `DuckDB cannot tell the columns "${other}" and "${name}" apart; load one of them, by naming columns`,
        { element },
      );
    }
    seen.set(name.toLowerCase(), name);
  }
}

function unsupported(type: DataType): string | null {
  if (DataType.isUnion(type)) return "a union";
  if (DataType.isStruct(type) && type.children.length === 0) return "structs without fields";
  const inner = DataType.isDictionary(type) ? [type.dictionary] : (type.children ?? []).map((child) => child.type);
  return inner.map(unsupported).find((problem) => problem !== null) ?? null;
}
