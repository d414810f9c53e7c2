/** Writes the elements at given positions in Arrow data to vectors of DuckDB's chunks. */

import { type Data, DataType, DateUnit, IntervalUnit, TimeUnit, type Vector } from "apache-arrow";
import { toColumnOfType } from "../../arrow/apache/apache-columns.js";
import { emptyData } from "../../arrow/apache/raw-data.js";
import type { VariableColumn } from "../../arrow/column.js";
import { once } from "../../kernels/values/once.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { quoteSqlName, quoteSqlText } from "./engine.js";
import type { Bindings, NativeVector } from "./native-connection.node.js";

/** Positions of elements in Arrow data; -1 represents a null. */
type Positions = Int32Array;

export interface NativeWriter {
  readonly sql: string;
  /** Writes the elements at the positions `at` in `data` to the beginning of the vector. */
  write(vector: NativeVector, data: Data, at: Positions): void;
}

const MICROSECONDS = { [TimeUnit.SECOND]: 1_000_000n, [TimeUnit.MILLISECOND]: 1000n, [TimeUnit.MICROSECOND]: 1n };
const TIMESTAMPS = {
  [TimeUnit.SECOND]: "TIMESTAMP_S",
  [TimeUnit.MILLISECOND]: "TIMESTAMP_MS",
  [TimeUnit.MICROSECOND]: "TIMESTAMP",
  [TimeUnit.NANOSECOND]: "TIMESTAMP_NS",
};

/**
 * Creates a writer for vectors of `type`.
 * @param dictionary the dictionary of an ordered categorical column. Its categories become the values of an ENUM.
 * @throws {UnsupportedError} for types that DuckDB cannot hold.
 */
