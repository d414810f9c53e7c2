/**
 * Formats times as ISO 8601 text, exactly for every 64-bit value: `Date` ends in the year 275760 and has no
 * nanoseconds.
 */

import { isBitSet } from "../kernels/values/bitmap.js";
import type { Column } from "./column.js";
import { createTextColumn } from "./text.js";
import type { ArrowType } from "./type.js";

const DAY = 86400n;

/** Formats a time as `2020-01-31T23:59:59.5`. @param ticks since 1970-01-01, `perSecond` per second. */
export function formatIsoTimestamp(ticks: bigint, perSecond: bigint): string {
  const seconds = floorDiv(ticks, perSecond);
  const days = floorDiv(seconds, DAY);
  return `${formatIsoDate(days)}T${formatIsoTime(ticks - days * DAY * perSecond, perSecond)}`;
}

/** Formats the day `days` after 1970-01-01. */
export function formatIsoDate(days: bigint): string {
  // Civil date from days, counted in 400-year eras that begin on 1 March.
  const z = days + 719468n;
  const era = floorDiv(z, 146097n);
  const dayOfEra = z - era * 146097n;
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36524n - dayOfEra / 146096n) / 365n;
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const m = (5n * dayOfYear + 2n) / 153n;
  const month = m < 10n ? m + 3n : m - 9n;
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n);
  const sign = year < 0n ? "-" : year > 9999n ? "+" : "";
  const digits = String(year < 0n ? -year : year).padStart(sign === "" ? 4 : 6, "0");
  return `${sign}${digits}-${two(month)}-${two(dayOfYear - (153n * m + 2n) / 5n + 1n)}`;
}

export function formatIsoTime(ticks: bigint, perSecond: bigint): string {
  const seconds = ticks / perSecond;
  const clock = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  return clock + fraction(ticks % perSecond, perSecond);
}

/** Formats a duration in seconds, as `PT1.5S`. */
export function formatIsoDuration(ticks: bigint, perSecond: bigint): string {
  const size = ticks < 0n ? -ticks : ticks;
  return `${ticks < 0n ? "-" : ""}PT${size / perSecond}${fraction(size % perSecond, perSecond)}S`;
}

function fraction(part: bigint, perSecond: bigint): string {
  if (part === 0n) return "";
  const digits = String(perSecond).length - 1;
  return `.${String(part).padStart(digits, "0").replace(/0+$/, "")}`;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

const two = (n: bigint) => String(n).padStart(2, "0");

const PER_SECOND = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;

/** Formats dates, times and durations as ISO 8601 text; nulls stay nulls. */
export function toIsoTextColumn(column: Column): Column {
  const { type } = column;
  if (column.layout !== "primitive") throw new TypeError("times expected");
  const text = textOfTicks(type);
  const bitmap = column.validity?.bitmap ?? null;
  return createTextColumn(
    Array.from({ length: column.length }, (_, i) =>
      bitmap !== null && !isBitSet(bitmap, i) ? null : text(BigInt(column.values[i])),
    ),
  );
}

function textOfTicks(type: ArrowType): (ticks: bigint) => string {
  switch (type.id) {
    case "Date32":
      return formatIsoDate;
    case "Timestamp":
      return (ticks) => formatIsoTimestamp(ticks, PER_SECOND[type.unit]);
    case "Duration":
      return (ticks) => formatIsoDuration(ticks, PER_SECOND[type.unit]);
    default:
      throw new TypeError("times expected");
  }
}
