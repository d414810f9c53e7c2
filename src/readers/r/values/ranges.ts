/** Genomic ranges (`GRanges`, `GRangesList`) as dataframes. */

import { MISSING, textLength } from "../../../containers/rds/model/text.js";
import { NA_INTEGER, R_NULL, type RInteger, type RValue } from "../../../containers/rds/model/value.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { characters, frameOf, isFrame, type RFrame } from "./frame.js";
import { runsOf } from "./runs.js";
import { called, hasSlots, slot, stringsOf, wholeNumbers } from "./value.js";

export function isRanges(value: RValue): boolean {
  return hasSlots(value, "seqnames", "ranges");
}

/** Makes the dataframe of ranges outside an experiment, with their names and their additional columns. */
export function wholeRanges(value: RValue): RFrame {
  const { rows, columns } = rangesFrame(value);
  const names = rangesNames(value);
  const beside = slot(value, "elementMetadata");
  const others = isFrame(beside) ? frameOf(beside).columns : [];
  return { rows, names: names.kind === "character" ? names : null, columns: [...columns, ...others] };
}

/** Returns the names of ranges, or of lists of ranges; NULL if they have none. */
export function rangesNames(value: RValue): RValue {
  const own = slot(slot(value, "ranges"), "NAMES");
  return own.kind === "null" ? slot(slot(value, "partitioning"), "NAMES") : own;
}

/**
 * Returns the ranges of features: a row for each feature. If features have several ranges, there is a row for each
 * range, with the feature as its name. Null if no feature has a range.
 */
export function featureRanges(value: RValue, features: number): RFrame | null {
  if (isRanges(value)) {
    const frame = rangesFrame(value);
    if (frame.rows === features) return frame;
    throw new InvalidDataError(`${frame.rows} ranges for ${features} features`);
  }
  const inner = slot(value, "unlistData");
  if (!isRanges(inner)) throw new UnsupportedError(`${called(value)} as the ranges of features`);
  const frame = rangesFrame(inner);
  if (frame.rows === 0) return null;
  const ends = wholeNumbers(slot(slot(value, "partitioning"), "end"), "end");
  const names = stringsOf(rangesNames(value));
  const owners: string[] = [];
  for (const [feature, end] of ends.entries()) {
    if (end < owners.length || end > frame.rows)
      throw new InvalidDataError(`the ranges of feature ${feature + 1} end at ${end}`);
    while (owners.length < end) owners.push(names?.[feature] ?? String(feature + 1));
  }
  if (owners.length !== frame.rows)
    throw new InvalidDataError(`${owners.length} of ${frame.rows} ranges belong to features`);
  const beside = slot(inner, "elementMetadata");
  const others = isFrame(beside) ? frameOf(beside).columns : [];
  return { ...frame, names: characters(owners), columns: [...frame.columns, ...others] };
}

/** Makes a dataframe of the sequences of ranges (`Seqinfo`), a row per sequence; null if nothing is known. */
export function sequencesFrame(value: RValue): RFrame | null {
  const known = ["seqlengths", "is_circular", "genome"].flatMap((name) => {
    const one = slot(value, name);
    return hasPresent(one) ? [[name, one] as const] : [];
  });
  const names = slot(value, "seqnames");
  if (known.length === 0 || names.kind !== "character") return null;
  return { rows: textLength(names.text), names, columns: known };
}

function hasPresent(value: RValue): boolean {
  if (value.kind === "character") return value.text.encodings.some((one) => one !== MISSING);
  return (value.kind === "integer" || value.kind === "logical") && value.values.some((one) => one !== NA_INTEGER);
}

/** Returns the columns of ranges: sequence, first and last base (1-based), strand. */
export function rangesFrame(value: RValue): RFrame {
  const ranges = slot(value, "ranges");
  const start = wholeNumbers(slot(ranges, "start"), "start");
  const width = wholeNumbers(slot(ranges, "width"), "width");
  if (start.length !== width.length) throw new InvalidDataError(`${start.length} starts and ${width.length} widths`);
  const end = start.map((first, i) => first + width[i] - 1);
  const strand = slot(value, "strand");
  return {
    rows: start.length,
    names: null,
    columns: [
      ["seqnames", runsOf(slot(value, "seqnames"))],
      ["start", integers(start)],
      ["end", integers(end)],
      ...(strand === R_NULL ? [] : [["strand", runsOf(strand)] as const]),
    ],
  };
}

function integers(values: Int32Array): RInteger {
  return { kind: "integer", values, attributes: new Map() };
}
