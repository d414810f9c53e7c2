/** Concatenates the rows of dataframes, as `pandas.concat` does. */

import type { Column, ColumnBatch, DictionaryColumn } from "../arrow/column.js";
import { createPandasMetadata } from "../arrow/pandas.js";
import { createTextColumn } from "../arrow/text.js";
import { type ArrowField, UTF8 } from "../arrow/type.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { type FrameIndex, findFrameIndex, toNameTexts, toTextIndex } from "../tables/frame-index.js";
import {
  type ChosenColumn,
  createListingMembers,
  readColumnsAt,
  selectTableColumns,
} from "../tables/reshaped-tables.js";
import { joinTableChunks, readFewestRows } from "../tables/table-chunks.js";
import { CategoryUnion, createCodedColumn, indexTypeFor } from "./categories.js";
import {
  type ColumnConversion,
  type ColumnFields,
  joinColumnFields,
  type MissingIntegers,
  planColumn,
} from "./frame-columns.js";
import type { Join } from "./joined-names.js";

/** A dataframe of one dataset. */
export interface FramePart {
  readonly source: string;
  readonly frame: ColumnTable;
  /** Text appended to each row name: a separator and the dataset's key, or nothing. */
  readonly suffix: string;
}

/** The column that contains the key of each row's dataset. */
export interface LabelColumn {
  readonly name: string;
  /** A key for each dataframe. */
  readonly keys: readonly string[];
}

export interface ConcatFrameOptions {
  readonly name: string;
  readonly join: Join;
  readonly label: LabelColumn | null;
  readonly lossy: boolean;
  readonly missingIntegers: MissingIntegers;
  readonly signal: AbortSignal | undefined;
  /** Called for each column that changes. */
  readonly warn: (text: string) => void;
}

interface IndexedFrame extends FramePart {
  readonly index: FrameIndex;
  /** The columns by name, without the dataframe's index column. */
  readonly columns: ReadonlyMap<string, ChosenColumn>;
}

/**
 * Concatenates the rows of all dataframes. Only the categories are read at this point.
 * @throws {InvalidInputError} for columns without a common type, and for names that are repeated in a dataframe.
 */
export async function concatFrames(parts: readonly FramePart[], options: ConcatFrameOptions): Promise<ColumnTable> {
  const { name, join, label, lossy, missingIntegers, warn } = options;
  const rules = { lossy, missingIntegers, mayMixBooleans: true, element: name };
  const frames = parts.map((part) => indexedFrame(part, name));
  const joined = joinColumnFields(frames, join);
  const unions = await categoryUnions(frames, joined, options.signal);
  const columns = joined
    .filter((column) => column.name !== label?.name)
    .flatMap((column) => {
      try {
        const planned = planColumn(column, unions.get(column.name) ?? null, rules);
        if (planned.note !== null) warn(`${name}: column ${JSON.stringify(column.name)} ${planned.note}`);
        return [planned];
      } catch (error) {
        if (!lossy || !isAnnarrowError(error, "InvalidInputError")) throw error;
        warn(`left out: ${name}: ${error.problem}`);
        return [];
      }
    });
  const replaced = joined.findIndex((column) => column.name === label?.name);
  if (label !== null && replaced >= 0) {
    warn(`${name}: column ${JSON.stringify(label.name)} is replaced by the keys of the datasets`);
  }
  const labelled = label === null ? null : labelColumn(label);
  // As in pandas, keys that replace a column take its position.
  const labelPlace = replaced < 0 ? columns.length : replaced;
  const withLabel = <T>(own: readonly T[], label: T | null) =>
    label === null ? own : own.toSpliced(labelPlace, 0, label);
  const indexNames = new Set(frames.map(({ index }) => index.name));
  const [indexName] = indexNames.size === 1 ? [...indexNames] : ["_index"];
  // A column with this name would be mistaken for the index.
  const index = columns.some(({ field }) => field.name === indexName) ? "_index" : indexName;
  const rows = frames.reduce<number | null>((sum, { frame }) => addRows(sum, frame.rows), 0);
  const plannedFields = columns.map(({ field }) => field);
  const fields: ArrowField[] = [
    { name: index, type: UTF8, nullable: false },
    ...withLabel(plannedFields, labelled?.field ?? null),
  ];
  const table: ColumnTable = {
    ...createListingMembers(name, rows),
    metadata: { kind: "dataframe", index },
    schemaMetadata: new Map([["pandas", createPandasMetadata(fields)]]),
    fields,
    repeatable: frames.every(({ frame }) => frame.repeatable),
    only(places) {
      const { only: _, ...whole } = table;
      const chosen = places.map((place) => ({ place, field: fields[place] }));
      return selectTableColumns(whole, name, chosen, table.metadata);
    },
    ...joinTableChunks(
      frames.map((frame, i) => ({
        rows: frame.frame.rows,
        async *batches(batchOptions): AsyncGenerator<ColumnBatch> {
          const { index, suffix, columns: known } = frame;
          const read = columns.map((one) => ({ conversion: one, place: known.get(one.field.name)?.place ?? null }));
          for await (const rows of readConvertedRows(frame.frame, index, read, batchOptions?.signal)) {
            const { length, names, columns } = rows;
            const labels = labelled?.rows(i, length) ?? null;
            yield { length, columns: [suffixed(names, suffix), ...withLabel(columns, labels)] };
          }
        },
      })),
    ),
  };
  return table;
}