export function createVectorWriter(bindings: Bindings, type: DataType, dictionary?: Vector): NativeWriter {
  const inner = (one: DataType) => createVectorWriter(bindings, one);
  if (DataType.isNull(type)) return numbers("INTEGER", Int32Array, () => 0);
  if (DataType.isBool(type)) {
    return numbers(
      "BOOLEAN",
      Uint8Array,
      ({ values, offset }, i) => (values[(offset + i) >> 3] >> ((offset + i) & 7)) & 1,
    );
  }
  if (DataType.isInt(type)) {
    const name = { 8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT" }[type.bitWidth];
    return same(type.isSigned ? name : `U${name}`, type);
  }
  if (DataType.isFloat(type)) return same(type.ArrayType === Float32Array ? "FLOAT" : "DOUBLE", type);
  if (DataType.isDate(type)) {
    if (type.unit === DateUnit.DAY) return same("DATE", type);
    return numbers("DATE", Int32Array, ({ values }, i) => Math.floor(Number(values[i]) / 86_400_000));
  }
  if (DataType.isTimestamp(type)) {
    const { unit } = type;
    if (!type.timezone) return same(TIMESTAMPS[unit], type);
    const micros = (value: bigint) =>
      unit === TimeUnit.NANOSECOND ? exactQuotient(value) : checked(value * MICROSECONDS[unit]);
    return numbers("TIMESTAMPTZ", BigInt64Array, ({ values }, i) => micros(values[i]));
  }
  if (DataType.isTime(type)) {
    const { unit } = type;
    if (unit === TimeUnit.NANOSECOND) return same("TIME_NS", type);
    return numbers("TIME", BigInt64Array, ({ values }, i) => BigInt(values[i]) * MICROSECONDS[unit]);
  }
  if (DataType.isDuration(type)) {
    const { unit } = type;
    if (unit === TimeUnit.NANOSECOND) return same("BIGINT", type);
    return intervals(({ values }, i) => ({ micros: checked(values[i] * MICROSECONDS[unit]) }));
  }
  if (DataType.isInterval(type)) return calendarIntervals(type.unit);
  if (DataType.isDecimal(type) && type.bitWidth === 128) return decimals(type.precision, type.scale);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type)) return texts("VARCHAR");
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isBinaryView(type)) return texts("BLOB");
  if (DataType.isFixedSizeBinary(type)) return fixedBytes(type.byteWidth);
  if (DataType.isDictionary(type)) {
    const names = type.isOrdered && dictionary !== undefined ? categoriesOf(dictionary) : null;
    return names === null ? ofDictionary(inner(type.dictionary), type.dictionary) : enums(names);
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const values = inner(type.valueType);
    return lists(`${values.sql}[]`, values);
  }
  if (DataType.isFixedSizeList(type)) return arrays(type.listSize, inner(type.valueType));
  if (DataType.isMap(type)) {
    const [key, value] = type.children[0].type.children.map((field) => inner(field.type));
    return lists(`MAP(${key.sql}, ${value.sql})`, structs("", [key, value]));
  }
  if (DataType.isStruct(type)) {
    const fields = type.children.map((field) => ({ name: field.name, writer: inner(field.type) }));
    const sql = fields.map(({ name, writer }) => `${quoteSqlName(name)} ${writer.sql}`).join(", ");
    const writers = fields.map(({ writer }) => writer);
    return structs(`STRUCT(${sql})`, writers);
  }
  throw new UnsupportedError(`DuckDB cannot hold the type ${type}`);

  /** Writes the numbers that `value` computes from the elements. */
  function numbers<N extends number | bigint>(
    sql: string,
    Values: new (length: number) => { [i: number]: N } & ArrayBufferView,
    value: (data: Data, i: number) => N,
  ): NativeWriter {
    return {
      sql,
      write(vector, data, at) {
        const out = new Values(at.length);
        const valid = validity(bindings, vector, data, at);
        for (let i = 0; i < at.length; i++) if (valid(i)) out[i] = value(data, at[i]);
        put(bindings, vector, out);
      },
    };
  }

  /** Writes numbers that DuckDB stores in the same form as Arrow. */
  function same(sql: string, { ArrayType }: DataType): NativeWriter {
    const picked = numbers<number | bigint>(sql, ArrayType, ({ values }, i) => values[i]);
    return {
      sql,
      write(vector, data, at) {
        if (data.nullCount > 0 || !isRun(at)) return picked.write(vector, data, at);
        put(bindings, vector, data.values.slice(at[0], at[0] + at.length));
      },
    };
  }

  function intervals(
    parts: (data: Data, i: number) => { months?: number; days?: number; micros?: bigint },
  ): NativeWriter {
    return {
      sql: "INTERVAL",
      write(vector, data, at) {
        const small = new Int32Array(4 * at.length);
        const large = new BigInt64Array(small.buffer);
        const valid = validity(bindings, vector, data, at);
        for (let i = 0; i < at.length; i++) {
          if (!valid(i)) continue;
          const { months = 0, days = 0, micros = 0n } = parts(data, at[i]);
          small[4 * i] = months;
          small[4 * i + 1] = days;
          large[2 * i + 1] = micros;
        }
        put(bindings, vector, small);
      },
    };
  }

  function calendarIntervals(unit: IntervalUnit): NativeWriter {
    switch (unit) {
      case IntervalUnit.YEAR_MONTH:
        return intervals(({ values }, i) => ({ months: values[i] }));
      case IntervalUnit.DAY_TIME:
        return intervals(({ values }, i) => ({ days: values[2 * i], micros: 1000n * BigInt(values[2 * i + 1]) }));
      case IntervalUnit.MONTH_DAY_NANO:
        return intervals(({ values }, i) => {
          const nanos = (BigInt(values[4 * i + 3]) << 32n) | BigInt(values[4 * i + 2] >>> 0);
          return { months: values[4 * i], days: values[4 * i + 1], micros: exactQuotient(nanos) };
        });
      default:
        throw new UnsupportedError(`DuckDB cannot hold the type ${type}`);
    }
  }

  /** Writes decimals, which have 2 to 16 bytes in DuckDB, depending on their digits. */
  function decimals(digits: number, scale: number): NativeWriter {
    const bytes = digits > 18 ? 16 : digits > 9 ? 8 : digits > 4 ? 4 : 2;
    return {
      sql: `DECIMAL(${digits}, ${scale})`,
      write(vector, data, at) {
        const stored = new Uint8Array(data.values.buffer, data.values.byteOffset, data.values.byteLength);
        copyFixed(vector, data, at, { stored, step: 16, bytes });
      },
    };
  }

  function copyFixed(
    vector: NativeVector,
    data: Data,
    at: Positions,
    { stored, step, bytes }: { stored: Uint8Array; step: number; bytes: number },
  ): void {
    const out = new Uint8Array(at.length * bytes);
    const valid = validity(bindings, vector, data, at);
    for (let i = 0; i < at.length; i++) {
      if (valid(i)) out.set(stored.subarray(at[i] * step, at[i] * step + bytes), i * bytes);
    }
    put(bindings, vector, out);
  }

  function texts(sql: string): NativeWriter {
    const columnOf = kept((data: Data): VariableColumn => {
      const column = toColumnOfType(data, { id: sql === "BLOB" ? "Binary" : "Utf8" });
      if (column.layout !== "variable") throw new TypeError("texts are a variable column");
      return column;
    });
    return {
      sql,
      write(vector, data, at) {
        const { offsets, bytes } = columnOf(data);
        const valid = validity(bindings, vector, data, at);
        putTexts(bindings, vector, at.length, (i) =>
          valid(i) ? bytes.subarray(offsets[at[i]], offsets[at[i] + 1]) : null,
        );
      },
    };
  }

  function fixedBytes(width: number): NativeWriter {
    return {
      sql: "BLOB",
      write(vector, data, at) {
        const valid = validity(bindings, vector, data, at);
        const { values } = data;
        putTexts(bindings, vector, at.length, (i) =>
          valid(i) ? values.subarray(at[i] * width, (at[i] + 1) * width) : null,
        );
      },
    };
  }

  function ofDictionary(values: NativeWriter, valueType: DataType): NativeWriter {
    const none = once(() => emptyData(valueType));
    return {
      sql: values.sql,
      write(vector, data, at) {
        const chunks = data.dictionary?.data ?? [];
        if (chunks.length > 1) throw new InvalidInputError("a dictionary column has a dictionary in several pieces");
        values.write(vector, chunks[0] ?? none(), chunks.length === 0 ? at.map(() => -1) : keysAt(data, at));
      },
    };
  }

  function enums(names: readonly string[]): NativeWriter {
    const Codes = names.length <= 2 ** 8 ? Uint8Array : names.length <= 2 ** 16 ? Uint16Array : Uint32Array;
    const isSame = kept((other: Vector) => {
      const found = categoriesOf(other);
      return found !== null && found.length === names.length && found.every((name, i) => name === names[i]);
    });
    return {
      sql: `ENUM(${names.map(quoteSqlText).join(", ")})`,
      write(vector, data, at) {
        if (data.dictionary === undefined || !isSame(data.dictionary)) {
          throw new UnsupportedError("the ordered categories of a column change from batch to batch");
        }
        const valid = validity(bindings, vector, data, at);
        const codes = new Codes(keysAt(data, at)).map((key, i) => (valid(i) ? key : 0));
        put(bindings, vector, codes);
      },
    };
  }

  function lists(sql: string, values: NativeWriter): NativeWriter {
    return {
      sql,
      write(vector, data, at) {
        const valid = validity(bindings, vector, data, at);
        const pairs = new BigUint64Array(2 * at.length);
        const { valueOffsets } = data;
        const first = (i: number) => Number(valueOffsets[at[i]]);
        const lengthAt = (i: number) => (valid(i) ? Number(valueOffsets[at[i] + 1]) - first(i) : 0);
        let total = 0;
        for (let i = 0; i < at.length; i++) {
          const length = lengthAt(i);
          pairs[2 * i] = BigInt(total);
          pairs[2 * i + 1] = BigInt(length);
          total += length;
        }
        const within = new Int32Array(total);
        for (let i = 0, out = 0; i < at.length; i++) {
          const start = first(i);
          for (let k = 0, length = lengthAt(i); k < length; k++) within[out++] = start + k;
        }
        bindings.list_vector_reserve(vector, total);
        bindings.list_vector_set_size(vector, total);
        if (total > 0) values.write(bindings.list_vector_get_child(vector), data.children[0], within);
        put(bindings, vector, pairs);
      },
    };
  }

  function arrays(width: number, values: NativeWriter): NativeWriter {
    return {
      sql: `${values.sql}[${width}]`,
      write(vector, data, at) {
        const valid = validity(bindings, vector, data, at);
        const within = new Int32Array(at.length * width);
        for (let i = 0, out = 0; i < at.length; i++) {
          for (let k = 0; k < width; k++) within[out++] = valid(i) ? at[i] * width + k : -1;
        }
        values.write(bindings.array_vector_get_child(vector), data.children[0], within);
      },
    };
  }

  function structs(sql: string, fields: readonly NativeWriter[]): NativeWriter {
    return {
      sql,
      write(vector, data, at) {
        const valid = validity(bindings, vector, data, at);
        const within = at.map((position, i) => (valid(i) ? position : -1));
        for (const [i, field] of fields.entries()) {
          field.write(bindings.struct_vector_get_child(vector, i), data.children[i], within);
        }
      },
    };
  }
}

