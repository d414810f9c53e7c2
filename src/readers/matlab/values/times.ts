/** Reads `datetime`, `duration` and `calendarDuration` objects, which store milliseconds as floats. */

import { createMemoryArray } from "../../../containers/picked/memory-array.js";
import { toColumnMajorIndex } from "../../../kernels/dense/column-major.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements, type StoredType } from "../../../model/stored.js";
import { readFixedValues } from "./memory-array.js";
import { toColumnMajorArray } from "./numeric.js";
import { getSingleText } from "./strings.js";
import { getColumnShape, type NumericValue, type ObjectValue, type Value, type ValueColumn } from "./value.js";

export const MAX_TIMES = 2 ** 26;

/** numpy's not-a-time, which becomes null. */
const NAT = -(2n ** 63n);

/** Milliseconds in column-major order. Each is the sum of two floats. */
interface Times {
  readonly size: readonly number[];
  readonly high: Float64Array;
  /** The smaller summand of each time; null if all of them are 0. */
  readonly low: Float64Array | null;
}

/** Reads the times in an object. @throws {InvalidDataError} if the object contains no times. */
export async function readTimes(value: ObjectValue): Promise<Times> {
  const own = value.objects[0]?.get(value.class === "datetime" ? "data" : "millis");
  if (own?.kind !== "numeric") throw new InvalidDataError(`a ${value.class} without its times`);
  const { values } = await readFixedValues(toColumnMajorArray(own), MAX_TIMES);
  if (!(values instanceof Float64Array)) throw new InvalidDataError(`the times of a ${value.class} are no doubles`);
  if (own.type.kind !== "complex") return { size: own.size, high: values, low: null };
  const count = countElements(own.size);
  const [high, low] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) [high[i], low[i]] = [values[2 * i], values[2 * i + 1]];
  return { size: own.size, high, low };
}

/** Returns the time zone; `""` for durations, and for times without a zone. */
function zoneOf(value: ObjectValue): string {
  return value.class === "datetime" ? (getSingleText(value.objects[0]?.get("tz")) ?? "") : "";
}

export async function createTimeColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn> {
  return toTimesColumn(value.class, await readTimes(value), inFrame, timeMetadata(value));
}

function timeMetadata(value: ObjectValue): Readonly<Record<string, unknown>> {
  const format = getSingleText(value.objects[0]?.get("fmt"));
  const zone = zoneOf(value);
  return { ...value.metadata, ...(format === null ? {} : { fmt: format }), ...(zone === "" ? {} : { timezone: zone }) };
}

/** Joins scalar times into a column; null if any of them is not scalar or has a different time zone. */
export async function joinTimes(items: readonly ObjectValue[]): Promise<ValueColumn | null> {
  const [first] = items;
  const all = { high: new Float64Array(items.length), low: new Float64Array(items.length) };
  let hasLow = false;
  for (const [i, item] of items.entries()) {
    const { size, high, low } = await readTimes(item);
    if (size.length !== 2 || countElements(size) !== 1 || zoneOf(item) !== zoneOf(first)) return null;
    all.high[i] = high[0];
    all.low[i] = low?.[0] ?? 0;
    hasLow ||= low !== null;
  }
  const times = { size: [items.length, 1], high: all.high, low: hasLow ? all.low : null };
  const { objects: _, ...metadata } = timeMetadata(first);
  return toTimesColumn(first.class, times, false, { class: first.class, ...metadata });
}

/** Makes timestamps or durations in the coarsest unit that is exact. Infinite times remain floats. */
export function toTimesColumn(
  name: string,
  { size, high, low }: Times,
  inFrame: boolean,
  metadata: ValueColumn["metadata"],
): ValueColumn {
  const shape = getColumnShape(size, inFrame);
  const isLost = low?.some((value, i) => value !== 0 && !Number.isNaN(high[i])) ?? false;
  const ticks = toExactTicks(high, low);
  const places = Array.from(high, (_, i) => toColumnMajorIndex(i, size));
  const column = { nullable: true, rows: shape[0], size, kind: name };
  if (ticks === null) {
    const values = Float64Array.from(places, (place) => high[place]);
    const type: StoredType = { kind: "float", bits: 64 };
    const array = createMemoryArray("", type, shape, { kind: "fixed", values });
    const more = { ...metadata, millis: true, ...(isLost ? rawTimes(high, low) : {}) };
    return { ...column, nullable: false, plan: { kind: "array", array }, metadata: more };
  }
  const values = BigInt64Array.from(places, (place) => ticks.values[place] ?? NAT);
  const { timezone } = metadata;
  const type: StoredType = {
    ...{ kind: name === "duration" ? "timedelta" : "datetime", unit: ticks.unit, step: 1 },
    timezone: typeof timezone === "string" ? timezone : undefined,
  };
  const array = createMemoryArray("", type, shape, { kind: "fixed", values });
  const more = { ...metadata, ...(ticks.exact ? {} : rawTimes(high, low)) };
  return { ...column, plan: { kind: "array", array }, metadata: more };
}

