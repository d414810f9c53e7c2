/** Times in the CF conventions: `units` is a unit of time "since" a calendar date. Source: CF 1.12, section 4.4. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { NumberArray } from "../../../model/stored.js";

export interface CfTime {
  readonly unit: "us" | "ns";
  /** Ticks per unit in which values are stored. */
  readonly scale: bigint;
  /** Ticks from 1970 to the reference date. */
  readonly since: bigint;
  /** First tick from which the calendar equals the proleptic Gregorian calendar; null if it always does. */
  readonly first: bigint | null;
}

/** Tick value of a missing time. */
export const NOT_A_TIME = -(2n ** 63n);

const DAY = 86_400_000_000n;

/** The length of each unit in microseconds, keyed by the unit's names. */
const UNITS: ReadonlyMap<string, bigint> = new Map(
  [
    [DAY, "day", "days", "d"],
    [3_600_000_000n, "hour", "hours", "hr", "hrs", "h"],
    [60_000_000n, "minute", "minutes", "min", "mins"],
    [1_000_000n, "second", "seconds", "sec", "secs", "s"],
    [1000n, "millisecond", "milliseconds", "millisec", "millisecs", "msec", "msecs", "ms"],
    [1n, "microsecond", "microseconds", "microsec", "microsecs", "us"],
  ].flatMap(([ticks, ...names]) => names.map((name): [string, bigint] => [String(name), BigInt(ticks)])),
);

const SINCE = /^\s*(\w+)\s+since\s+(.+?)\s*$/i;
const DATE =
  /^(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T ]\s*(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?$/i;

/**
 * Days from 1970 to the first day of the Gregorian calendar, 1582-10-15. The previous day is 1582-10-04 in the Julian
 * calendar.
 */
const GREGORIAN_DAYS = -141_427;

/**
 * Parses `units` together with `calendar`; null if the units are not times since a date.
 * @returns a text that states the reason if the times cannot be represented.
 */
export function parseCfTime(units: string, calendar = "standard"): CfTime | string | null {
  const [, name, date] = SINCE.exec(units) ?? [];
  if (name === undefined) return null;
  const kind = calendar.toLowerCase();
  if (kind !== "standard" && kind !== "gregorian" && kind !== "proleptic_gregorian") {
    return `the calendar ${JSON.stringify(calendar)} has no Arrow type`;
  }
  const isNano = /^(nanoseconds?|nanosecs?|nsecs?|ns)$/i.test(name);
  const scale = isNano ? 1n : UNITS.get(name.toLowerCase());
  if (scale === undefined) return `the unit ${JSON.stringify(name)} has no fixed length`;
  const since = ticksOf(date, kind === "proleptic_gregorian");
  if (since === null) return `${JSON.stringify(date)} is no date of the calendar ${kind}`;
  const first = kind === "proleptic_gregorian" ? null : BigInt(GREGORIAN_DAYS) * DAY;
  const by = isNano ? 1000n : 1n;
  return { unit: isNano ? "ns" : "us", scale, since: since * by, first: first === null ? null : first * by };
}

/** Returns the microseconds from 1970 to a date with time and offset; null if the text is not such a date. */
function ticksOf(text: string, isProleptic: boolean): bigint | null {
  const found = DATE.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part = "0") => Number(part));
  const days = daysOf(year, month, day, isProleptic);
  if (days === null || hour > 24 || minute > 59 || second > 59) return null;
  const fraction = BigInt((found[7] ?? "").padEnd(6, "0").slice(0, 6));
  const time = (BigInt(hour) * 3600n + BigInt(minute) * 60n + BigInt(second)) * 1_000_000n + fraction;
  return BigInt(days) * DAY + time - offsetOf(found[8] ?? "Z");
}

function offsetOf(zone: string): bigint {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone) ?? [];
  if (sign === undefined) return 0n;
  const size = (BigInt(hours) * 60n + BigInt(minutes)) * 60_000_000n;
  return sign === "-" ? -size : size;
}

/**
 * Returns the days from 1970 to a date; null for an invalid date. The standard calendar is Julian before 1582-10-15,
 * and has no year 0.
 */
function daysOf(year: number, month: number, day: number, isProleptic: boolean): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31 || (year === 0 && !isProleptic)) return null;
  const gregorian = dayNumber(year, month, day, true);
  const isJulian = !isProleptic && gregorian < GREGORIAN_DAYS;
  const isLeap = year % 4 === 0 && (isJulian || year % 100 !== 0 || year % 400 === 0);
  if (day > [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]) return null;
  if (!isJulian) return gregorian;
  const julian = dayNumber(year, month, day, false);
  return julian < GREGORIAN_DAYS ? julian : null;
}

/** Returns the days from 1970 to a date. Years are counted from March, so that leap days are at the end of a year. */
function dayNumber(year: number, month: number, day: number, isGregorian: boolean): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const inYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const days = 365 * marchYear + Math.floor(marchYear / 4) + inYear;
  if (!isGregorian) return days - 719_470;
  return days - Math.floor(marchYear / 100) + Math.floor(marchYear / 400) - 719_468;
}

/**
 * Returns the ticks of the decoded times.
 * @param isMissing whether value `i` is missing; NaN is always missing.
 * @throws {InvalidDataError} for a time that does not fit in 64 bits.
 * @throws {UnsupportedError} for a time whose date in the calendar differs from the date in Arrow.
 */
export function computeCfTicks(values: NumberArray, isMissing: (i: number) => boolean, time: CfTime): BigInt64Array {
  const ticks = new BigInt64Array(values.length);
  const perUnit = Number(time.scale);
  for (let i = 0; i < ticks.length; i++) {
    const value = values[i];
    if (isMissing(i) || (typeof value === "number" && Number.isNaN(value))) {
      ticks[i] = NOT_A_TIME;
      continue;
    }
    const tick = time.since + (typeof value === "bigint" ? value * time.scale : ticksOfNumber(value, time, perUnit));
    if (BigInt.asIntN(64, tick) !== tick || tick === NOT_A_TIME) throw beyond(value);
    if (time.first !== null && tick < time.first) {
      throw new UnsupportedError(
        `the time ${value} is before 1582-10-15, where the calendar "standard" differs from Arrow's; read it without cf`,
      );
    }
    ticks[i] = tick;
  }
  return ticks;
}

/** Converts whole units exactly, and rounds the remainder to ticks. */
function ticksOfNumber(value: number, { scale }: CfTime, perUnit: number): bigint {
  const whole = Math.trunc(value);
  if (!Number.isFinite(whole)) throw beyond(value);
  return BigInt(whole) * scale + BigInt(Math.round((value - whole) * perUnit));
}

function beyond(value: number | bigint): InvalidDataError {
  return new InvalidDataError(`the time ${value} passes the range of 64-bit timestamps`);
}
