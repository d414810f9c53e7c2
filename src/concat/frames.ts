/** Concatenates the rows of dataframes, as `pandas.concat` does. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { createPandasMetadata } from "../arrow/pandas.js";
import { createTextColumn } from "../arrow/text.js";
import { type ArrowField, UTF8 } from "../arrow/type.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { type FrameIndex, findFrameIndex, toNameTexts, toTextIndex } from "../tables/frame-index.js";
import { createListingMembers, selectTableColumns } from "../tables/reshaped-tables.js";
import { joinTableChunks } from "../tables/table-chunks.js";
import { CategoryUnion, createCodedColumn, indexTypeFor } from "./categories.js";
import { type ColumnFields, type MissingIntegers, type PlannedColumn, planColumn } from "./frame-columns.js";
import type { Join } from "./joined-names.js";

/** A dataframe of one dataset. */
export interface FramePart {
  readonly source: string;
  readonly frame: ColumnTable;
  /** Text appended to each row name: a separator and the key of the dataset, or nothing. */
  readonly suffix: string;
}

/** The column with the key of each row's dataset. */
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
  /** The index of each column by its name, without the dataframe's index column. */
  readonly columns: ReadonlyMap<string, number>;
}

/**
 * Concatenates the rows of all dataframes. This reads only the categories.
 * @throws {InvalidInputError} for columns without a common type, and for names that repeat in a dataframe.
 */
export async function concatFrames(parts: readonly FramePart[], options: ConcatFrameOptions): Promise<ColumnTable> {
  const { name, join, label, lossy, missingIntegers, warn } = options;
  const rules = { lossy, missingIntegers, mayMixBooleans: true, element: name };
  const frames = parts.map((part) => indexedFrame(part, name));
  const names = joinedColumnNames(frames, join);
  const unions = await categoryUnions(frames, names, options.signal);
  const columns = names
    .filter((column) => column !== label?.name)
    .flatMap((column) => {
      try {
        const planned = planColumn(fieldsOf(frames, column), unions.get(column) ?? null, rules);
        if (planned.note !== null) warn(`${name}: column ${JSON.stringify(column)} ${planned.note}`);
        return [planned];
      } catch (error) {
        if (!lossy || !isAnnarrowError(error, "InvalidInputError")) throw error;
        warn(`left out: ${name}: ${error.problem}`);
        return [];
      }
    });
  if (label !== null && names.includes(label.name)) {
    warn(`${name}: column ${JSON.stringify(label.name)} is replaced by the keys of the datasets`);
  }
  const labelled = label === null ? null : labelColumn(label);
  // As in pandas, keys that replace a column take its position.
  const labelPlace = label !== null && names.includes(label.name) ? names.indexOf(label.name) : columns.length;
  const withLabel = <T>(own: readonly T[], label: T | null) =>
    label === null ? own : own.toSpliced(labelPlace, 0, label);
  const indexNames = new Set(frames.map(({ index }) => index.name));
  const [indexName] = indexNames.size === 1 ? [...indexNames] : ["_index"];
  // A column of this name would be taken for the index.
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
          for await (const { length, index, own } of columnsOfFrame(frame, columns, batchOptions?.signal)) {
            yield { length, columns: [index, ...withLabel(own, labelled?.rows(i, length) ?? null)] };
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
  const index = findFrameIndex(frame);
  const columns = new Map<string, number>();
  for (const [place, field] of frame.fields.entries()) {
    if (place === index.field && index.asColumn === null) continue;
    if (columns.has(field.name)) {
      throw new InvalidInputError(`two columns are called ${JSON.stringify(field.name)}`, { source, element: name });
    }
    columns.set(field.name, place);
  }
  return { ...part, index, columns };
}

/** Returns the columns of all dataframes, or for an outer join of any dataframe, in the order of the dataframes. */
function joinedColumnNames(frames: readonly IndexedFrame[], join: Join): readonly string[] {
  const all = new Set(frames.flatMap(({ columns }) => [...columns.keys()]));
  return join === "outer" ? [...all] : [...all].filter((name) => frames.every(({ columns }) => columns.has(name)));
}

function fieldsOf(frames: readonly IndexedFrame[], name: string): ColumnFields {
  const fields = frames.flatMap(({ source, frame, columns }) => {
    const place = columns.get(name);
    return place === undefined ? [] : [{ source, field: frame.fields[place] }];
  });
  return { name, fields, isMissing: fields.length < frames.length };
}

/** Returns the categories of the columns that are categorical in every dataframe that has them. */
async function categoryUnions(
  frames: readonly IndexedFrame[],
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, CategoryUnion>> {
  const unions = new Map<string, CategoryUnion>();
  for (const name of names) {
    const { fields } = fieldsOf(frames, name);
    if (fields.every(({ field }) => field.type.id === "Dictionary")) unions.set(name, new CategoryUnion());
  }
  for (const { frame, columns } of frames) {
    const wanted = [...unions].flatMap(([name, union]) => {
      const place = columns.get(name);
      return place === undefined ? [] : [{ place, union }];
    });
    if (wanted.length === 0) continue;
    const alone = frame.only?.(wanted.map(({ place }) => place));
    // All batches share the dictionaries.
    for await (const batch of (alone ?? frame).batches({ signal })) {
      for (const [i, { place, union }] of wanted.entries()) {
        const column = batch.columns[alone === undefined ? place : i];
        if (column.layout === "dictionary") union.add({ ordered: column.type.ordered, dictionary: column.dictionary });
      }
      break;
    }
  }
  return unions;
}

/** Rows of one dataframe, with the columns of the result. */
interface FrameRows {
  readonly length: number;
  readonly index: Column;
  readonly own: readonly Column[];
}

async function* columnsOfFrame(
  { frame, index, columns, suffix }: IndexedFrame,
  planned: readonly PlannedColumn[],
  signal: AbortSignal | undefined,
): AsyncGenerator<FrameRows> {
  const names = toTextIndex(index, frame);
  const places = planned.map(({ field }) => columns.get(field.name));
  const read = [...new Set([...(index.field === null ? [] : [index.field]), ...places])].filter(
    (place) => place !== undefined,
  );
  const alone = read.length === frame.fields.length ? undefined : frame.only?.(read);
  let start = 0;
  for await (const batch of (alone ?? frame).batches({ signal })) {
    const all: Column[] = [];
    for (const [i, column] of batch.columns.entries()) all[alone === undefined ? i : read[i]] = column;
    const { length } = batch;
    const own = planned.map((one, i) => {
      const place = places[i];
      return place === undefined ? one.missing(length) : one.changed(all[place]);
    });
    yield { length, index: suffixed(names.column({ length, columns: all }, start), suffix), own };
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

/** Returns the row names of a dataframe as one text column per batch. */
export async function indexColumns(frame: ColumnTable, signal: AbortSignal | undefined): Promise<readonly Column[]> {
  const index = findFrameIndex(frame);
  const place = index.field;
  const alone = place === null ? undefined : frame.only?.([place]);
  const names = toTextIndex(index, frame);
  const found: Column[] = [];
  let start = 0;
  for await (const { length, columns } of (alone ?? frame).batches({ signal })) {
    const all: Column[] = alone === undefined || place === null ? [...columns] : [];
    if (alone !== undefined && place !== null) all[place] = columns[0];
    found.push(names.column({ length, columns: all }, start));
    start += length;
  }
  return found;
}

/** Returns a dataframe of `rows` rows without names and columns. */
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
