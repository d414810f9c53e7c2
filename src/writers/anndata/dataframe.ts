/** Writes the encoding `dataframe`: an index, and one element per column. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { createTextColumn } from "../../arrow/text.js";
import { type ArrowField, describeArrowType, UTF8 } from "../../arrow/type.js";
import { InvalidInputError, type Location, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { describeUnnamedRows, findFrameIndex, type IndexSource, indexSource } from "../../tables/frame-index.js";
import { readTableBatches } from "../../tables/rows.js";
import { createEncodingAttributes, createTextAttribute, createTextsAttribute } from "../attributes.js";
import { type ColumnSink, closeSinks, type TableColumnSink, writeBatch, writeColumnParts } from "../column-sink.js";
import { type ElementDestination, getElementPath, openGroup } from "./array.js";
import { openColumn } from "./column.js";
import { createColumnCopies } from "./column-copies.js";
import type { AnnDataWriterContext } from "./context.js";
import { checkKey } from "./groups.js";

export interface FrameOptions {
  readonly index?: string;
  /** Names of the rows, for a frame without an index. */
  readonly names?: readonly string[] | null;
  /** Called with each batch of the written index. */
  readonly onIndex?: (index: Column) => void;
  /** Returns the location for a column of lists or records, which a dataframe cannot contain. */
  readonly aside?: (field: ArrowField) => Promise<ElementDestination>;
}

interface Part {
  /** Location for errors: the table's column. The index need not be a column. */
  readonly location: Location;
  readonly open: (rows: number | null) => Promise<ColumnSink>;
  readonly column: (batch: ColumnBatch, start: number) => Column;
}

/**
 * Writes a table as a dataframe.
 * @returns the number of rows.
 * @throws {InvalidInputError} for column names that anndata rejects: repeated names, `_index`, and names with `/`.
 */
export async function writeDataframe(
  place: ElementDestination,
  table: ColumnTable,
  options: FrameOptions,
): Promise<number> {
  const { cx } = place;
  const element = getElementPath(place);
  const { fields } = table;
  const index = findFrameIndex(table, options.index);
  const given = index.guessed ? (options.names ?? null) : null;
  const unnamed = options.aside === undefined ? null : describeUnnamedRows({ ...table, name: element }, index);
  if (unnamed !== null) cx.warn(`${element}: ${unnamed}`);
  if (index.field === null && given === null && fields.length === 0 && !cx.lossy) checkPositions(table.rows, element);
  const source = given === null ? indexSource(index, fields, element) : namesSource(given, element);
  const rest = fields.flatMap((_, i) => (i === index.field ? [] : [i]));
  const aside = new Set(rest.filter((i) => isNested(fields[i])));
  checkColumns(index.name, rest, fields, element);
  const order = rest.filter((i) => !aside.has(i)).map((i) => fields[i].name);
  if (index.asColumn !== null) order.splice(index.asColumn, 0, index.name);
  const group = await openGroup(
    place,
    createEncodingAttributes("dataframe", {
      "column-order": createTextsAttribute(order),
      _index: createTextAttribute(index.name),
    }),
  );
  const isIndexStored = index.field !== null && source.field === fields[index.field] && options.onIndex === undefined;
  const copies = await createColumnCopies(place, group, table, (i) =>
    i !== index.field ? fields[i].name : isIndexStored ? index.name : null,
  );
  for (const [i, copy] of copies) await runWithLocation({ element, column: i }, copy);
  const isIndexCopied = index.field !== null && copies.has(index.field);
  const parts = isIndexCopied ? [] : [indexPart({ cx, parent: group, name: index.name }, source, options.onIndex)];
  for (const i of rest) {
    if (copies.has(i)) continue;
    const target = aside.has(i)
      ? await runWithLocation({ column: i }, () => asidePlace(place, fields[i], options))
      : { cx, parent: group, name: fields[i].name };
    parts.push({
      location: { column: i },
      open: (rows) => openColumn({ ...target, rows }, frameField(fields[i], cx)),
      column: ({ columns }) => columns[i],
    });
  }
  const read = fields.flatMap((_, i) => (copies.has(i) ? [] : [i]));
  if (parts.length === 0 && table.rows !== null && !cx.keep?.check) return table.rows;
  if (copies.size === 0 || read.length === 0 || cx.keep?.check || table.only === undefined) {
    return writeParts(parts, table, cx);
  }
  const moved = parts.map((part) => ({
    ...part,
    column: (batch: ColumnBatch, start: number) => part.column(inPlaces(batch, read, fields.length), start),
  }));
  return writeParts(moved, table.only(read), cx);
}

/** Returns a batch of some columns, each at its position in the whole table. */
function inPlaces({ length, columns }: ColumnBatch, places: readonly number[], count: number): ColumnBatch {
  // Columns at other positions are never read.
  const all = Array.from({ length: count }, () => columns[0]);
  for (const [k, place] of places.entries()) all[place] = columns[k];
  return { length, columns: all };
}

/**
 * Maximum number of positions that are converted to names without `lossy`. They take about 1 GB of text that is not in
 * the input.
 */
