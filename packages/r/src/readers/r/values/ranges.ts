/** Genomic ranges (`GRanges`, `GRangesList`) as dataframes. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { countTextStrings, MISSING } from "../../../containers/rds/model/text.js";
import { NA_INTEGER, R_NULL, type RInteger, type RValue } from "../../../containers/rds/model/value.js";
import { createRCharacter, isFrame, type RFrame, toRFrame } from "./frame.js";
import { expandRle } from "./rle.js";
import { describeRValue, findRStrings, getRSlot, hasSlots, toWholeNumbers } from "./value.js";

export function isRanges(value: RValue): boolean {
  return hasSlots(value, "seqnames", "ranges");
}

/** Makes the dataframe of ranges that are not part of an experiment. It includes their names and additional columns. */
export function toFullRangesFrame(value: RValue): RFrame {
  const { rows, columns } = toRangesFrame(value);
  const names = getRangesNames(value);
  const beside = getRSlot(value, "elementMetadata");
  const others = isFrame(beside) ? toRFrame(beside).columns : [];
  return { rows, names: names.kind === "character" ? names : null, columns: [...columns, ...others] };
}

/** Returns the names of ranges, or of lists of ranges; NULL if they have none. */
export function getRangesNames(value: RValue): RValue {
  const own = getRSlot(getRSlot(value, "ranges"), "NAMES");
  return own.kind === "null" ? getRSlot(getRSlot(value, "partitioning"), "NAMES") : own;
}

/**
 * Returns the ranges of features, with a row for each feature. If features have several ranges, there is a row for each
 * range, and the feature's name is the row name. Null if no feature has a range.
 */
export function findFeatureRanges(value: RValue, features: number): RFrame | null {
  if (isRanges(value)) {
    const frame = toRangesFrame(value);
    if (frame.rows === features) return frame;
    throw new InvalidDataError(`${frame.rows} ranges for ${features} features`);
  }
  const inner = getRSlot(value, "unlistData");
  if (!isRanges(inner)) throw new UnsupportedError(`${describeRValue(value)} as the ranges of features`);
  const frame = toRangesFrame(inner);
  if (frame.rows === 0) return null;
  const ends = toWholeNumbers(getRSlot(getRSlot(value, "partitioning"), "end"), "end");
  const names = findRStrings(getRangesNames(value));
  const owners: string[] = [];
  for (const [feature, end] of ends.entries()) {
    if (end < owners.length || end > frame.rows)
      throw new InvalidDataError(`the ranges of feature ${feature + 1} end at ${end}`);
    while (owners.length < end) owners.push(names?.[feature] ?? String(feature + 1));
  }
  if (owners.length !== frame.rows)
    throw new InvalidDataError(`${owners.length} of ${frame.rows} ranges belong to features`);
  const beside = getRSlot(inner, "elementMetadata");
  const others = isFrame(beside) ? toRFrame(beside).columns : [];
  return { ...frame, names: createRCharacter(owners), columns: [...frame.columns, ...others] };
}

/** Makes a dataframe from the sequences of ranges (`Seqinfo`), with one row per sequence; null if nothing is known. */
export function findSequencesFrame(value: RValue): RFrame | null {
  const known = ["seqlengths", "is_circular", "genome"].flatMap((name) => {
    const one = getRSlot(value, name);
    return hasPresent(one) ? [[name, one] as const] : [];
  });
  const names = getRSlot(value, "seqnames");
  if (known.length === 0 || names.kind !== "character") return null;
  return { rows: countTextStrings(names.text), names, columns: known };
}

function hasPresent(value: RValue): boolean {
  if (value.kind === "character") return value.text.encodings.some((one) => one !== MISSING);
  return (value.kind === "integer" || value.kind === "logical") && value.values.some((one) => one !== NA_INTEGER);
}

/** Returns the columns of ranges: sequence, first and last base (1-based), and strand. */
function toRangesFrame(value: RValue): RFrame {
  const ranges = getRSlot(value, "ranges");
  const start = toWholeNumbers(getRSlot(ranges, "start"), "start");
  const width = toWholeNumbers(getRSlot(ranges, "width"), "width");
  if (start.length !== width.length) throw new InvalidDataError(`${start.length} starts and ${width.length} widths`);
  const end = start.map((first, i) => first + width[i] - 1);
  const strand = getRSlot(value, "strand");
  return {
    rows: start.length,
    names: null,
    columns: [
      ["seqnames", expandRle(getRSlot(value, "seqnames"))],
      ["start", integers(start)],
      ["end", integers(end)],
      ...(strand === R_NULL ? [] : [["strand", expandRle(strand)] as const]),
    ],
  };
}

function integers(values: Int32Array): RInteger {
  return { kind: "integer", values, attributes: new Map() };
}
