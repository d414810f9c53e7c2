/**
 * Finds a dataframe's index, its stored name, and its values as a text column. The column is then written, combined
 * with other columns, or compared with another index.
 */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { createTextColumn, decodeTextValues, formatDecimals } from "../arrow/text.js";
import { type ArrowField, describeArrowType, UTF8 } from "../arrow/type.js";
import { decodeDictionary } from "../arrow/written-values.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import { InvalidInputError, UnsupportedElementError } from "../model/errors.js";
import { isJsonObject, parseJsonObject } from "../model/json-object.js";
import type { ColumnTable } from "./column-table.js";
import { createListingMembers } from "./reshaped-tables.js";

export interface FrameIndex {
  /** Name of the child that contains the index, which is the value of the attribute `_index`. */
  readonly name: string;
  /** Position of the index's field; null if the row positions are the index. */
  readonly field: number | null;
  /** First position, and the step between positions. */
  readonly range: readonly [start: number, step: number];
  /** The index's position among the columns if it is also a column. */
  readonly asColumn: number | null;
  /** Whether the index was guessed, because neither the caller nor the table names it. */
  readonly guessed: boolean;
}

const POSITIONS: FrameIndex = { name: "_index", field: null, range: [0, 1], asColumn: null, guessed: true };

/** Usual names of text columns that contain the row names. */
const NAMES: ReadonlySet<string> = new Set(["_index", "index", "__index_level_0__", "obs_names", "var_names"]);

/**
 * Finds the index. It is the column that the caller names, else the one in the element's metadata, else the one that
 * pandas recorded in the schema, else the first text column with a usual name, else the positions.
 * @throws {InvalidInputError} if the index has several columns or does not exist.
 */
