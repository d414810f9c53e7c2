/** Converts R's calendar times (`POSIXlt`: seconds, minutes, hours, days, …) to seconds since 1970. */

import { UnsupportedError } from "annarrow";
import {
  findOnlyString,
  NA_INTEGER,
  type RList,
  type RReal,
  type RValue,
} from "../../../containers/rds/model/value.js";
import { findRStrings, getListElement, getRSlot } from "./value.js";

/** The zones whose time is UTC. */
const UTC = ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "GMT0", "UCT", "Zulu"];

const PARTS = ["sec", "min", "hour", "mday", "mon", "year"] as const;

/**
 * Returns the times as `POSIXct`.
 * @throws {UnsupportedError} for times whose offset from UTC is not stored.
 */
export function toPosixTimes(value: RList): RReal {
  const parts = PARTS.map((name) => numbersOf(getListElement(value, name), name));
  const count = parts.some(({ length }) => length === 0) ? 0 : Math.max(...parts.map(({ length }) => length));
  const zone = findRStrings(getRSlot(value, "tzone"))?.[0] ?? "";
  const offsets = UTC.includes(zone) ? null : numbersOf(getListElement(value, "gmtoff"), "gmtoff");
  const values = Float64Array.from({ length: count }, (_, i) => {
    const [sec, min, hour, mday, mon, year] = parts.map((part) => part[i % part.length]);
    const offset = offsets === null ? 0 : (offsets[i % offsets.length] ?? Number.NaN);
    const seconds = daysFromCivil(year + 1900, mon, mday) * 86_400 + hour * 3600 + min * 60 + sec;
    if (!Number.isFinite(seconds)) return Number.NaN;
    if (Number.isNaN(offset)) {
      throw new UnsupportedError(
        `a time of the class POSIXlt in the zone ${JSON.stringify(zone)}; as.POSIXct() makes it readable`,
      );
    }
    return seconds - offset;
  });
  const tzone: RValue = getRSlot(value, "tzone");
  const name = findOnlyString(tzone) ?? zone;
  return {
    kind: "real",
    values,
    attributes: name === "" || tzone.kind !== "character" ? new Map() : new Map([["tzone", firstOf(tzone)]]),
  };
}

/** Returns `tzone` with only the zone itself. The names of its standard and daylight time may follow the zone. */
function firstOf(tzone: Extract<RValue, { kind: "character" }>): RValue {
  const { offsets, bytes, encodings } = tzone.text;
  const text = { offsets: offsets.slice(0, 2), bytes, encodings: encodings.slice(0, 1) };
  return { kind: "character", text, attributes: new Map() };
}

function numbersOf(value: RValue, what: string): Float64Array {
  if (value.kind === "integer") {
    return Float64Array.from(value.values, (one) => (one === NA_INTEGER ? Number.NaN : one));
  }
  if (value.kind === "real") return value.values;
  if (value.kind === "null") return new Float64Array(0);
  throw new UnsupportedError(`${what} of a time is ${value.kind}`);
}

/** Returns days from 1970-01-01 to a day. Months count from 0 and may exceed a year. */
function daysFromCivil(year: number, month: number, day: number): number {
  const months = year * 12 + month;
  const ownYear = Math.floor(months / 12);
  const own = months - ownYear * 12;
  const shifted = own < 2 ? ownYear - 1 : ownYear;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((own + 10) % 12) + 2) / 5);
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468 +
    day -
    1
  );
}
