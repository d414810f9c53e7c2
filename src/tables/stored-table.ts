/**
 * A stored element as a table without any Arrow object, consisting of its plan and the functions that read its rows.
 */

import type { Column } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { AsRead } from "../containers/tree/passthrough-objects.js";
import type { ReadOptions } from "../io/sources/source.js";
import { renamePlan, withNodes } from "../jobs/plan/listed-nodes.js";
import {
  changePlanLayout,
  createSparseRows,
  findDenseMatrix,
  findSparsePart,
  getPartShape,
  keepEntries,
  listLayouts,
  type MatrixPositions,
  selectEntries,
  sortUniquePositions,
} from "../jobs/plan/matrix-plan.js";
import { withMinorEntries } from "../jobs/plan/minor-entries.js";
import type { AxisPositions } from "../jobs/plan/part-plan.js";
import { listPlanArrays, type RowsPlan, type TablePlan } from "../jobs/plan/plan.js";
import type { CopyStorage } from "../jobs/reorder/copy-storage.js";
import type { RowCopies } from "../jobs/reorder/row-copies.js";
import type { SplitAxis } from "../jobs/reorder/split-plan.js";
import { ScanState } from "../jobs/rows/columns.js";
import { readEntryOffsets } from "../jobs/rows/indptr.js";
import type { JobResult, ResultRequest } from "../jobs/rows/task.js";
import {
  checkJobRows,
  DEFAULT_BATCH_BYTES,
  getReusedBatchBytes,
  INLINE_BATCH_BYTES,
  isDecodedInline,
  type PartsOptions,
} from "../jobs/run/runner.js";
import { runTaskJobs } from "../jobs/workers/parts.js";
import type { MinorMap } from "../kernels/sparse/minor-map.js";
import type { Dataset, DataTable, FragmentSelection, Layout, TableMetadata } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidInputError,
  isCancellation,
  isUnsupportedOrInvalid,
  locateError,
  runWithLocation,
} from "../model/errors.js";
import { countElements, getDecodedSize } from "../model/stored.js";
import { getElementAxes } from "./axes.js";
import { getUnwrittenLimit } from "./unwritten-values.js";

export { DEFAULT_BATCH_BYTES } from "../jobs/run/runner.js";

const parts = () => import("./part-plans.js");

export interface PartOptions extends PartsOptions {
  /** Table rows [start, end); all by default. */
  readonly rows?: readonly [start: number, end: number];
  /** Positions of the requested fields, in this order; all by default. */
  readonly fields?: readonly number[];
}

interface ReadRules {
  /** Maximum bytes of values that the file declares but does not store; null (default) for no limit. */
  readonly mostUnwritten?: number | null;
  /** Replaces the error for data that cannot be read. */
  readonly onRefusal?: (error: AnnarrowError) => Error;
}

export class StoredTable {
  readonly #plan: TablePlan;
  readonly #source: string;
  readonly #origin: Origin | null;
  readonly #rules: ReadRules;

  /**
   * @param origin the dataset that the table belongs to.
   * @param rules the rules for reading; none by default.
   */
  constructor(plan: TablePlan, source: string, origin: Origin | null = null, rules: ReadRules = {}) {
    this.#plan = plan;
    this.#source = source;
    this.#origin = origin;
    this.#rules = rules;
  }

  get source(): string {
    return this.#source;
  }

  get origin(): Origin | null {
    return this.#origin;
  }

  get name(): string {
    return this.#plan.name;
  }

  get rows(): number | null {
    return this.#plan.rows;
  }

  get metadata(): TableMetadata {
    return this.#plan.metadata;
  }

  get derived(): boolean {
    return this.#plan.derived;
  }

  get axis(): "row" | "col" | null {
    return this.#plan.axis;
  }

  /** Additional objects that the file stores with the table; null if there are none. */
  get asRead(): AsRead | null {
    const { kept, name } = this.#plan;
    return kept === undefined ? null : { kept, name };
  }

