/** Converts datetime64 and timedelta64 to Timestamp and Duration, and back; NaT is null. */

import { getBitmapByteLength, isBitSet, type Validity } from "../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedElementError, UnsupportedError } from "../model/errors.js";
import type { TimeUnit } from "../model/stored.js";
import type { PrimitiveColumn } from "./column.js";
import { DATE, type TimestampUnit } from "./type.js";

/** numpy's not-a-time (NaT). */
const NAT = -(2n ** 63n);
/** The high 32-bit word of NaT; the low word is zero. */
const HIGH_OF_NAT = -(2 ** 31);
const MAX = 2n ** 63n - 1n;

type Kind = "datetime" | "timedelta";

/** Returns the Arrow unit for a numpy unit: the same unit if Arrow has it, or seconds for coarser units. */
export function getArrowTimestampUnit(unit: TimeUnit): TimestampUnit {
  switch (unit) {
    case "s":
    case "ms":
    case "us":
    case "ns":
      return unit;
    case "Y":
    case "M":
    case "W":
    case "D":
    case "h":
    case "m":
      return "s";
    case "ps":
    case "fs":
    case "as":
    case "generic":
      throw new UnsupportedError(`times in units of ${unit} have no Arrow type`);
    default:
      return unit satisfies never;
  }
}

/** Converts stored ticks, each worth `step` x `unit`, to Timestamp or Duration. */
export function toTemporalColumn(kind: Kind, unit: TimeUnit, step: number, ticks: BigInt64Array): PrimitiveColumn {
  const target = getArrowTimestampUnit(unit);
  const type = { id: kind === "datetime" ? "Timestamp" : "Duration", unit: target } as const;
  if (target === unit && step === 1) return unscaled(type, ticks);
  const scale = toSeconds(kind, unit);
  const values = new BigInt64Array(ticks.length);
  const bitmap = new Uint8Array(getBitmapByteLength(ticks.length));
  let nullCount = 0;
  for (let i = 0; i < ticks.length; i++) {
    if (ticks[i] === NAT) {
      nullCount++;
      continue;
    }
    bitmap[i >> 3] |= 1 << (i & 7);
    const value = scale(ticks[i] * BigInt(step));
    if (value > MAX || value <= NAT) {
      throw new InvalidDataError(`time ${ticks[i]} ${unit} at ${i} passes the range of 64-bit ${target}`);
    }
    values[i] = value;
  }
  const validity: Validity | null = nullCount === 0 ? null : { bitmap, nullCount };
  return { layout: "primitive", type, length: ticks.length, validity, values };
}

/** Makes a column of ticks in an Arrow unit. Comparing 32-bit words is much faster than comparing bigints. */
function unscaled(type: PrimitiveColumn["type"], ticks: BigInt64Array): PrimitiveColumn {
  const { length } = ticks;
  const words = new Int32Array(ticks.buffer, ticks.byteOffset, 2 * length);
  let nullCount = 0;
  for (let k = 1; k < words.length; k += 2) if (words[k] === HIGH_OF_NAT && words[k - 1] === 0) nullCount++;
  if (nullCount === 0) return { layout: "primitive", type, length, validity: null, values: ticks };
  const values = ticks.slice();
  const bitmap = new Uint8Array(getBitmapByteLength(length)).fill(0xff, 0, length >> 3);
  for (let i = length & ~7; i < length; i++) bitmap[i >> 3] |= 1 << (i & 7);
  for (let i = 0; i < length; i++) {
    if (words[2 * i + 1] !== HIGH_OF_NAT || words[2 * i] !== 0) continue;
    bitmap[i >> 3] &= ~(1 << (i & 7));
    values[i] = 0n;
  }
  return { layout: "primitive", type, length, validity: { bitmap, nullCount }, values };
}

/** Converts stored days to dates. @throws {InvalidDataError} for days that exceed 32 bits. */
export function toDateColumn(days: BigInt64Array): PrimitiveColumn {
  const values = new Int32Array(days.length);
  const bitmap = new Uint8Array(getBitmapByteLength(days.length));
  let nullCount = 0;
  for (let i = 0; i < days.length; i++) {
    if (days[i] === NAT) {
      nullCount++;
      continue;
    }
    bitmap[i >> 3] |= 1 << (i & 7);
    values[i] = Number(days[i]);
    if (BigInt(values[i]) !== days[i]) {
      throw new InvalidDataError(`day ${days[i]} at ${i} passes the range of a date of 32 bits`);
    }
  }
  const validity: Validity | null = nullCount === 0 ? null : { bitmap, nullCount };
  return { layout: "primitive", type: DATE, length: days.length, validity, values };
}