const MAX_POSITIONS = 2 ** 26;

/**
 * Checks the number of rows without names.
 * @throws {InvalidInputError} if there are more than `MAX_POSITIONS`, because a shape in a file of a few bytes can
 * claim any number.
 */
export function checkPositions(rows: number | null, element: string): void {
  if (rows === null || rows <= MAX_POSITIONS) return;
  throw new InvalidInputError(
    `${rows} rows without names or columns; names are their positions, and above ${MAX_POSITIONS} rows they are written only with lossy (--lossy): check the shape, or give names`,
    { element },
  );
}

/**
 * Writes the parts of a frame. A single batch is written column by column, so that few arrays are open. For several
 * batches, all columns are written at once.
 */
async function writeParts(parts: readonly Part[], table: ColumnTable, cx: AnnDataWriterContext): Promise<number> {
  const batches = readTableBatches(table, cx);
  try {
    const first = await batches.next();
    if (first.done) throw new InvalidInputError("not one batch", { element: table.name });
    let next = await batches.next();
    if (next.done) {
      for (const part of parts) {
        await runWithLocation(part.location, async () =>
          writeColumnParts(await part.open(first.value.length), [part.column(first.value, 0)]),
        );
      }
      return first.value.length;
    }
    const sinks: TableColumnSink[] = [];
    for (const [index, { location, open }] of parts.entries()) {
      sinks.push({ index, location, sink: await runWithLocation(location, () => open(table.rows)) });
    }
    let rows = 0;
    const write = async (batch: ColumnBatch) => {
      await writeBatch(sinks, { length: batch.length, columns: parts.map((part) => part.column(batch, rows)) });
      rows += batch.length;
    };
    await write(first.value);
    for (; !next.done; next = await batches.next()) await write(next.value);
    await closeSinks(sinks);
    return rows;
  } finally {
    await batches.return(undefined);
  }
}

function indexPart(
  place: ElementDestination,
  source: IndexSource,
  onIndex: ((index: Column) => void) | undefined,
): Part {
  const column = (batch: ColumnBatch, start: number) => {
    const values = source.column(batch, start);
    onIndex?.(values);
    return values;
  };
  return { location: {}, open: (rows) => openColumn({ ...place, rows }, frameField(source.field, place.cx)), column };
}

/** Adapts a column to the profile. For anndata 0.14, text has a mask and its missing values are NaN. */
function frameField(field: ArrowField, { profile }: AnnDataWriterContext): ArrowField {
  if (profile !== "0.14" || field.type.id !== "Utf8" || field.metadata?.kind !== undefined) return field;
  return { ...field, metadata: { ...field.metadata, kind: "nullable-string-array", "na-value": "NaN" } };
}

/** Returns an index source that contains the names written in the axis's own dataframe. */
function namesSource(names: readonly string[], element: string): IndexSource {
  const column = ({ length }: ColumnBatch, start: number): Column => {
    if (start + length <= names.length) return createTextColumn(names.slice(start, start + length));
    throw new InvalidInputError(`${start + length} rows, what they annotate has ${names.length}`, { element });
  };
  return { field: { name: "_index", type: UTF8, nullable: false }, column };
}

/**
 * Checks the columns' names.
 * @throws {InvalidInputError} for a name that a dataframe in a store cannot have.
 */
function checkColumns(index: string, columns: readonly number[], fields: readonly ArrowField[], element: string): void {
  const seen = new Set<string>();
  for (const column of [null, ...columns]) {
    const name = column === null ? index : fields[column].name;
    const location = { element, column: column ?? undefined };
    checkKey(name, { ...location, element: `${element}: a column` });
    if (seen.has(name)) throw new UnsupportedElementError(`two columns are called ${JSON.stringify(name)}`, location);
    if (name === "_index" && seen.size > 0) {
      throw new UnsupportedElementError(
        'a column called "_index", which is reserved for the index: rename it',
        location,
      );
    }
    seen.add(name);
  }
}

const NESTED: ReadonlySet<string> = new Set([
  "Binary",
  "FixedSizeBinary",
  "List",
  "FixedSizeList",
  "Struct",
  "DenseUnion",
]);

/**
 * Whether a column contains lists, bytes or records. A dataframe contains such a column only if it was read from one.
 */
function isNested({ type, metadata }: ArrowField): boolean {
  if (metadata?.kind !== undefined) return false;
  return NESTED.has(type.id);
}

async function asidePlace(
  frame: ElementDestination,
  field: ArrowField,
  { aside }: FrameOptions,
): Promise<ElementDestination> {
  const element = getElementPath(frame);
  if (aside === undefined) {
    throw new UnsupportedElementError(
      `column ${JSON.stringify(field.name)} is ${describeArrowType(field.type)}, which is no column of a dataframe; give it as a table of its own`,
      { element },
    );
  }
  const place = await runWithLocation({ element }, () => aside(field));
  frame.cx.warn(
    `${element}: column ${JSON.stringify(field.name)} is ${describeArrowType(field.type)}; it is written as ${getElementPath(place)}`,
  );
  return place;
}
