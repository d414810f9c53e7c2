/** The index of a dataframe as a column of text: to be written, beside other columns, and compared with another index. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { decimals, textColumnOf, textValues } from "../arrow/text.js";
import { type ArrowField, typeText, UTF8 } from "../arrow/type.js";
import { decodedDictionary } from "../arrow/written-values.js";
import { bitAt } from "../kernels/values/bitmap.js";
import { RefusedError } from "../model/errors.js";
import { plainListing } from "./chosen-columns.js";
import type { ColumnTable } from "./column-table.js";
import { type FrameIndex, frameIndex } from "./frame-index.js";

/** The index of successive batches. */
export interface IndexSource {
  readonly field: ArrowField;
  /** @param start rows of the table before this batch. */
  column(batch: ColumnBatch, start: number): Column;
}

/**
 * The index as it is written. anndata makes text of the names of observations and variables.
 * @throws {InvalidInputError} where its values are neither text nor integers.
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
  throw new RefusedError(
    `the index ${JSON.stringify(field.name)} is ${typeText(type)}; names are text: cast it to text`,
    { element },
  );
}

function positions(start: number, length: number, [first, step]: readonly [number, number]): Column {
  return decimals(first + step * start, step, length);
}

function decoded(column: Column): Column {
  return column.layout === "dictionary" ? decodedDictionary(column) : column;
}

function numerals(column: Column, element: string): Column {
  if (column.layout !== "primitive") throw new TypeError("integers expected");
  const { values, length, validity } = column;
  return textColumnOf(
    Array.from({ length }, (_, i) => {
      if (validity === null || bitAt(validity.bitmap, i)) return String(values[i]);
      throw new RefusedError(`row ${i} has no name in the index`, { element });
    }),
  );
}

export interface IndexColumn {
  readonly index: FrameIndex;
  /** What its column is called; a column of that name must hold the same. */
  readonly name: string;
  /** What is to be done where it does not. */
  readonly remedy: string;
}

/**
 * `frame` with the columns at `places`, behind its index. What fields remember of a store is left out.
 * @throws {InvalidInputError} while rows are read, where a column has the name of the index and other values.
 */
export function indexAsColumn(
  frame: ColumnTable,
  { index, name, remedy }: IndexColumn,
  places: readonly number[],
): ColumnTable {
  const plain = frame.fields.map((field) => plainField(field));
  const source = index.field === null ? null : indexSource(index, plain, frame.name);
  const twin = source === null ? -1 : places.findIndex((place) => plain[place].name === name);
  const same = twin < 0 || places[twin] === index.field ? null : namesSource(frame, plain, places[twin]);
  const rest = places.filter((_, i) => source === null || i !== twin);
  return {
    ...plainListing(frame.name, frame.rows),
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
    const [names, others] = [textsOf(own), textsOf(other)];
    const at = names.findIndex((text, i) => text !== others[i]);
    if (at < 0) return;
    const [mine, theirs] = [JSON.stringify(names[at]), JSON.stringify(others[at])];
    throw new RefusedError(
      `the index becomes the column ${JSON.stringify(name)}, and there is one with other values (row ${start + at}: ${mine}, ${theirs}): ${remedy}`,
      { element: frame.name },
    );
  }
}

/** A field as one that never was stored. */
export function plainField({ name, type, nullable }: ArrowField): ArrowField {
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

/** Names as text. */
export function textsOf(column: Column): (string | null)[] {
  if (column.layout === "dictionary") return textsOf(decodedDictionary(column));
  if (column.layout === "variable") return textValues(column);
  throw new TypeError("names are text");
}

export interface Difference {
  readonly position: number;
  /** null where there are no more. */
  readonly names: readonly [string | null, string | null];
}

type Texts = readonly (string | null)[];

/** null where they are the same. A batch of each is held at a time. */
export async function differingNames(
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

/** The next names, none at the end. */
async function nextOf(names: AsyncGenerator<Texts>): Promise<Texts> {
  for (;;) {
    const next = await names.next();
    if (next.done) return [];
    if (next.value.length > 0) return next.value;
  }
}

async function* namesOf(frame: ColumnTable, signal: AbortSignal | undefined): AsyncGenerator<Texts> {
  const fields = frame.fields.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const source = indexSource(frameIndex(frame), fields, frame.name);
  let start = 0;
  for await (const batch of frame.batches(signal === undefined ? {} : { signal })) {
    yield textsOf(source.column(batch, start));
    start += batch.length;
  }
}
