/** Converts the names of an axis: the index of a dataframe <-> a table with the single column `value`. */

import type { ColumnBatch } from "../../../arrow/column.js";
import { type ArrowField, UTF8 } from "../../../arrow/type.js";
import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { describeUnnamedRows, type FrameIndex, findFrameIndex, toTextIndex } from "../../../tables/frame-index.js";
import { readColumnsAt, selectTableColumns } from "../../../tables/reshaped-tables.js";

export interface FrameNames {
  /** The names as the table `name`; null if the rows have no names. */
  readonly names: ColumnTable | null;
  readonly columns: readonly string[];
  /** Warning if the rows have no names but a column may contain them; null for no warning. */
  readonly unnamed: string | null;
}

/**
 * Returns the names of a dataframe's rows as text, as the table `name`. If the table allows it, other columns are not
 * read.
 * @param wanted the index column, if the caller specifies it.
 * @throws {InvalidInputError} if the index does not exist, or is neither text nor integers.
 */
export function getFrameNames(frame: ColumnTable, name: string, wanted: string | undefined): FrameNames {
  const index = findFrameIndex(frame, wanted);
  const columns = frame.fields.flatMap((field, i) => (i === index.field ? [] : [field.name]));
  if (index.field === null) return { names: null, columns, unnamed: describeUnnamedRows(frame, index) };
  return { names: namesTable(frame, index.field, index, name), columns, unnamed: null };
}

/** Returns the dataframe with only its index; null if the rows have no names. */
export function indexOnly(frame: ColumnTable, wanted: string | undefined): ColumnTable | null {
  const { field, name } = findFrameIndex(frame, wanted);
  if (field === null) return null;
  const index = { place: field, field: { ...frame.fields[field], name } };
  return selectTableColumns(frame, frame.name, [index], { kind: "dataframe", index: name });
}

function namesTable(frame: ColumnTable, place: number, index: FrameIndex, name: string): ColumnTable {
  // Names are always text, whatever their type in an AnnData file.
  const source = toTextIndex({ ...index, field: 0 }, { name: frame.name, fields: [frame.fields[place]] });
  return {
    ...listing(name, frame.rows, frame.repeatable),
    fields: [{ name: "value", type: UTF8, nullable: false }],
    metadata: { kind: "string-array", shape: frame.rows === null ? undefined : [frame.rows] },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      let start = 0;
      for await (const batch of readColumnsAt(frame, [place], options)) {
        yield { length: batch.length, columns: [source.column(batch, start)] };
        start += batch.length;
      }
    },
  };
}

/**
 * Converts a table of names to a dataframe that has only an index.
 * @throws {InvalidInputError} if the table is not a single text column.
 */
export function toNamesFrame(names: ColumnTable, name: string): ColumnTable {
  const [field, ...others] = names.fields;
  if (field === undefined || others.length > 0 || !isText(field)) {
    throw new InvalidInputError("names are one column of text", { element: names.name });
  }
  return {
    ...listing(name, names.rows, names.repeatable),
    fields: [{ name: "_index", type: field.type, nullable: false }],
    metadata: { kind: "dataframe", index: "_index" },
    batches: (options) => names.batches(options),
  };
}

function isText({ type }: ArrowField): boolean {
  return type.id === "Utf8" || (type.id === "Dictionary" && type.value.id === "Utf8");
}

/** Returns the properties that all tables of names have. */
function listing(name: string, rows: number | null, repeatable: boolean) {
  return {
    ...{ name, rows, repeatable },
    schemaMetadata: new Map<string, string>(),
    derived: false,
    layouts: [],
    layout: async () => {
      throw new InvalidInputError("names have one layout", { element: name });
    },
  } as const;
}
