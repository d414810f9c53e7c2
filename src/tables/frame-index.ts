/** Which column of a table is the index of the dataframe, and under which name it is stored. */

import type { ArrowField } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import { isJsonObject } from "../model/json-object.js";
import type { ColumnTable } from "./column-table.js";

export interface FrameIndex {
  /** The child that holds the index, as the attribute `_index` says. */
  readonly name: string;
  /** Its place among the fields; null where the positions of the rows are the index. */
  readonly field: number | null;
  /** First position, and the step to the next. */
  readonly range: readonly [start: number, step: number];
  /** The place among the columns of an index that is one of them too. */
  readonly asColumn: number | null;
  /** Whether nothing says which column it is. */
  readonly guessed: boolean;
}

const POSITIONS: FrameIndex = { name: "_index", field: null, range: [0, 1], asColumn: null, guessed: true };

/** What text columns are called that are the names of rows. */
const NAMES: ReadonlySet<string> = new Set(["_index", "index", "__index_level_0__", "obs_names", "var_names"]);

/**
 * The index: the column that the caller names, else what the element remembers, else what pandas wrote into the schema,
 * else the first text column with one of the usual names, else the positions.
 * @throws {InvalidInputError} for an index of several columns, or one that is not there.
 */
export function frameIndex({ name, fields, metadata, schemaMetadata }: ColumnTable, wanted?: string): FrameIndex {
  const places = new Map(fields.map((field, i) => [field.name, i]));
  if (wanted !== undefined) {
    const field = places.get(wanted);
    if (field !== undefined) return { ...POSITIONS, name: storedName(wanted), field, guessed: false };
    const known = [...places.keys()].slice(0, 12).map((one) => JSON.stringify(one));
    throw new InvalidInputError(`no column ${JSON.stringify(wanted)} for the index; there are ${known.join(", ")}`, {
      element: name,
    });
  }
  const stored = metadata?.index;
  if (typeof stored === "string") {
    const field = places.get(stored);
    const place = metadata?.indexColumn;
    if (field !== undefined) {
      return { ...POSITIONS, name: stored, field, asColumn: typeof place === "number" ? place : null, guessed: false };
    }
  }
  const pandas = pandasIndex(schemaMetadata.get("pandas"), name);
  if (Array.isArray(pandas)) return { ...POSITIONS, range: [pandas[0], pandas[1]], guessed: false };
  const known = typeof pandas === "string" ? places.get(pandas) : undefined;
  const field = known ?? fields.findIndex((one) => NAMES.has(one.name) && isText(one));
  return field < 0 ? POSITIONS : { ...POSITIONS, name: storedName(fields[field].name), field, guessed: false };
}

/** What columns are called that may be names of rows. */
const LIKELY =
  /^_?(index|names?|ids?|(obs|var|cell|gene|feature|sample|spot)s?([._ ]?(names?|ids?|barcodes?))?|barcodes?|__index_level_0__)$/i;

/**
 * What is to be said of a dataframe whose rows are named by their positions, and what can be done about it; null where
 * its rows have names, or it says itself that they have none and no column looks like names.
 */
export function unnamedRows({ name, fields, metadata }: ColumnTable, { field, guessed }: FrameIndex): string | null {
  if (field !== null || fields.length === 0) return null;
  const likely = fields.find((one) => LIKELY.test(one.name) && (isText(one) || one.type.id === "Int"));
  // pandas numbers the rows of every frame that has no index.
  const isNumbered = !guessed && metadata?.kind !== "dataframe";
  if (!guessed && !(isNumbered && likely !== undefined)) return null;
  const column = likely ?? fields.find(isText);
  const shown = column?.name ?? "COLUMN";
  const remedy = `index: { ${JSON.stringify(name)}: ${JSON.stringify(shown)} }, or --index ${name}=${shown},`;
  const looks = likely === undefined ? "names a column" : `takes ${JSON.stringify(shown)}, which looks like it`;
  return `no column is known as the index, so that the names are the positions 0, 1, 2, …; the option ${remedy} ${looks}`;
}

/** The name of the index column, start and step of a range, or null where pandas says nothing. */
function pandasIndex(json: string | undefined, element: string): string | readonly [number, number] | null {
  const pandas = json === undefined ? null : parsed(json);
  const columns: readonly unknown[] =
    isJsonObject(pandas) && Array.isArray(pandas.index_columns) ? pandas.index_columns : [];
  if (columns.length > 1) {
    throw new InvalidInputError(`an index of ${columns.length} columns; anndata knows indices of one`, { element });
  }
  const [index] = columns;
  if (typeof index === "string") return index;
  if (!isJsonObject(index) || index.kind !== "range") return null;
  const { start, step } = index;
  return [Number.isSafeInteger(start) ? Number(start) : 0, Number.isSafeInteger(step) ? Number(step) : 1];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function isText({ type }: ArrowField): boolean {
  return type.id === "Utf8" || (type.id === "Dictionary" && type.value.id === "Utf8");
}

/** An index without a name is stored as `_index`. */
function storedName(name: string): string {
  return name === "__index_level_0__" ? "_index" : name;
}
