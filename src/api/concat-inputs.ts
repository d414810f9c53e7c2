/** The datasets that `concat` combines. They are open datasets, or inputs that are opened when they are read. */

import { CELL, CHR, END, START } from "../arrow/fragments.js";
import { decodeTextValues } from "../arrow/text.js";
import type { ConcatInput } from "../concat/aligned-parts.js";
import type { ChromosomeBatch, FragmentInput } from "../concat/merged-fragments.js";
import { createReopenedTables, type HeldTables } from "../concat/reopened-tables.js";
import { convertTables } from "../formats/conversion/converted-tables.js";
import { conversions } from "../formats/formats.js";
import type { DataTable, Format, TableSet } from "../model/dataset.js";
import { InvalidInputError, isFromOutside, runWithLocation } from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import { listModalities } from "../selection/renamed-elements.js";
import type { ColumnTable } from "../tables/column-table.js";
import { findUnderlyingTable, toColumnTable } from "../tables/given/table-forms.js";
import type { StoredTable } from "../tables/stored-table.js";
import { MAX_UNWRITTEN_BYTES } from "../tables/unwritten-values.js";
import { checkDataset } from "./opened-dataset.js";
import { selectModalityAndMatrix, type WholeDataset } from "./renamed-dataset.js";

export type ConcatDataset = TableSet<StoredTable | DataTable>;

/** Maximum number of inputs that stay open all the time, even while none of their tables is read. */
const MAX_OPEN = 64;

/**
 * Number of inputs that stay open if there are more than `MAX_OPEN`. Every pass reads all inputs in order, so keeping
 * the last 64 inputs open would not help: the next one would never be among them.
 */
const FEW_OPEN = 2;

/** The command that error messages suggest for choosing tables, because `concat` takes whole inputs. */
const CHOOSER = "annarrow convert --table";

/** Number of inputs whose files are checked concurrently. */
const CHECKED_AT_ONCE = 64;

export interface Annotated extends ConcatInput {
  /** The format of the dataset before its elements were renamed to AnnData names. */
  readonly format: Format;
  readonly warnings: readonly string[];
  /** The fragments of a dataset that contains nothing else; null for other datasets. */
  readonly fragments: FragmentInput | null;
}

/** An input that can be opened more than once. */
export interface ReopenedInput {
  open(): Promise<ConcatDataset>;
  /**
   * Absent if changes of the input cannot be detected.
   * @throws {InvalidDataError} if the input has changed since it was first opened.
   */
  checkUnchanged?(): Promise<void>;
}

export interface AnnotateOptions {
  readonly lossy: boolean;
  /** The modality to read from a MuData; null if it is not specified. */
  readonly modality: string | null;
  /** Element that becomes X; X itself by default. */
  readonly X?: string;
}

export interface PoolOptions extends AnnotateOptions {
  /** Maximum number of inputs in the pool. If all of them may be open at once, the pool closes none of them early. */
  readonly inputs: number;
}

/**
 * Returns the tables of a dataset under AnnData's names.
 * @throws {InvalidInputError} for a MuData without a modality.
 * @throws the error of the first element that cannot be read, unless losses are allowed.
 */
export async function toAnnDataTables(
  whole: WholeDataset,
  { lossy, modality, X }: AnnotateOptions,
): Promise<Annotated> {
  const { source } = whole;
  return runWithLocation({ source }, async () => {
    const own = hasModalities(whole.format, whole.tables.keys()) ? await modalityIn(whole, modality) : whole;
    const dataset = await selectModalityAndMatrix(own, { X });
    const { format } = dataset;
    const warnings: string[] = [];
    const only = findSoleFragmentTable(dataset);
    if (only !== null) {
      const fragments = await readFragmentInput(only, source);
      return { source, format, fragments, tables: new Map(), shape: null, warnings };
    }
    for (const [name, failure] of dataset.failures) {
      if (!lossy || isFromOutside(failure)) throw failure;
      warnings.push(`left out: ${name}: ${failure.problem}`);
    }
    const tables = new Map<string, ColumnTable>();
    for (const [name, table] of dataset.tables) {
      tables.set(name, await toColumnTable(table, lossy ? null : MAX_UNWRITTEN_BYTES));
    }
    const view = await convertTables(
      { format, tables, shape: dataset.shape },
      "anndata",
      { lossy, chooser: CHOOSER },
      conversions,
    );
    return {
      ...{ source, format: whole.format, fragments: null },
      tables: view.tables,
      shape: view.shape === null ? null : [view.shape[0], view.shape[1]],
      warnings: [...warnings, ...view.warnings].map((text) => `${source}: ${text}`),
    };
  });
}

async function modalityIn(dataset: WholeDataset, modality: string | null): Promise<WholeDataset> {
  if (modality !== null) return selectModalityAndMatrix(dataset, { modality });
  const names = [...dataset.tables.keys(), ...dataset.failures.keys()];
  throw new InvalidInputError(
    `a MuData, of which concat takes one modality (${listModalities(names).join(", ")}): name it with modality (--modality)`,
  );
}

