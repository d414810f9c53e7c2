/** Tables of fragments: `chr`, `start`, `end`, `cell_id`, and perhaps `count`, in any order of columns. */

import type { FragmentPlaces, FragmentRows } from "../kernels/fragments/rows.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import type { ColumnBatch } from "./column.js";
import { type NameIds, nameIds } from "./name-ids.js";
import type { ArrowField } from "./type.js";
import { unsignedValues } from "./unsigned-values.js";

const FRAGMENT_COLUMNS = ["chr", "start", "end", "cell_id"] as const;

/** What a table of fragments has besides, in files of text. */
const COUNT = "count";

/** Turns batches into fragments by number; the names are collected as they pass. */
export class FragmentColumns {
  readonly chr: NameIds;
  readonly cell: NameIds;
  readonly hasCount: boolean;
  /** Names of columns that fragments do not have. */
  readonly others: readonly string[];
  readonly #fields: readonly ArrowField[];
  #rows = 0;

  /** @throws {InvalidInputError} where a column is missing or stands twice, or its type is another one. */
  constructor(fields: readonly ArrowField[]) {
    this.#fields = fields;
    const known: readonly string[] = [...FRAGMENT_COLUMNS, COUNT];
    for (const name of known) {
      const found = fields.filter((field) => field.name === name).length;
      if (found === 1 || (found === 0 && name === COUNT)) continue;
      const problem = found === 0 ? `no column ${name}` : `${found} columns of the name ${name}`;
      throw new InvalidInputError(`${problem}; fragments are ${FRAGMENT_COLUMNS.join(", ")}`);
    }
    this.chr = inColumn("chr", 0, () => nameIds(fields[this.#place("chr")].type));
    this.cell = inColumn("cell_id", 0, () => nameIds(fields[this.#place("cell_id")].type));
    this.hasCount = this.#place(COUNT) >= 0;
    this.others = fields.map(({ name }) => name).filter((name) => !known.includes(name));
  }

  /**
   * The next rows, in the batch's memory where that is possible.
   * @throws {InvalidInputError} for a null, and for a position that is negative or has more than 32 bits.
   */
  next({ columns, length }: ColumnBatch): FragmentRows {
    const numbers = (name: string) => inColumn(name, this.#rows, () => unsignedValues(columns[this.#place(name)]));
    const ids = (name: "chr" | "cell_id", names: NameIds) =>
      inColumn(name, this.#rows, () => names.ids(columns[this.#place(name)]));
    const rows: FragmentRows = {
      length,
      chr: ids("chr", this.chr),
      start: numbers("start"),
      end: numbers("end"),
      cell: ids("cell_id", this.cell),
      count: this.hasCount ? numbers(COUNT) : null,
    };
    this.#rows += length;
    return rows;
  }

  #place(name: string): number {
    return this.#fields.findIndex((field) => field.name === name);
  }
}

/** Places of the two columns that tell whether fragments are in order. */
export function placeColumns(fields: readonly ArrowField[]): readonly [chr: number, start: number] {
  const place = (wanted: string) => fields.findIndex(({ name }) => name === wanted);
  return [place("chr"), place("start")];
}

/** Those two columns alone: less than half of what there is to look at. */
export class FragmentPlaceColumns {
  readonly #places: readonly [chr: number, start: number];
  readonly #chr: NameIds;
  #rows = 0;

  /** @param fields have both. */
  constructor(fields: readonly ArrowField[]) {
    this.#places = placeColumns(fields);
    this.#chr = inColumn("chr", 0, () => nameIds(fields[this.#places[0]].type));
  }

  /** The next rows. @throws {InvalidInputError} as `FragmentColumns` does. */
  next({ columns, length }: ColumnBatch): FragmentPlaces {
    const [chr, start] = this.#places.map((place) => columns[place]);
    const places = {
      length,
      chr: inColumn("chr", this.#rows, () => this.#chr.ids(chr)),
      start: inColumn("start", this.#rows, () => unsignedValues(start)),
    };
    this.#rows += length;
    return places;
  }
}

/** Says in which column something is wrong, and from which row on its places count. */
function inColumn<T>(name: string, row: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidInputError")) throw error;
    const where = row === 0 ? "" : ` (counted from row ${row})`;
    throw new InvalidInputError(`column ${name} ${error.problem}${where}`);
  }
}
