/**
 * A matrix given as one column per matrix column, plus one text column of row names, which is how pandas writes an
 * index.
 */

import { describeArrowType } from "../../arrow/type.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { toNameTexts } from "../../tables/frame-index.js";
import { createListingMembers } from "../../tables/reshaped-tables.js";

/** Returns the position of the only text column if all other columns share a type; otherwise null. */
export function findRowNamesColumn({ fields }: ColumnTable): number | null {
  const texts = fields.flatMap(({ type }, i) => (type.id === "Utf8" ? [i] : []));
  const others = new Set(fields.filter(({ type }) => type.id !== "Utf8").map(({ type }) => describeArrowType(type)));
  return texts.length === 1 && others.size === 1 ? texts[0] : null;
}

/**
 * Returns the matrix without its name column.
 * @param take receives the names of each batch before the batch is written.
 */
export function dropRowNames(
  table: ColumnTable,
  place: number,
  take: (names: readonly (string | null)[]) => void,
): ColumnTable {
  const { name, metadata, schemaMetadata, rows, repeatable } = table;
  const isOther = (_: unknown, i: number): boolean => i !== place;
  return {
    ...createListingMembers(name, rows),
    ...{ metadata, schemaMetadata, repeatable },
    fields: table.fields.filter(isOther),
    async *batches(options) {
      for await (const { columns, length } of table.batches(options)) {
        take(toNameTexts(columns[place]));
        yield { length, columns: columns.filter(isOther) };
      }
    },
  };
}

/** Collects row names and compares them with the `known` names. */
export class RowNames {
  readonly names: string[] = [];
  readonly #known: () => readonly string[] | null;

  constructor(known: () => readonly string[] | null) {
    this.#known = known;
  }

  /** @throws {InvalidInputError} if a name is missing, or if it differs from the name in the dataframe. */
  take(names: readonly (string | null)[]): void {
    const known = this.#known();
    for (const name of names) {
      const row = this.names.length;
      if (name === null) throw new InvalidInputError(`row ${row} has no name`, { element: "X" });
      if (known !== null && row < known.length && known[row] !== name) {
        throw new InvalidInputError(
          `row ${row} has the name ${JSON.stringify(name)}, in obs ${JSON.stringify(known[row])}: bring both into one order, or leave the names out`,
          { element: "X" },
        );
      }
      this.names.push(name);
    }
  }
}
