/** Makes dataframes from `data.frame`, `tibble` and `DFrame` (Bioconductor's `DataFrame`). */

import { type AnnarrowError, InvalidDataError, isAnnarrowError, UnsupportedError } from "annarrow";
import { type ArrowField, createPandasMetadata, mayBeNull } from "annarrow/core/arrow";
import { getColumnType } from "annarrow/core/jobs";
import type { TableElement } from "annarrow/format";
import { countTextStrings, encodeStrings } from "../../../containers/rds/model/text.js";
import {
  createUnreadableError,
  type RCharacter,
  type RList,
  type RUnreadable,
  type RValue,
} from "../../../containers/rds/model/value.js";
import { type RColumn, toRColumn } from "./column.js";
import { describeRValue, findRNames, getRList, getRSlot, hasClass, makeUniqueNames, toWholeNumbers } from "./value.js";

/** An R dataframe: its columns by name, and its row names unless they are only numbers. */
export interface RFrame {
  readonly rows: number;
  readonly names: RCharacter | null;
  readonly columns: readonly (readonly [name: string, value: RValue])[];
  /** Reason why the row names in the file cannot be read. */
  readonly unreadableNames?: RUnreadable;
}

export function isFrame(value: RValue): boolean {
  return (
    hasClass(value, "data.frame") || (value.kind === "s4" && value.slots.has("listData") && value.slots.has("nrows"))
  );
}

/** @throws {InvalidDataError} for a value that is not a dataframe. */
export function toRFrame(value: RValue): RFrame {
  if (!isFrame(value)) throw new InvalidDataError(`${describeRValue(value)}, no frame`);
  const list = getRList(value, "a frame");
  const own = makeUniqueNames(findRNames(list, list.values.length) ?? list.values.map((_, i) => `V${i + 1}`));
  const columns = list.values.map((column, i) => [own[i], column] as const);
  if (value.kind === "s4") {
    const [rows = 0] = toWholeNumbers(getRSlot(value, "nrows"), "nrows");
    const names = getRSlot(value, "rownames");
    if (names.kind === "unreadable") return { rows, names: null, columns, unreadableNames: names };
    return { rows, names: checked(names, rows), columns };
  }
  const names = getRSlot(value, "row.names");
  if (names.kind === "unreadable") return { rows: lengthOf(columns), names: null, columns, unreadableNames: names };
  if (names.kind === "character") return { rows: countTextStrings(names.text), names, columns };
  // R stores the row names 1 to n as NA and -n, or NA and n.
  if (names.kind === "integer" && names.values.length === 2 && names.values[0] === -(2 ** 31)) {
    return { rows: Math.abs(names.values[1]), names: null, columns };
  }
  if (names.kind === "null") return { rows: 0, names: null, columns };
  const numbers = toWholeNumbers(names, "row.names");
  return { rows: numbers.length, names: createRCharacter([...numbers].map(String)), columns };
}

/**
 * Returns the frame of a value. Null if there is none, or if it cannot be read, which is reported as a separate
 * failure.
 */
export function findRFrame(value: RValue): RFrame | null {
  try {
    return toRFrame(value);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/** Returns the number of rows of a dataframe from its first vector column. */
function lengthOf(columns: RFrame["columns"]): number {
  for (const [, value] of columns) {
    if (value.kind === "character") return countTextStrings(value.text);
    if ("values" in value && value.kind !== "complex") return value.values.length;
  }
  return 0;
}

/** Makes a dataframe without row names as an R value. */
export function createFrameValue(rows: number, columns: RFrame["columns"]): RList {
  return {
    kind: "list",
    values: columns.map(([, value]) => value),
    attributes: new Map<string, RValue>([
      ["names", createRCharacter(columns.map(([name]) => name))],
      ["class", createRCharacter(["data.frame"])],
      ["row.names", { kind: "integer", values: Int32Array.of(-(2 ** 31), -rows), attributes: new Map() }],
    ]),
  };
}

function checked(names: RValue, rows: number): RCharacter | null {
  if (names.kind !== "character") return null;
  if (countTextStrings(names.text) === rows) return names;
  throw new InvalidDataError(`${countTextStrings(names.text)} names for ${rows} rows`);
}

export function createRCharacter(texts: readonly (string | null)[]): RCharacter {
  return { kind: "character", text: encodeStrings(texts), attributes: new Map() };
}

/** Maximum number of rows for which names are generated. Larger real objects have names. */
const MAX_NUMBERED = 10_000_000;

/** Returns the names 1 to n, which R shows for rows without names. */
export function createNumberNames(count: number): RCharacter {
  // For a dataframe without columns, the number of rows is only a number in the file, so nothing limits it.
  if (count > MAX_NUMBERED) throw new UnsupportedError(`${count} rows without names, more than ${MAX_NUMBERED}`);
  return createRCharacter(Array.from({ length: count }, (_, i) => String(i + 1)));
}

/** Name of the column that contains the row names. The other columns keep their R names. */
const INDEX = "_index";

export type OnFailure = (column: string, error: AnnarrowError) => void;

/**
 * Creates the table of a dataframe. The row names are its first column.
 * @param names the row names; null for a dataframe without row names.
 * @param onFailure called for columns that cannot be converted.
 */
export function createRFrameTable(path: string, frame: RFrame, onFailure: OnFailure): TableElement {
  const { rows, names, columns, unreadableNames } = frame;
  if (unreadableNames !== undefined) onFailure(INDEX, createUnreadableError(unreadableNames));
  const read: [string, RColumn][] = [];
  if (names !== null) read.push([INDEX, toRColumn(`${path}/${INDEX}`, { ...names, attributes: new Map() })]);
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
  const own = makeUniqueNames(read.map(([name]) => name));
  const fields = read.map(([, { plan, metadata }], i): ArrowField => {
    const type = getColumnType(plan);
    const nullable = plan.kind === "nullable" || plan.kind === "ragged" || mayBeNull(type);
    return { name: own[i], type, nullable, metadata };
  });
  return {
    kind: "table",
    fields,
    metadata: { kind: "dataframe", index: names === null ? undefined : INDEX },
    schemaMetadata: names === null ? undefined : new Map([["pandas", createPandasMetadata(fields)]]),
    rows,
    plan: { kind: "columns", columns: read.map(([, { plan }]) => plan) },
    shape: [rows],
  };
}

/** Returns the column made from a value, or the columns of a nested dataframe, whose names are prefixed with `name`. */
function columnsOf(path: string, name: string, value: RValue, depth = 0): readonly (readonly [string, RColumn])[] {
  if (!isFrame(value) || depth > MAX_DEPTH) return [[name, toRColumn(`${path}/${name}`, value)]];
  return toRFrame(value).columns.flatMap(([own, inner]) => columnsOf(path, `${name}.${own}`, inner, depth + 1));
}

/** Maximum nesting of dataframes. Real dataframes contain at most one level of nested dataframes. */
const MAX_DEPTH = 8;
