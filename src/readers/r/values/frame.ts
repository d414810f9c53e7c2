/** Makes dataframes of `data.frame`, `tibble` and `DFrame` (`DataFrame` of Bioconductor). */

import { pandasMetadata } from "../../../arrow/pandas.js";
import { type ArrowField, mayBeNull } from "../../../arrow/type.js";
import { textLength, textOf } from "../../../containers/rds/model/text.js";
import {
  type RCharacter,
  type RList,
  type RUnreadable,
  type RValue,
  unreadableError,
} from "../../../containers/rds/model/value.js";
import { columnType } from "../../../jobs/rows/columns.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, UnsupportedError } from "../../../model/errors.js";
import type { TableElement } from "../../element.js";
import { columnOf, type RColumn } from "./column.js";
import { called, hasClass, listOf, namesOf, slot, unique, wholeNumbers } from "./value.js";

/** A frame in R: its columns by name, and the names of its rows, where they are no bare numbers. */
export interface RFrame {
  readonly rows: number;
  readonly names: RCharacter | null;
  readonly columns: readonly (readonly [name: string, value: RValue])[];
  /** Why the rows have no names, where the file has names that cannot be read. */
  readonly unreadableNames?: RUnreadable;
}

export function isFrame(value: RValue): boolean {
  return (
    hasClass(value, "data.frame") || (value.kind === "s4" && value.slots.has("listData") && value.slots.has("nrows"))
  );
}

/** @throws {InvalidDataError} for a value that is no frame. */
export function frameOf(value: RValue): RFrame {
  if (!isFrame(value)) throw new InvalidDataError(`${called(value)}, no frame`);
  const list = listOf(value, "a frame");
  const own = unique(namesOf(list, list.values.length) ?? list.values.map((_, i) => `V${i + 1}`));
  const columns = list.values.map((column, i) => [own[i], column] as const);
  if (value.kind === "s4") {
    const [rows = 0] = wholeNumbers(slot(value, "nrows"), "nrows");
    const names = slot(value, "rownames");
    if (names.kind === "unreadable") return { rows, names: null, columns, unreadableNames: names };
    return { rows, names: checked(names, rows), columns };
  }
  const names = slot(value, "row.names");
  if (names.kind === "unreadable") return { rows: lengthOf(columns), names: null, columns, unreadableNames: names };
  if (names.kind === "character") return { rows: textLength(names.text), names, columns };
  // R writes the names 1 to n as NA and -n, or n.
  if (names.kind === "integer" && names.values.length === 2 && names.values[0] === -(2 ** 31)) {
    return { rows: Math.abs(names.values[1]), names: null, columns };
  }
  if (names.kind === "null") return { rows: 0, names: null, columns };
  const numbers = wholeNumbers(names, "row.names");
  return { rows: numbers.length, names: characters([...numbers].map(String)), columns };
}

/** The frame of a value; null where there is none that can be read, which is a failure of its own. */
export function openedFrame(value: RValue): RFrame | null {
  try {
    return frameOf(value);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/** The rows of a frame by its first column that is a vector. */
function lengthOf(columns: RFrame["columns"]): number {
  for (const [, value] of columns) {
    if (value.kind === "character") return textLength(value.text);
    if ("values" in value && value.kind !== "complex") return value.values.length;
  }
  return 0;
}

/** A frame as R's value, whose rows have no names. */
export function frameValue(rows: number, columns: RFrame["columns"]): RList {
  return {
    kind: "list",
    values: columns.map(([, value]) => value),
    attributes: new Map<string, RValue>([
      ["names", characters(columns.map(([name]) => name))],
      ["class", characters(["data.frame"])],
      ["row.names", { kind: "integer", values: Int32Array.of(-(2 ** 31), -rows), attributes: new Map() }],
    ]),
  };
}

function checked(names: RValue, rows: number): RCharacter | null {
  if (names.kind !== "character") return null;
  if (textLength(names.text) === rows) return names;
  throw new InvalidDataError(`${textLength(names.text)} names for ${rows} rows`);
}

export function characters(texts: readonly (string | null)[]): RCharacter {
  return { kind: "character", text: textOf(texts), attributes: new Map() };
}

/** Most rows that get names here; real objects have names long before. */
const MAX_NUMBERED = 10_000_000;

/** The names 1 to n, which R shows where there are no others. */
export function numbered(count: number): RCharacter {
  // The length of a frame without columns is a bare number in the file.
  if (count > MAX_NUMBERED) throw new UnsupportedError(`${count} rows without names, more than ${MAX_NUMBERED}`);
  return characters(Array.from({ length: count }, (_, i) => String(i + 1)));
}

/** Name of the column with the names of the rows; other columns have the names that R gives them. */
const INDEX = "_index";

export type OnFailure = (column: string, error: AnnarrowError) => void;

/**
 * Makes the table of a frame, the names of the rows first.
 * @param names of the rows; null for a frame without.
 * @param onFailure takes the columns that have no form here.
 */
export function frameTable(path: string, frame: RFrame, onFailure: OnFailure): TableElement {
  const { rows, names, columns, unreadableNames } = frame;
  if (unreadableNames !== undefined) onFailure(INDEX, unreadableError(unreadableNames));
  const read: [string, RColumn][] = [];
  if (names !== null) read.push([INDEX, columnOf(`${path}/${INDEX}`, { ...names, attributes: new Map() })]);
  for (const [name, value] of columns) {
    try {
      for (const [own, column] of columnsOf(path, name, value)) {
        if (column.shape[0] !== rows)
          throw new InvalidDataError(`${column.shape[0]} values, the frame has ${rows} rows`);
        read.push([own, column]);
      }
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      onFailure(name, error);
    }
  }
  const own = unique(read.map(([name]) => name));
  const fields = read.map(([, { plan, metadata }], i): ArrowField => {
    const type = columnType(plan);
    const nullable = plan.kind === "nullable" || plan.kind === "ragged" || mayBeNull(type);
    return { name: own[i], type, nullable, metadata };
  });
  return {
    kind: "table",
    fields,
    metadata: { kind: "dataframe", index: names === null ? undefined : INDEX },
    schemaMetadata: names === null ? undefined : new Map([["pandas", pandasMetadata(fields)]]),
    rows,
    plan: { kind: "columns", columns: read.map(([, { plan }]) => plan) },
    shape: [rows],
  };
}

/** The column of a value; the columns of a frame within the frame, under its name. */
function columnsOf(path: string, name: string, value: RValue, depth = 0): readonly (readonly [string, RColumn])[] {
  if (!isFrame(value) || depth > MAX_DEPTH) return [[name, columnOf(`${path}/${name}`, value)]];
  return frameOf(value).columns.flatMap(([own, inner]) => columnsOf(path, `${name}.${own}`, inner, depth + 1));
}

/** Deepest nesting of frames in frames; real ones have one inner frame. */
const MAX_DEPTH = 8;