/** Converts dates to days; null becomes NaT. */
export function toDateValues({ values, length, validity }: PrimitiveColumn): BigInt64Array {
  const bitmap = validity?.bitmap ?? null;
  const days = new BigInt64Array(length);
  for (let i = 0; i < length; i++) days[i] = bitmap !== null && !isBitSet(bitmap, i) ? NAT : BigInt(values[i]);
  return days;
}

function toSeconds(kind: Kind, unit: TimeUnit): (ticks: bigint) => bigint {
  switch (unit) {
    case "W":
      return (ticks) => ticks * 604_800n;
    case "D":
      return (ticks) => ticks * 86_400n;
    case "h":
      return (ticks) => ticks * 3600n;
    case "m":
      return (ticks) => ticks * 60n;
    case "Y":
      if (kind === "timedelta") throw new UnsupportedError("a timedelta in years has no fixed length");
      return (years) => monthStart(years * 12n);
    case "M":
      if (kind === "timedelta") throw new UnsupportedError("a timedelta in months has no fixed length");
      return monthStart;
    default:
      return (ticks) => ticks;
  }
}

/**
 * Returns the seconds from 1970 to the first day of a month, which is counted from January 1970 (proleptic Gregorian
 * calendar).
 */
function monthStart(months: bigint): bigint {
  const zero = ((months % 12n) + 12n) % 12n;
  const year = 1970n + (months - zero) / 12n;
  const shifted = zero < 2n ? year - 1n : year;
  const era = (shifted >= 0n ? shifted : shifted - 399n) / 400n;
  const yearOfEra = shifted - era * 400n;
  const monthFromMarch = (zero + 10n) % 12n;
  const dayOfYear = (153n * monthFromMarch + 2n) / 5n;
  const dayOfEra = yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear;
  return (era * 146_097n + dayOfEra - 719_468n) * 86_400n;
}

/**
 * Converts Timestamp or Duration to ticks of `step` x `unit`; null becomes NaT.
 * @throws {InvalidInputError} for a time between two ticks.
 */
export function toTemporalValues(kind: Kind, unit: TimeUnit, step: number, column: PrimitiveColumn): BigInt64Array {
  const { values, length, validity } = column;
  if (!(values instanceof BigInt64Array)) throw new TypeError("times are 64-bit integers");
  const bitmap = validity?.bitmap ?? null;
  const [scale, back] = [toSeconds(kind, unit), fromSeconds(unit)];
  const exact = step === 1 && getArrowTimestampUnit(unit) === unit;
  const ticks = new BigInt64Array(length);
  for (let i = 0; i < length; i++) {
    if (bitmap !== null && !isBitSet(bitmap, i)) {
      ticks[i] = NAT;
      continue;
    }
    if (values[i] === NAT)
      throw new UnsupportedElementError(`time ${values[i]} at ${i} is what stands for a missing time`);
    const units = exact ? values[i] : back(values[i]);
    ticks[i] = units / BigInt(step);
    if (!exact && scale(ticks[i] * BigInt(step)) !== values[i]) {
      const stored = `${step === 1 ? "" : step}${unit}`;
      throw new UnsupportedElementError(
        `time ${values[i]} ${getArrowTimestampUnit(unit)} at ${i} is no whole number of ${stored}`,
      );
    }
  }
  return ticks;
}

/** Returns a function that converts seconds to whole units. */
function fromSeconds(unit: TimeUnit): (seconds: bigint) => bigint {
  switch (unit) {
    case "W":
      return (seconds) => seconds / 604_800n;
    case "D":
      return (seconds) => seconds / 86_400n;
    case "h":
      return (seconds) => seconds / 3600n;
    case "m":
      return (seconds) => seconds / 60n;
    case "Y":
      return (seconds) => monthsOf(seconds) / 12n;
    case "M":
      return monthsOf;
    default:
      return (ticks) => ticks;
  }
}

/** Returns the number of months from January 1970 to the month that contains the day (proleptic Gregorian calendar). */
function monthsOf(seconds: bigint): bigint {
  const days = seconds / 86_400n + 719_468n;
  const era = (days >= 0n ? days : days - 146_096n) / 146_097n;
  const dayOfEra = days - era * 146_097n;
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n;
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const fromMarch = (5n * dayOfYear + 2n) / 153n;
  const month = fromMarch < 10n ? fromMarch + 2n : fromMarch - 10n;
  const year = yearOfEra + era * 400n + (month <= 1n ? 1n : 0n);
  return (year - 1970n) * 12n + month;
}