/** Whether the positions are consecutive. */
function isRun(at: Positions): boolean {
  for (let i = 0; i < at.length; i++) if (at[i] !== at[0] + i) return false;
  return at.length > 0 && at[0] >= 0;
}

/** Sets the nulls of a vector. @returns a function that tests the element at an index for null. */
function validity(bindings: Bindings, vector: NativeVector, data: Data, at: Positions): (i: number) => boolean {
  const mayBeNull = data.nullCount > 0 || DataType.isNull(data.type);
  const isNull = (position: number) =>
    position < 0 || (mayBeNull && (DataType.isNull(data.type) || !data.getValid(position)));
  if (!at.some(isNull)) return () => true;
  const bits = new Uint8Array(8 * Math.ceil(at.length / 64)).fill(0xff);
  for (let i = 0; i < at.length; i++) if (isNull(at[i])) bits[i >> 3] &= ~(1 << (i & 7));
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
  return (i) => ((bits[i >> 3] >> (i & 7)) & 1) === 1;
}

function put(bindings: Bindings, vector: NativeVector, values: ArrayBufferView): void {
  if (values.byteLength === 0) return;
  const { buffer, byteOffset, byteLength } = values;
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError("values of a vector lie in memory of their own");
  bindings.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength);
}

/** A text of at most 12 bytes is stored in the vector itself, after its length. */
const INLINE = 12;
const CELL = 16;