export function findFrameIndex({ name, fields, metadata, schemaMetadata }: ColumnTable, wanted?: string): FrameIndex {
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

/** Names of columns that may contain row names. */
const LIKELY =
  /^_?(index|names?|ids?|(obs|var|cell|gene|feature|sample|spot)s?([._ ]?(names?|ids?|barcodes?))?|barcodes?|__index_level_0__)$/i;

/**
 * Returns a warning, with a remedy, for a dataframe whose rows are named by their positions. Returns null if the rows
 * have names, or if the table says that they have none and no column looks like names.
 */
export function describeUnnamedRows(
  { name, fields, metadata }: ColumnTable,
  { field, guessed }: FrameIndex,
): string | null {
  if (field !== null || fields.length === 0) return null;
  const likely = fields.find((one) => LIKELY.test(one.name) && (isText(one) || one.type.id === "Int"));
  // If a dataframe has no index, pandas numbers its rows.
  const isNumbered = !guessed && metadata?.kind !== "dataframe";
  if (!guessed && !(isNumbered && likely !== undefined)) return null;
  const column = likely ?? fields.find(isText);
  const shown = column?.name ?? "COLUMN";
  const remedy = `index: { ${JSON.stringify(name)}: ${JSON.stringify(shown)} }, or --index ${name}=${shown},`;
  const looks = likely === undefined ? "names a column" : `takes ${JSON.stringify(shown)}, which looks like it`;
  return `no column is known as the index, so that the names are the positions 0, 1, 2, …; the option ${remedy} ${looks}`;
}

/**
 * Returns the name of the index column, or the start and step of a range; null if the pandas metadata name no index.
 */
function pandasIndex(json: string | undefined, element: string): string | readonly [number, number] | null {
  const pandas = json === undefined ? null : parseJsonObject(json);
  const columns: readonly unknown[] =
    pandas !== null && Array.isArray(pandas.index_columns) ? pandas.index_columns : [];
  if (columns.length > 1) {
    throw new InvalidInputError(`an index of ${columns.length} columns; anndata knows indices of one`, { element });
  }
  const [index] = columns;
  if (typeof index === "string") return index;
  if (!isJsonObject(index) || index.kind !== "range") return null;
  const { start, step } = index;
  return [Number.isSafeInteger(start) ? Number(start) : 0, Number.isSafeInteger(step) ? Number(step) : 1];
}

function isText({ type }: ArrowField): boolean {
  return type.id === "Utf8" || (type.id === "Dictionary" && type.value.id === "Utf8");
}

/** Returns the stored name of an index; `_index` if it has no name. */
function storedName(name: string): string {
  return name === "__index_level_0__" ? "_index" : name;
}

/** The index of successive batches. */
export interface IndexSource {
  readonly field: ArrowField;
  /** Returns the index of a batch. @param start number of rows in the table before this batch. */
  column(batch: ColumnBatch, start: number): Column;
}

/**
 * Returns the source of the index in its written form. anndata converts the names of observations and variables to
 * text.
 * @throws {InvalidInputError} if the index's values are neither text nor integers.
 */
export function indexSource(index: FrameIndex, fields: readonly ArrowField[], element: string): IndexSource {
  const { field: place, range } = index;
  const text: ArrowField = { name: index.name, type: UTF8, nullable: false };
  if (place === null) {
    const column = ({ length }: ColumnBatch, start: number) => positions(start, length, range);
    return { field: text, column };
  }
  const field = fields[place];
  if (field.metadata?.kind !== undefined) return { field, column: ({ columns }) => columns[place] };
  const { type } = field;
  if (type.id === "Utf8") return { field: text, column: ({ columns }) => columns[place] };
  if (type.id === "Dictionary" && type.value.id === "Utf8") {
    return { field: text, column: ({ columns }) => decoded(columns[place]) };
  }
  if (type.id === "Int") return { field: text, column: ({ columns }) => numerals(columns[place], element) };
  throw new UnsupportedElementError(
    `the index ${JSON.stringify(field.name)} is ${describeArrowType(type)}; names are text: cast it to text`,
    { element },
  );
}

/**
 * Creates the source of the dataframe's row names as text, whatever the type of its index.
 * @throws {InvalidInputError} if the index's values are neither text nor integers.
 */
export function toTextIndex(index: FrameIndex, { fields, name }: Pick<ColumnTable, "fields" | "name">): IndexSource {
  return indexSource(index, fields.map(dropFieldMetadata), name);
}

function positions(start: number, length: number, [first, step]: readonly [number, number]): Column {
  return formatDecimals(first + step * start, step, length);
}

function decoded(column: Column): Column {
  return column.layout === "dictionary" ? decodeDictionary(column) : column;
}

function numerals(column: Column, element: string): Column {
  if (column.layout !== "primitive") throw new TypeError("integers expected");
  const { values, length, validity } = column;
  return createTextColumn(
    Array.from({ length }, (_, i) => {
      if (validity === null || isBitSet(validity.bitmap, i)) return String(values[i]);
      throw new UnsupportedElementError(`row ${i} has no name in the index`, { element });
    }),
  );
}

export interface IndexColumn {
  readonly index: FrameIndex;
  /** Name of the index column. An existing column with this name must have the same values. */
  readonly name: string;
  /** Advice for the error message if an existing column has different values. */
  readonly remedy: string;
}

/**
 * Creates a table of the index, followed by the columns of `frame` at `places`, without field metadata.
 * @throws {InvalidInputError} while rows are read, if a column has the index's name but different values.
 */
export function indexAsColumn(
  frame: ColumnTable,
  { index, name, remedy }: IndexColumn,
  places: readonly number[],
): ColumnTable {
  const plain = frame.fields.map((field) => dropFieldMetadata(field));
  const source = index.field === null ? null : indexSource(index, plain, frame.name);
  const twin = source === null ? -1 : places.findIndex((place) => plain[place].name === name);
  const same = twin < 0 || places[twin] === index.field ? null : namesSource(frame, plain, places[twin]);
  const rest = places.filter((_, i) => source === null || i !== twin);
  return {
    ...createListingMembers(frame.name, frame.rows),
    repeatable: frame.repeatable,
    metadata: { kind: "dataframe" },
    fields: [...(source === null ? [] : [{ ...source.field, name }]), ...rest.map((place) => plain[place])],
    async *batches(options): AsyncGenerator<ColumnBatch> {
      let start = 0;
      for await (const batch of frame.batches(options)) {
        const own = source?.column(batch, start) ?? null;
        if (own !== null && same !== null) checkSame(own, same.column(batch, start), start);
        const columns = rest.map((place) => batch.columns[place]);
        yield { length: batch.length, columns: own === null ? columns : [own, ...columns] };
        start += batch.length;
      }
    },
  };

  function checkSame(own: Column, other: Column, start: number): void {
    const [names, others] = [toNameTexts(own), toNameTexts(other)];
    const at = names.findIndex((text, i) => text !== others[i]);
    if (at < 0) return;
    const [mine, theirs] = [JSON.stringify(names[at]), JSON.stringify(others[at])];
    throw new UnsupportedElementError(
      `the index becomes the column ${JSON.stringify(name)}, and there is one with other values (row ${start + at}: ${mine}, ${theirs}): ${remedy}`,
      { element: frame.name },
    );
  }
}

export function dropFieldMetadata({ name, type, nullable }: ArrowField): ArrowField {
  return { name, type, nullable };
}

function namesSource(frame: ColumnTable, fields: readonly ArrowField[], place: number): IndexSource {
  const { name } = fields[place];
  return indexSource(
    { name, field: place, range: [0, 1], asColumn: null, guessed: false },
    fields,
    `${frame.name}/${name}`,
  );
}

export function toNameTexts(column: Column): (string | null)[] {
  if (column.layout === "dictionary") return toNameTexts(decodeDictionary(column));
  if (column.layout === "variable") return decodeTextValues(column);
  throw new TypeError("names are text");
}

/** Returns a column's texts. A missing text becomes empty. */
export function toNames(column: Column): string[] {
  return toNameTexts(column).map((name) => name ?? "");
}

export interface Difference {
  readonly position: number;
  /** The two names at the position; null for a table that has ended. */
  readonly names: readonly [string | null, string | null];
}

type Texts = readonly (string | null)[];

/**
 * Finds the first difference between the names of two frames; null if there is none. Holds one batch of each frame in
 * memory.
 */
export async function findNameDifference(
  one: ColumnTable,
  other: ColumnTable,
  signal?: AbortSignal,
): Promise<Difference | null> {
  const [mine, theirs] = [namesOf(one, signal), namesOf(other, signal)];
  let [a, b]: Texts[] = [[], []];
  try {
    for (let position = 0; ; ) {
      if (a.length === 0) a = await nextOf(mine);
      if (b.length === 0) b = await nextOf(theirs);
      const length = Math.min(a.length, b.length);
      if (length === 0) return a.length === b.length ? null : { position, names: [a[0] ?? null, b[0] ?? null] };
      for (let i = 0; i < length; i++) {
        if (a[i] !== b[i]) return { position: position + i, names: [a[i], b[i]] };
      }
      [a, b] = [a.slice(length), b.slice(length)];
      position += length;
    }
  } finally {
    await mine.return(undefined);
    await theirs.return(undefined);
  }
}

/** Returns the next names; an empty list at the end. */
async function nextOf(names: AsyncGenerator<Texts>): Promise<Texts> {
  for (;;) {
    const next = await names.next();
    if (next.done) return [];
    if (next.value.length > 0) return next.value;
  }
}

async function* namesOf(frame: ColumnTable, signal: AbortSignal | undefined): AsyncGenerator<Texts> {
  const fields = frame.fields.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const source = indexSource(findFrameIndex(frame), fields, frame.name);
  let start = 0;
  for await (const batch of frame.batches({ signal })) {
    yield toNameTexts(source.column(batch, start));
    start += batch.length;
  }
}
