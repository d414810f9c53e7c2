/** Fragments of datasets that `concat` puts together. */

import { CELL, CHR, END, START } from "../arrow/fragments.js";
import { textValues } from "../arrow/text.js";
import type { ChromosomePiece, FragmentInput } from "../concat/merged-fragments.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { storedTableOf } from "../tables/given/table-forms.js";
import type { StoredTable } from "../tables/stored-table.js";

/** Bytes of a row: its start, its end, its cell. */
const ROW = 12;

/** The one table of fragments of a dataset that has nothing else; null for other datasets. */
export function onlyFragments({
  tables,
}: Pick<TableSet<StoredTable | DataTable>, "tables">): StoredTable | DataTable | null {
  const [first, ...others] = [...tables.values()].filter(({ derived }) => !derived);
  return first !== undefined && others.length === 0 && first.metadata.kind === "fragments" ? first : null;
}

/**
 * The fragments of a dataset, chromosome by chromosome.
 * @throws {InvalidInputError} for fragments in lines of text, which are read from the first to the last only.
 */
export async function fragmentInput(
  table: StoredTable | DataTable,
  source: string,
  signal?: AbortSignal,
): Promise<FragmentInput> {
  const stored = await storedTableOf(table);
  if (stored?.rowsPlan.kind !== "fragments") {
    throw new InvalidInputError("fragments whose chromosomes are not read alone: convert them to BPCells first", {
      element: table.name,
    });
  }
  const [chromosomes, cells] = await names(stored, { signal });
  return {
    ...{ source, chromosomes, cells, rows: stored.rows },
    read: (chromosome, most, signal) => pieces(stored, { name: chromosomes[chromosome], most, signal }),
  };
}

async function names(
  stored: StoredTable,
  read: { readonly signal?: AbortSignal },
): Promise<readonly [chromosomes: readonly string[], cells: readonly string[]]> {
  // Batches without rows have the names, too.
  const nothing = await stored.selectFragments({ chr: [] }, read);
  for await (const part of nothing.parts(request(0), { fields: [CHR, CELL], ...read })) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { columns } of part.batches) {
      const [chromosomes = [], cells = []] = columns.map((column) => {
        if (column.layout !== "dictionary") throw new TypeError("dictionaries expected");
        if (column.dictionary.layout !== "variable") throw new TypeError("names are text");
        return textValues(column.dictionary).map((text) => text ?? "");
      });
      return [chromosomes, cells];
    }
  }
  throw new TypeError("not one batch");
}

function request(rows: number) {
  return { kind: "batches", batchBytes: Math.max(1, rows) * ROW, reuse: true } as const;
}

interface Wanted {
  /** The name of the chromosome. */
  readonly name: string;
  readonly most: number;
  readonly signal: AbortSignal | undefined;
}

async function* pieces(stored: StoredTable, { name, most, signal }: Wanted): AsyncGenerator<ChromosomePiece> {
  const read = { signal };
  const table = await stored.selectFragments({ chr: [name] }, read);
  const { rows } = table;
  if (rows === null) {
    yield* rowsOf(table, most, read);
    return;
  }
  // A scan keeps pages of memory until it ends, which many inputs at once would add up to much.
  for (let first = 0; first < rows; first += most) {
    yield* rowsOf(table, most, { rows: [first, Math.min(rows, first + most)], ...read });
  }
}

async function* rowsOf(
  table: StoredTable,
  most: number,
  how: { readonly rows?: readonly [start: number, end: number]; readonly signal?: AbortSignal },
): AsyncGenerator<ChromosomePiece> {
  for await (const part of table.parts(request(most), { ...how, fields: [START, END, CELL] })) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { length, columns } of part.batches) {
      const [starts, ends, cells] = columns.map((column) => {
        if (column.layout === "primitive") return column.values.subarray(0, length);
        if (column.layout === "dictionary") return column.indices.subarray(0, length);
        throw new TypeError("positions and cells expected");
      });
      if (starts instanceof Uint32Array && ends instanceof Uint32Array && cells instanceof Int32Array) {
        yield { starts, ends, cells };
      } else throw new TypeError("integers of 32 bits expected");
    }
  }
}
