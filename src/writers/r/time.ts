/** Times as R's dates, points in time, and durations, which are doubles. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField, TimestampUnit } from "../../arrow/type.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { RefusedError } from "../../model/errors.js";
import { characters, classAttribute, type RWriterContext } from "./context.js";
import { type RVectorSink, realSink } from "./vector.js";

const PER_SECOND: Readonly<Record<TimestampUnit, bigint>> = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n };
const MICROSECONDS = 1_000_000n;
const SECONDS_PER_DAY = 86_400n;

/** The sink of a column of times; null for other columns. */
export function timeSink(cx: RWriterContext, { type, metadata }: ArrowField): RVectorSink | null {
  if (type.id === "Duration") {
    const attributes = new Map([classAttribute("difftime"), ["units", characters(["secs"])]]);
    return realSink(cx, (column) => secondsOf(column, PER_SECOND[type.unit]), attributes);
  }
  if (type.id === "Date32") return realSink(cx, undefined, new Map([classAttribute("Date")]));
  if (type.id !== "Timestamp") return null;
  if (metadata?.unit === "D" && type.timezone === undefined) {
    return realSink(cx, (column) => daysOf(column, PER_SECOND[type.unit]), new Map([classAttribute("Date")]));
  }
  const attributes = new Map([
    classAttribute("POSIXct", "POSIXt"),
    // A time without a zone is shown as it is stored, not in the zone of the session.
    ["tzone", characters([type.timezone ?? "UTC"])],
  ]);
  return realSink(cx, (column) => secondsOf(column, PER_SECOND[type.unit]), attributes);
}

/**
 * Times in seconds.
 * @throws {RefusedError} for a time that is no whole microsecond, or beyond those that a double tells apart.
 */
function secondsOf(column: Column, perSecond: bigint): Float64Array {
  return converted(column, (ticks) => {
    const seconds = Number(ticks / perSecond) + Number(ticks % perSecond) / Number(perSecond);
    const micros = (ticks * MICROSECONDS) / perSecond;
    const isWhole = (ticks * MICROSECONDS) % perSecond === 0n;
    if (isWhole && BigInt(Math.round(seconds * Number(MICROSECONDS))) === micros) return seconds;
    throw new RefusedError(
      `a time of ${ticks} / ${perSecond} s, which R's seconds as doubles do not hold: round it to microseconds`,
    );
  });
}

function daysOf(column: Column, perSecond: bigint): Float64Array {
  return converted(column, (ticks) => {
    const day = perSecond * SECONDS_PER_DAY;
    if (ticks % day !== 0n) throw new RefusedError(`a date with a time of the day (${ticks} / ${perSecond} s)`);
    return Number(ticks / day);
  });
}

function converted(column: Column, convert: (ticks: bigint) => number): Float64Array {
  if (column.layout !== "primitive" || !(column.values instanceof BigInt64Array)) throw new TypeError("times expected");
  const { values, validity, length } = column;
  const out = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    if (validity === null || bitAt(validity.bitmap, i)) out[i] = convert(values[i]);
  }
  return out;
}
