/** Types that nodejs-polars rejects, or accepts only in a form other than Arrow's (tested with version 0.24). */

import {
  BufferType,
  Data,
  DataType,
  DurationMillisecond,
  type Schema,
  Timestamp,
  TimestampMillisecond,
  TimeUnit,
} from "apache-arrow";
import { findRepeatedName } from "../../kernels/text/names.js";
import { UnsupportedError } from "../../model/errors.js";
import { emptyListAsList, type Substitute, substituteHalfFloat } from "../substitute.js";

/**
 * Returns the substitute for a type in Polars. Half precision becomes Float32, and lists of the fixed size 0 become
 * lists. Seconds become milliseconds, because Polars has no seconds and multiplies them without an overflow check.
 */
export function findPolarsSubstitute(type: DataType): Substitute | null {
  if (DataType.isTimestamp(type) && type.unit === TimeUnit.SECOND) {
    return inMilliseconds(
      type.timezone ? new Timestamp(TimeUnit.MILLISECOND, type.timezone) : new TimestampMillisecond(),
    );
  }
  if (DataType.isDuration(type) && type.unit === TimeUnit.SECOND) return inMilliseconds(new DurationMillisecond());
  return substituteHalfFloat(type) ?? emptyListAsList(type);
}

const FARTHEST = (2n ** 63n - 1n) / 1000n;

function inMilliseconds(type: Timestamp | DurationMillisecond): Substitute {
  return {
    type,
    data(data: Data) {
      const seconds: BigInt64Array = data.values;
      const values = new BigInt64Array(data.length);
      for (let i = 0; i < data.length; i++) {
        // The bytes of a null are undefined.
        if (data.nullCount > 0 && !data.getValid(i)) continue;
        if (seconds[i] > FARTHEST || seconds[i] < -FARTHEST) {
          throw new UnsupportedError(`${seconds[i]} seconds, Polars counts milliseconds, at most ${FARTHEST} seconds`);
        }
        values[i] = seconds[i] * 1000n;
      }
      const { offset, length, nullCount, nullBitmap } = data;
      return new Data(type, offset, length, nullCount, {
        [BufferType.DATA]: values,
        [BufferType.VALIDITY]: nullBitmap,
      });
    },
  };
}

/**
 * Checks that Polars can hold a table; its engine panics otherwise.
 * @throws {UnsupportedError} for bytes, unions, intervals, columns or fields with the same name, and tables without
 * columns.
 */
export function checkForPolars(schema: Schema, element: string): void {
  if (schema.fields.length === 0) throw new UnsupportedError("has no columns, which Polars cannot hold", { element });
  const seen = new Set<string>();
  for (const { name, type } of schema.fields) {
    if (seen.has(name)) throw new UnsupportedError(`two columns "${name}", Polars holds one`, { element });
    seen.add(name);
    const problem = unsupported(type);
    if (problem === null) continue;
    throw new UnsupportedError(`column "${name}" holds ${problem}, which nodejs-polars cannot; leave it out`, {
      element,
    });
  }
}

function unsupported(type: DataType): string | null {
  if (DataType.isUnion(type)) return "a union";
  if (DataType.isInterval(type)) return "calendar intervals";
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type)) return "bytes";
  if (DataType.isStruct(type) && findRepeatedName(type.children.map(({ name }) => name)) !== null) {
    return "structs with two fields of one name";
  }
  const inner = DataType.isDictionary(type) ? [type.dictionary] : (type.children ?? []).map((child) => child.type);
  return inner.map(unsupported).find((problem) => problem !== null) ?? null;
}
