/** Converts matrix values to one of BPCells' three value types, and writes the array `val`. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { Bp128Page } from "../../kernels/bp128/page.js";
import { toFloats, toUint32 } from "../../kernels/sparse/whole-numbers.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import { type InvalidInputError, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import type { ColumnSink } from "../column-sink.js";
import { type BpcellsWriterContext, FLOAT32, FLOAT64, openNumbers, UINT32, type ValueType } from "./context.js";
import { PackedSink } from "./packed-sink.js";

export const STORED = { uint: UINT32, float: FLOAT32, double: FLOAT64 } as const;

/**
 * Returns the type of the stored values. Floats keep their type, and integers and booleans become unsigned, unless the
 * caller requests another type.
 * @throws {UnsupportedError} for values that are not numbers.
 */
export function pickValueType({ type }: ArrowField, wanted: ValueType | null, element: string): ValueType {
  const isNumber = type.id === "Bool" || type.id === "Int" || type.id === "Float";
  if (!isNumber)
    throw new UnsupportedError(`a matrix of ${describeArrowType(type)}; BPCells holds numbers`, { element });
  if (wanted !== null) return wanted;
  if (type.id !== "Float") return "uint";
  return type.bits === 64 ? "double" : "float";
}

/** Converts the columns of one matrix to numbers, and numbers to the stored type. */
export class MatrixValues {
  readonly type: ValueType;
  readonly #field: ArrowField;
  /** Name of the matrix, for errors. */
  readonly element: string;
  readonly #cx: BpcellsWriterContext;
  #rounded = false;
  #filled = false;

  constructor(field: ArrowField, type: ValueType, element: string, cx: BpcellsWriterContext) {
    this.type = type;
    this.#field = field;
    this.element = element;
    this.#cx = cx;
  }

  /**
   * Returns a column's numbers. Booleans become 0 and 1, and half floats become Float32.
   * @throws {InvalidInputError} for a missing value. If losses are allowed, a missing float becomes NaN.
   */
  numbers(column: Column): NumberArray {
    const form = toWrittenForm(this.#field);
    const hasNulls = column.validity !== null && column.validity.nullCount > 0;
    const fills = hasNulls && form.type.kind === "float" && this.type !== "uint";
    if (hasNulls && !(fills && this.#cx.lossy)) {
      throw new UnsupportedElementError(
        `${column.validity?.nullCount} of ${column.length} values are missing, for which BPCells has no form${fills ? "; write NaN in their place, or allow losses (--lossy): then they are written so" : ""}`,
        { element: this.element },
      );
    }
    if (fills && !this.#filled) this.#cx.warn(`${this.element}: missing values are written as NaN`);
    this.#filled ||= fills;
    const stored = toStoredValues(form, column, fills ? "fill" : "error");
    if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    const { values } = stored;
    return form.type.kind === "float" && form.type.bits === 16 ? Float32Array.from(values, half) : values;
  }

  /**
   * Writes numbers to `out` as unsigned integers.
   * @param first the number of the first entry, for messages.
   * @throws {InvalidInputError} for a number that is not an integer, or out of range.
   */
  unsigned(numbers: NumberArray, out: Uint32Array, first: number): void {
    const wrong = toUint32(numbers, out);
    if (wrong >= 0) throw this.notWhole(numbers[wrong], first + wrong);
  }

  notWhole(value: number | bigint, entry: number): InvalidInputError {
    const problem = `value ${value} of entry ${entry} is no whole number in 0 … ${2 ** 32 - 1}, which type uint holds`;
    const { type } = this.#field;
    const instead = type.id === "Float" && type.bits < 64 ? "float" : "double";
    return new UnsupportedElementError(`${problem}; write it as type ${instead}`, { element: this.element });
  }

  /**
   * Converts numbers to floats of the stored width. Floats that already have this width are not copied.
   * @throws {InvalidInputError} for a number that the type cannot represent exactly, unless losses are allowed.
   */
  floats(numbers: NumberArray, first: number): Float32Array | Float64Array {
    const isDouble = this.type === "double";
    if (isDouble && numbers instanceof Float64Array) return numbers;
    if (!isDouble && numbers instanceof Float32Array) return numbers;
    const out = isDouble ? new Float64Array(numbers.length) : new Float32Array(numbers.length);
    const wrong = toFloats(numbers, out);
    if (wrong < 0 || this.#rounded) return out;
    const problem = `value ${numbers[wrong]} of entry ${first + wrong} is not exact as type ${this.type}`;
    if (!this.#cx.lossy) {
      const others = isDouble
        ? "allow losses (--lossy): then it is rounded"
        : "write type double, or allow losses (--lossy): then it is rounded";
      throw new UnsupportedElementError(`${problem}; ${others}`, { element: this.element });
    }
    this.#rounded = true;
    this.#cx.warn(`${this.element}: ${problem}; such values are rounded`);
    return out;
  }
}

function half(bits: number | bigint): number {
  return decodeFloat16(Number(bits));
}

/**
 * Opens the array of values. The caller may reuse the values' memory once they are written.
 * @param page null if the matrix is not packed. Floats are never packed.
 */
export async function openValues(
  group: GroupWriter,
  values: MatrixValues,
  page: Bp128Page | null,
): Promise<ColumnSink<void, NumberArray>> {
  if (page === null || values.type !== "uint") return plainValues(group, values);
  const sink = await PackedSink.open(group, "val", "m1", page);
  let done = 0;
  return {
    async write(numbers) {
      for (let from = 0; from < numbers.length; ) {
        const room = sink.room();
        const part = numbers.subarray(from, from + room.length);
        if (part instanceof Float32Array) {
          room.set(new Uint32Array(part.buffer, part.byteOffset, part.length));
          const wrong = sink.wholeFloats(part.length);
          if (wrong >= 0) throw values.notWhole(part[wrong], done + wrong);
        } else if (!(part instanceof Int32Array) || sink.put(part, 2 ** 31) < 0) {
          values.unsigned(part, room, done);
        }
        await sink.filled(part.length);
        from += part.length;
        done += part.length;
      }
    },
    close: () => sink.close(),
  };
}

async function plainValues(group: GroupWriter, values: MatrixValues): Promise<ColumnSink<void, NumberArray>> {
  const array = await openNumbers(group, "val", STORED[values.type]);
  let done = 0;
  const stored = (numbers: NumberArray) => {
    if (values.type !== "uint") return values.floats(numbers, done);
    if (numbers instanceof Uint32Array) return numbers;
    const out = new Uint32Array(numbers.length);
    values.unsigned(numbers, out, done);
    return out;
  };
  return {
    async write(numbers) {
      if (numbers.length === 0) return;
      const written = stored(numbers);
      done += numbers.length;
      await array.write(written);
    },
    close: () => array.close(),
  };
}