/** Returns the floats as metadata if ticks cannot represent the times exactly. */
function rawTimes(high: Float64Array, low: Float64Array | null): Readonly<Record<string, unknown>> {
  const list = (values: Float64Array) =>
    Array.from(values, (value) => (Number.isFinite(value) ? value : String(value)));
  return { raw: { millis: list(high), ...(low === null ? {} : { low: list(low) }) } };
}

const PARTS = ["months", "days", "millis"] as const;

/** Makes records of months, days and milliseconds, because months have different lengths. */
export async function createCalendarColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn | null> {
  const components = value.objects[0]?.get("components");
  if (components?.kind !== "struct") return null;
  const parts: NumericValue[] = [];
  for (const name of PARTS) {
    const part: Value | undefined = components.columns[components.fields.indexOf(name)]?.[0];
    if (part?.kind !== "numeric") return null;
    parts.push(part);
  }
  const size = parts.map((part) => part.size).find((one) => countElements(one) !== 1) ?? [1, 1];
  const count = countElements(size);
  const shape = getColumnShape(size, inFrame);
  const fields: Float64Array[] = [];
  for (const part of parts) {
    const { values } = await readFixedValues(toColumnMajorArray(part), MAX_TIMES);
    if (values.length !== 1 && values.length !== count) {
      throw new InvalidDataError(`a calendarDuration with ${values.length} and ${count} values`);
    }
    // A single value applies to all elements.
    fields.push(
      Float64Array.from({ length: count }, (_, i) =>
        Number(values[values.length === 1 ? 0 : toColumnMajorIndex(i, size)]),
      ),
    );
  }
  const type: StoredType = {
    kind: "record",
    fields: PARTS.map((name) => ({ name, type: { kind: "float", bits: 64 }, shape: [] })),
  };
  const values = {
    kind: "record",
    length: count,
    fields: fields.map((one) => ({ kind: "fixed", values: one }) as const),
  } as const;
  const format = getSingleText(value.objects[0]?.get("fmt"));
  const metadata = { ...value.metadata, ...(format === null ? {} : { fmt: format }) };
  const plan = { kind: "array", array: createMemoryArray("", type, shape, values) } as const;
  return { plan, nullable: false, rows: shape[0], size, kind: "calendarDuration", metadata };
}

type TickUnit = "ms" | "us" | "ns";

const UNITS: readonly (readonly [unit: TickUnit, perMilli: bigint])[] = [
  ["ms", 1n],
  ["us", 1000n],
  ["ns", 1_000_000n],
];

const LIMIT = 2n ** 63n;

interface Ticks {
  readonly unit: TickUnit;
  /** Whether the ticks equal the times exactly; otherwise, they are rounded. */
  readonly exact: boolean;
  /** null for NaN. */
  readonly values: readonly (bigint | null)[];
}

interface Fraction {
  readonly numerator: bigint;
  readonly shift: number;
}

/**
 * Converts milliseconds to whole ticks in the coarsest unit that is exact, or otherwise to rounded nanoseconds.
 * @param low the summands that are added to `high`; null if all are zero.
 * @returns null if a time is infinite, or outside the unit's range.
 */
export function toExactTicks(high: Float64Array, low: Float64Array | null): Ticks | null {
  const times: (Fraction | null)[] = [];
  for (const [i, value] of high.entries()) {
    if (Number.isNaN(value)) {
      times.push(null);
      continue;
    }
    const more = low?.[i] ?? 0;
    if (!Number.isFinite(value) || !Number.isFinite(more)) return null;
    times.push(sum(fraction(value), fraction(more)));
  }
  for (const [unit, factor] of UNITS) {
    const whole = times.every((time) => time === null || (time.numerator * factor) % (1n << BigInt(time.shift)) === 0n);
    if (!whole && unit !== "ns") continue;
    const values = times.map((time) => (time === null ? null : rounded(time.numerator * factor, time.shift)));
    if (values.some((value) => value !== null && (value >= LIMIT || value <= -LIMIT))) return null;
    return { unit, exact: whole, values };
  }
  return null;
}

function fraction(value: number): Fraction {
  if (Number.isSafeInteger(value)) return { numerator: BigInt(value), shift: 0 };
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const own = word & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? own : own | (1n << 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  const signed = value < 0 ? -mantissa : mantissa;
  return power >= 0 ? { numerator: signed << BigInt(power), shift: 0 } : { numerator: signed, shift: -power };
}

function sum(a: Fraction, b: Fraction): Fraction {
  const shift = Math.max(a.shift, b.shift);
  const at = ({ numerator, shift: own }: Fraction) => numerator << BigInt(shift - own);
  return { numerator: at(a) + at(b), shift };
}

/** Rounds to the nearest whole number. Ties are rounded to the nearest even number. */
function rounded(numerator: bigint, shift: number): bigint {
  const one = 1n << BigInt(shift);
  let floor = numerator >> BigInt(shift);
  const rest = 2n * (numerator - floor * one);
  if (rest > one || (rest === one && (floor & 1n) === 1n)) floor++;
  return floor;
}