function putTexts(
  bindings: Bindings,
  vector: NativeVector,
  length: number,
  text: (i: number) => Uint8Array | null,
): void {
  const cells = new Uint8Array(length * CELL);
  const lengths = new DataView(cells.buffer);
  const long: [i: number, text: Uint8Array][] = [];
  for (let i = 0; i < length; i++) {
    const bytes = text(i);
    if (bytes === null) continue;
    if (bytes.length > INLINE) {
      long.push([i, bytes]);
      continue;
    }
    lengths.setUint32(i * CELL, bytes.length, true);
    cells.set(bytes, i * CELL + 4);
  }
  put(bindings, vector, cells);
  for (const [i, bytes] of long) bindings.vector_assign_string_element_len(vector, i, bytes);
}

/** Returns the keys of a dictionary column's elements; -1 for nulls. */
function keysAt(data: Data, at: Positions): Int32Array {
  const { values, nullCount } = data;
  return at.map((i) => (i < 0 || (nullCount > 0 && !data.getValid(i)) ? -1 : Number(values[i])));
}

/**
 * Returns a dictionary's values as the names of an ENUM. Returns null if there are no values, or if they are not text,
 * repeat, or include nulls.
 */
function categoriesOf(dictionary: Vector): readonly string[] | null {
  if (!DataType.isUtf8(dictionary.type) && !DataType.isLargeUtf8(dictionary.type)) return null;
  const names: string[] = [];
  for (const name of dictionary) {
    if (typeof name !== "string") return null;
    names.push(name);
  }
  return names.length === 0 || new Set(names).size < names.length ? null : names;
}

/** Caches the results of `make`. Each result is kept as long as its argument exists. */
function kept<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

const MOST = 2n ** 63n - 1n;

function checked(micros: bigint): bigint {
  if (micros <= MOST && micros >= -MOST) return micros;
  throw new UnsupportedError(`a time is ${micros} microseconds, which DuckDB cannot hold`);
}

/** Converts nanoseconds to microseconds. */
function exactQuotient(nanos: bigint): bigint {
  if (nanos % 1000n === 0n) return nanos / 1000n;
  throw new UnsupportedError(`a time has ${nanos} nanoseconds, and DuckDB's type only microseconds`);
}