  get layouts(): readonly Layout[] {
    return listLayouts(this.#plan);
  }

  get fields(): readonly ArrowField[] {
    return this.#plan.fields;
  }

  /** The stored arrays, and the plan that turns them into rows. */
  get rowsPlan(): RowsPlan {
    return this.#plan.plan;
  }

  /** Recommended batch size of this table in bytes. */
  get batchBytes(): number {
    const { plan } = this.#plan;
    // Repositioned entries need several times the memory of a batch.
    if (plan.kind === "entries" && plan.minor !== undefined) return DEFAULT_BATCH_BYTES / 4;
    return isDecodedInline(plan) ? INLINE_BATCH_BYTES : DEFAULT_BATCH_BYTES;
  }

  /** Recommended size in bytes of a batch that may be overwritten once the next one is requested. */
  get reusedBatchBytes(): number {
    return getReusedBatchBytes(this.#plan.plan) ?? this.batchBytes;
  }

  /** Bytes of the largest decoded chunk of the table's arrays. */
  get chunkBytes(): number {
    const sizes = listPlanArrays(this.#plan.plan).map(
      ({ chunks, type }) => countElements(chunks ?? []) * (getDecodedSize(type) ?? 32),
    );
    return sizes.reduce((most, size) => Math.max(most, size), 0);
  }

  /** The schema's metadata: the key `annarrow`, and the keys of other libraries. */
  get schemaMetadata(): ReadonlyMap<string, string> {
    return new Map([["annarrow", JSON.stringify(this.#plan.metadata)], ...this.#plan.schemaMetadata]);
  }

  /**
   * Changes the table to another layout.
   * @throws {InvalidInputError} if the element has no such layout.
   */
  async layout(layout: Layout): Promise<StoredTable> {
    return this.#with(await changePlanLayout(this.#plan, layout));
  }

  /**
   * Returns the table with a limit on bytes that are declared but not stored, because a few bytes can declare any
   * number of rows. Beyond the limit, `parts` throws an `UnsupportedError`. Some elements have no limit
   * (`getUnwrittenLimit`).
   */
  limited(mostUnwritten: number): StoredTable {
    return new StoredTable(this.#plan, this.#source, this.#origin, { ...this.#rules, mostUnwritten });
  }

  /**
   * Returns the table with a function that maps the errors for data that cannot be read. It also applies to derived
   * tables.
   */
  watched(onRefusal: (error: AnnarrowError) => Error): StoredTable {
    return new StoredTable(this.#plan, this.#source, this.#origin, { ...this.#rules, onRefusal });
  }

  async withoutColumns(positions: ReadonlySet<number>): Promise<StoredTable> {
    return this.#with((await parts()).dropPlanColumns(this.#plan, positions));
  }

  /** Runs `action`, and adds the source and the element to its errors. */
  #located<T>(action: () => Promise<T>): Promise<T> {
    return runWithLocation({ source: this.#source, element: this.name }, action);
  }

  #with(plan: TablePlan): StoredTable {
    return new StoredTable(plan, this.#source, this.#origin, this.#rules);
  }

  /**
   * Selects rows of a table along an axis, or rows and columns of a matrix, by position, in stored order. Order and
   * repetition of the positions have no effect. Dense layouts become narrower; coordinates and lists keep their
   * positions.
   * @throws {InvalidInputError} if the table does not have the axis or the position.
   */
  async at(where: MatrixPositions, options: ReadOptions = {}): Promise<StoredTable> {
    const table = this.#plan;
    const { plan, name, rows, axis } = table;
    const isEntries = ["coordinate", "subset", "nonzeros", "selected"].includes(plan.kind);
    if (isEntries || axis === null || rows === null) return this.#with(selectEntries(table, where));
    if (plan.kind === "entries")
      return this.#listsAt(getPartShape(plan.matrix, plan.minor), plan.matrix.order, where, options);
    const [first, second] = isByRows(table) ? (["row", "col"] as const) : (["col", "row"] as const);
    const positions = (key: "row" | "col", size: number | null) => {
      const asked = where[key];
      if (asked === undefined) return null;
      if (size !== null) return Int32Array.from(sortUniquePositions(asked, size, key, name));
      throw new InvalidInputError(`the rows of this table are chosen by ${first}, and nothing by ${second}`, {
        source: this.#source,
        element: name,
      });
    };
    return this.part(positions(first, rows), positions(second, columnsOf(table)), this.#origin, options);
  }

  /** Returns the element's axis (first or second) along which the `where` key `key` selects. */
  placeOf(key: "row" | "col"): 0 | 1 {
    const isFirst = isByRows(this.#plan) === (key === "row");
    return isFirst ? 0 : 1;
  }

  /** Returns the length of the element's first or second axis; 0 if it has no such axis. */
  lengthOf(place: 0 | 1): number {
    return this.metadata.shape?.[place] ?? (place === 0 ? this.rows : null) ?? 0;
  }

  /**
   * Returns the entry lists of selected rows (or columns, if column-compressed), limited to selected minor positions.
   */
  async #listsAt(
    shape: readonly [rows: number, columns: number],
    order: "row" | "column",
    where: MatrixPositions,
    options: ReadOptions,
  ): Promise<StoredTable> {
    const [major, other] = order === "row" ? (["row", "col"] as const) : (["col", "row"] as const);
    const { name } = this.#plan;
    const size = (key: "row" | "col") => shape[key === "row" ? 0 : 1];
    const { [major]: lists, [other]: within } = where;
    const kept = within === undefined ? null : sortUniquePositions(within, size(other), other, name);
    const table = kept === null ? this : this.#with(keepEntries(this.#plan, kept));
    if (lists === undefined) return table;
    const positions = Int32Array.from(sortUniquePositions(lists, size(major), major, name));
    return major === "row"
      ? table.part(positions, null, this.#origin, options)
      : table.part(null, positions, this.#origin, options);
  }

  /**
   * Selects rows and columns of the element by position, in any order and with repeats; null selects all. The rows of
   * fragments are their cells.
   * @param origin the dataset that the part belongs to.
   * @throws {UnsupportedError} if the element has no such axis.
   * @throws {InvalidDataError} if a sparse matrix's pointers are invalid.
   */
  async part(
    rows: AxisPositions,
    cols: AxisPositions,
    origin: Origin | null,
    options: ReadOptions = {},
  ): Promise<StoredTable> {
    const plan = await this.#located(async () => (await parts()).selectPlanPart(this.#plan, rows, cols, options));
    return new StoredTable(plan, this.#source, origin, this.#rules);
  }

  /** Returns the table in the dataset `origin`, reading the selected rows from copies. */
  async copied(copies: RowCopies, origin: Origin | null, options: ReadOptions = {}): Promise<StoredTable> {
    const plan = await this.#located(() => copies.ofPlan(this.#plan, options));
    return new StoredTable(plan, this.#source, origin, this.#rules);
  }

  /** Splits the element as `splitPlan` does. @returns a function that reads one group's part from the copies. */
  async split(axis: SplitAxis, storage: CopyStorage, options: ReadOptions = {}): Promise<TableSplit | null> {
    const split = await this.#located(async () => (await parts()).splitPlan(this.#plan, axis, storage, options));
    return split === null ? null : (part, group) => part.#with(split.partOf(part.#plan, group));
  }

  /**
   * Returns the sparse matrix with new minor positions, by which each list is sorted; null if the table is not a sparse
   * matrix, or already has new positions.
   */
  placed(minor: MinorMap): StoredTable | null {
    const { plan, metadata } = this.#plan;
    if (plan.kind !== "entries" || plan.minor !== undefined) return null;
    const rows = createSparseRows(plan.matrix, "list", minor);
    return this.#with({ ...this.#plan, ...rows, metadata: { ...metadata, shape: getPartShape(plan.matrix, minor) } });
  }

  /** Returns the dataframe without unused categories, and the positions of the remaining categories. */
  async withoutUnused(origin: Origin | null, options: ReadOptions = {}) {
    const { plan, columns } = await this.#located(async () =>
      (await parts()).dropUnusedCategories(this.#plan, options),
    );
    return { table: new StoredTable(plan, this.#source, origin, this.#rules), columns };
  }

  /** Returns the table as part of another dataset, under the same name. */
  within(origin: Origin): StoredTable {
    return new StoredTable(this.#plan, this.#source, origin, this.#rules);
  }

  /** Returns the table as another element of another dataset, without the additional objects of its file. */
  renamed(name: string, origin: Origin | null): StoredTable {
    const { kept: _, ...plan } = this.#plan;
    return new StoredTable(renamePlan(plan, name), this.#source, origin, this.#rules);
  }

  /** Returns a mapping's derived table with new paths for the listed nodes; null omits a node. */
  withNodes(pathOf: (path: string) => string | null): StoredTable {
    return this.#with(withNodes(this.#plan, pathOf));
  }

  /** Returns the table with different numbers. The table must have one column of numbers. */
  async withNumbers(numbers: Int32Array, origin: Origin | null): Promise<StoredTable> {
    const { withNumbers } = await parts();
    return new StoredTable(withNumbers(this.#plan, numbers), this.#source, origin, this.#rules);
  }

  /**
   * Selects some fragments.
   * @throws {InvalidInputError} if the table has no fragments, a name is unknown, or the range is invalid.
   */
  async selectFragments(selection: FragmentSelection, options: ReadOptions = {}): Promise<StoredTable> {
    return this.#with(await this.#located(async () => (await parts()).selectFragments(this.#plan, selection, options)));
  }

  /**
   * Starts to open the companion copy, if there is one. It is used to read a few rows or columns of a sparse matrix.
   */
  prepareFewEntries(axis: "row" | "col"): void {
    const { minorEntries } = this.#plan;
    if ((minorEntries?.of.order === "row") !== (axis === "row")) minorEntries?.prepare();
  }

  /** Yields the rows in parts, in the form of `request`. Adds the source and the element to errors. */
  async *parts(request: ResultRequest, options: PartOptions = {}): AsyncGenerator<JobResult> {
    const { rows, fields, ...ways } = options;
    const { signal } = ways;
    const { plan, text, fields: all, name } = this.#plan;
    const selected = fields ?? all.map((_, i) => i);
    try {
      signal?.throwIfAborted();
      const unwritten = getUnwrittenLimit(this.#plan, this.#rules.mostUnwritten ?? null);
      const read = await withMinorEntries(plan, this.#plan.minorEntries, checkJobRows(this.#plan, rows), { signal });
      const task = {
        rows: read.plan,
        fields: all,
        selected,
        text,
        request,
        unwritten: unwritten ?? undefined,
      };
      yield* runTaskJobs(task, read.rows, ways);
    } catch (error) {
      // A cancellation keeps its own reason, no matter which error the interruption caused.
      if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
      const { onRefusal } = this.#rules;
      const found = locateError(error, { source: this.#source, element: name });
      throw onRefusal !== undefined && isUnsupportedOrInvalid(found) ? onRefusal(found) : found;
    }
  }

  /**
   * Returns how many entries of a sparse matrix are stored before each of the ascending `rows`; null if the table's
   * rows are neither entries nor entry lists.
   * @throws {InvalidDataError} if the matrix is invalid there.
   */
  async entriesBefore(
    rows: readonly number[],
    { signal }: Pick<PartOptions, "signal"> = {},
  ): Promise<readonly number[] | null> {
    const { plan, text } = this.#plan;
    if (plan.kind === "coordinate") return rows;
    if (plan.kind !== "entries" || plan.minor !== undefined) return null;
    const state = new ScanState(text, { signal });
    return this.#located(() => readEntryOffsets(plan.matrix, rows, state));
  }

  /** Returns columns of the table (all by default) without rows, but with complete dictionaries. */
  async noRows(options: Omit<PartOptions, "rows"> = {}): Promise<readonly Column[]> {
    for await (const part of this.parts({ kind: "batches", batchBytes: 1 }, { ...options, rows: [0, 0] })) {
      if (part.kind === "batches") return part.batches[0].columns;
    }
    throw new TypeError("a scan gives at least one batch");
  }
}

/** Reads one group's part of a split table from the copies. */
export type TableSplit = (part: StoredTable, group: number) => StoredTable;

/** The members of a dataset that the dataset's tables need. */
export interface Origin extends Pick<Dataset, "source" | "format"> {
  readonly tables: ReadonlyMap<string, DataTable | StoredTable>;
}

// The axes of a stored table, by the keys of `where`.

/** Whether `where` calls a table's first axis `row`. Tables along the variables alone have a single axis, `col`. */
function isByRows({ name, axis, plan }: TablePlan): boolean {
  const isTable = plan.kind === "columns" || plan.kind === "matrix-columns";
  const [, second] = getElementAxes(name.replace(/^mod\/[^/]+\//, ""));
  return !(isTable && axis === "col" && second === null);
}

/** Returns the number of columns in a matrix whose first axis is called `row`; null for other tables. */
function columnsOf(table: TablePlan): number | null {
  if (!isByRows(table)) return null;
  const sparse = findSparsePart(table.plan);
  if (sparse !== null) return getPartShape(sparse.matrix, sparse.minor)[1];
  return findDenseMatrix(table.plan)?.shape?.[1] ?? null;
}
