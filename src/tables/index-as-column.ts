/** A dataframe as columns alone: its index is a column of text under a name of the caller's. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { textValues } from "../arrow/text.js";
import type { ArrowField } from "../arrow/type.js";
import { decodedDictionary } from "../arrow/written-values.js";
import { RefusedError } from "../model/errors.js";
import { plainListing } from "./chosen-columns.js";
import type { ColumnTable } from "./column-table.js";
import type { FrameIndex } from "./frame-index.js";
import { type IndexSource, indexSource } from "./index-column.js";

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