/** Opens datasets on demand, and closes the least recently used ones. */
export class InputPool {
  readonly #options: PoolOptions;
  /** Open inputs in the order of their last use. */
  readonly #open = new Map<ReopenedInput, OpenInput>();
  readonly #inputs: ReopenedInput[] = [];
  /** Settles when inputs that are now being closed have been closed. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Returns a dataset whose tables open the input when they are read. */
  async input(input: ReopenedInput): Promise<Annotated> {
    this.#inputs.push(input);
    const hold = () => this.#hold(input);
    const held = await hold();
    try {
      const { tables, source, format, shape, warnings } = held;
      const fragments = held.fragments === null ? null : reopenedFragments(held.fragments, hold);
      return {
        source,
        format,
        shape,
        warnings,
        fragments,
        tables: createReopenedTables(tables, hold),
      };
    } finally {
      held.release();
    }
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { opening } of all) await (await opening.catch(() => null))?.dataset.close();
    await this.#closing;
  }

  /** @throws {InvalidDataError} if an input is found to have changed since it was first opened. */
  async checkUnchanged(): Promise<void> {
    for (let first = 0; first < this.#inputs.length; first += CHECKED_AT_ONCE) {
      const some = this.#inputs.slice(first, first + CHECKED_AT_ONCE);
      await Promise.all(some.map((input) => input.checkUnchanged?.()));
    }
    for (const { opening } of this.#open.values()) await checkDataset((await opening.catch(() => null))?.dataset);
  }

  async #hold(input: ReopenedInput): Promise<Annotated & HeldTables> {
    const known = this.#open.get(input) ?? { users: 0, opening: this.#opened(input) };
    this.#open.delete(input);
    this.#open.set(input, known);
    known.users++;
    try {
      const { annotated } = await known.opening;
      const release = () => {
        known.users--;
        this.#closeOldest();
      };
      return { ...annotated, release };
    } catch (error) {
      this.#open.delete(input);
      throw error;
    }
  }

  async #opened(input: ReopenedInput) {
    // Closing takes a moment. Without waiting, open inputs would accumulate.
    await this.#closing;
    const dataset = await input.open();
    try {
      return { dataset, annotated: await toAnnDataTables(dataset, this.#options) };
    } catch (error) {
      await dataset.close();
      throw error;
    }
  }

  #closeOldest(): void {
    const idle = [...this.#open].filter(([, { users }]) => users === 0);
    const most = this.#options.inputs <= MAX_OPEN ? MAX_OPEN : FEW_OPEN;
    for (const [key, { opening }] of idle.slice(0, Math.max(0, idle.length - most))) {
      this.#open.delete(key);
      const closed = opening.then(({ dataset }) => dataset.close()).catch(() => undefined);
      this.#closing = Promise.all([this.#closing, closed]);
    }
  }
}

/** Returns fragments that open their dataset when they are read. */
function reopenedFragments(
  { source, chromosomes, cells, rows }: FragmentInput,
  hold: () => Promise<Annotated & HeldTables>,
): FragmentInput {
  return {
    ...{ source, chromosomes, cells, rows },
    async *read(chromosome, most, signal) {
      const held = await hold();
      try {
        if (held.fragments === null) throw new TypeError("no fragments any more");
        yield* held.fragments.read(chromosome, most, signal);
      } finally {
        held.release();
      }
    },
  };
}

interface OpenInput {
  users: number;
  readonly opening: Promise<{ readonly dataset: ConcatDataset; readonly annotated: Annotated }>;
}

// Fragments in datasets that `concat` combines.

/** Number of bytes in a row, which consists of start, end and cell. */
const ROW = 12;

/** Returns the fragments of a dataset whose only table contains fragments; null for other datasets. */
function findSoleFragmentTable({
  tables,
}: Pick<TableSet<StoredTable | DataTable>, "tables">): StoredTable | DataTable | null {
  const [first, ...others] = [...tables.values()].filter(({ derived }) => !derived);
  return first !== undefined && others.length === 0 && first.metadata.kind === "fragments" ? first : null;
}

/**
 * Returns a dataset's fragments in a form that is read chromosome by chromosome.
 * @throws {InvalidInputError} for fragments in a text file, which can only be read from start to end.
 */
async function readFragmentInput(
  table: StoredTable | DataTable,
  source: string,
  signal?: AbortSignal,
): Promise<FragmentInput> {
  const stored = await findUnderlyingTable(table);
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
  // The names are also present in batches without rows.
  const nothing = await stored.selectFragments({ chr: [] }, read);
  for await (const part of nothing.parts(request(0), { fields: [CHR, CELL], ...read })) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { columns } of part.batches) {
      const [chromosomes = [], cells = []] = columns.map((column) => {
        if (column.layout !== "dictionary") throw new TypeError("dictionaries expected");
        if (column.dictionary.layout !== "variable") throw new TypeError("names are text");
        return decodeTextValues(column.dictionary).map((text) => text ?? "");
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
  readonly name: string;
  readonly most: number;
  readonly signal: AbortSignal | undefined;
}

async function* pieces(stored: StoredTable, { name, most, signal }: Wanted): AsyncGenerator<ChromosomeBatch> {
  const read = { signal };
  const table = await stored.selectFragments({ chr: [name] }, read);
  const { rows } = table;
  if (rows === null) {
    yield* rowsOf(table, most, read);
    return;
  }
  // A scan keeps pages in memory until it ends. With many inputs, this would add up.
  for (let first = 0; first < rows; first += most) {
    yield* rowsOf(table, most, { rows: [first, Math.min(rows, first + most)], ...read });
  }
}

async function* rowsOf(
  table: StoredTable,
  most: number,
  how: { readonly rows?: readonly [start: number, end: number]; readonly signal?: AbortSignal },
): AsyncGenerator<ChromosomeBatch> {
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