function addRows(sum: number | null, rows: number | null): number | null {
  return sum === null || rows === null ? null : sum + rows;
}

function indexedFrame(part: FramePart, name: string): IndexedFrame {
  const { frame, source } = part;
  const columns = new Map<string, ChosenColumn>();
  for (const column of listFrameColumns(frame)) {
    const own = column.field.name;
    if (columns.has(own)) {
      throw new InvalidInputError(`two columns are called ${JSON.stringify(own)}`, { source, element: name });
    }
    columns.set(own, column);
  }
  return { ...part, index: findFrameIndex(frame), columns };
}

/** Returns a dataframe's columns with their positions, without the index. */
export function listFrameColumns(frame: ColumnTable): readonly ChosenColumn[] {
  const { field: index, asColumn } = findFrameIndex(frame);
  return frame.fields.flatMap((field, place) => (place === index && asColumn === null ? [] : [{ place, field }]));
}

/** Returns the categories of the columns that are categorical in every dataframe that has them. */
async function categoryUnions(
  frames: readonly IndexedFrame[],
  joined: readonly ColumnFields[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, CategoryUnion>> {
  const unions = new Map<string, CategoryUnion>();
  for (const { name, fields } of joined) {
    if (fields.every(({ field }) => field.type.id === "Dictionary")) unions.set(name, new CategoryUnion());
  }
  for (const { frame, columns } of frames) {
    const wanted = [...columns.values()].filter(({ field }) => unions.has(field.name));
    for (const { field, column } of await readDictionaries(frame, wanted, signal)) {
      unions.get(field.name)?.add({ ordered: column.type.ordered, dictionary: column.dictionary });
    }
  }
  return unions;
}

/** Reads the dictionaries of columns, reading as few rows as possible. */
export async function readDictionaries(
  frame: ColumnTable,
  columns: readonly ChosenColumn[],
  signal: AbortSignal | undefined,
): Promise<readonly { readonly field: ArrowField; readonly column: DictionaryColumn }[]> {
  if (columns.length === 0) return [];
  const alone = frame.only?.(columns.map(({ place }) => place));
  // All batches share the dictionaries.
  for await (const batch of readFewestRows(alone ?? frame, { signal })) {
    return columns.flatMap(({ place, field }, i) => {
      const column = batch.columns[alone === undefined ? place : i];
      return column.layout === "dictionary" ? [{ field, column }] : [];
    });
  }
  return [];
}

/** Rows of one dataframe, with the result's columns. */
export interface ConvertedRows {
  readonly length: number;
  readonly names: Column;
  readonly columns: readonly Column[];
}

/**
 * A column of the result, and the position of its values in the dataframe; null if the dataframe does not have the
 * column.
 */
interface ConvertedColumn {
  readonly place: number | null;
  readonly conversion: ColumnConversion;
}

/** Reads a dataframe's rows as rows of the result, with row names as text. */
export async function* readConvertedRows(
  frame: ColumnTable,
  index: FrameIndex,
  columns: readonly ConvertedColumn[],
  signal: AbortSignal | undefined,
): AsyncGenerator<ConvertedRows> {
  const places = columns.map(({ place }) => place);
  const read = [...new Set([index.field, ...places])].filter((place) => place !== null);
  const known = new Map(read.map((place, i) => [place, i]));
  const fields = read.map((place) => frame.fields[place]);
  const names = toTextIndex({ ...index, field: index.field === null ? null : 0 }, { name: frame.name, fields });
  let start = 0;
  for await (const batch of readColumnsAt(frame, read, { signal })) {
    const { length } = batch;
    const own = columns.map(({ place, conversion }) => {
      const at = place === null ? undefined : known.get(place);
      return at === undefined ? conversion.missing(length) : conversion.changed(batch.columns[at]);
    });
    yield { length, names: names.column(batch, start), columns: own };
    start += length;
  }
}

function suffixed(names: Column, suffix: string): Column {
  if (suffix === "" && names.layout === "variable") return names;
  return createTextColumn(toNameTexts(names).map((name) => (name === null ? null : `${name}${suffix}`)));
}

function labelColumn({ name, keys }: LabelColumn) {
  const dictionary = createTextColumn(keys);
  const field: ArrowField = {
    name,
    type: { id: "Dictionary", index: indexTypeFor(keys.length), value: UTF8, ordered: false },
    nullable: false,
    metadata: { kind: "categorical" },
  };
  const rows = (frame: number, length: number) =>
    createCodedColumn(new Int32Array(length).fill(frame), dictionary, UTF8, false);
  return { field, rows };
}

/**
 * Returns a dataframe's row names as one text column per batch.
 * @param wanted the column that contains the names; by default the index.
 */
export async function indexColumns(
  frame: ColumnTable,
  signal: AbortSignal | undefined,
  wanted?: string,
): Promise<readonly Column[]> {
  const found: Column[] = [];
  for await (const { names } of readConvertedRows(frame, findFrameIndex(frame, wanted), [], signal)) found.push(names);
  return found;
}

/** Returns a dataframe of `rows` rows without names or columns. */
export function createUnnamedFrame(name: string, rows: number): ColumnTable {
  return {
    ...createListingMembers(name, rows),
    fields: [],
    metadata: { kind: "dataframe" },
    repeatable: true,
    async *batches() {
      yield { length: rows, columns: [] };
    },
  };
}
