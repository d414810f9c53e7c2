/** Runs a column plan for a range of rows. */

import {
  type DistinctCategories,
  indexType,
  mergeRepeatedCategories,
  toCategoricalColumn,
  withDistinct,
} from "../../arrow/categorical.js";
import { type Column, createNullColumn } from "../../arrow/column.js";
import { createFixedSizeLists } from "../../arrow/dense.js";
import { getRaggedArrowType } from "../../arrow/ragged/form.js";
import { createNullableColumn, createStoredColumn, getStoredArrowType } from "../../arrow/stored.js";
import type { TextFallback } from "../../arrow/text.js";
import { type ArrowType, NULL, nestType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { LongWork } from "../../io/sources/event-loop.js";
import { createUnwrittenLimit, type OnUnwritten, type ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import {
  countElements,
  type IntArray,
  type NumberArray,
  type StoredField,
  type StoredValues,
  viewAsBytes,
} from "../../model/stored.js";
import type { JobMemory } from "../memory/buffer-pool.js";
import { type CategoricalPlan, type ColumnPlan, listPlanArrays, type SparsePlan } from "../plan/plan.js";
import { ArrayRowReader, getArrayRowsPerRead } from "./array-row-reader.js";
import { IndptrReader } from "./indptr.js";
import type { NonZeroCollector } from "./non-zero-collector.js";
import { createViewedColumn, getViewedType } from "./viewed-values.js";

/** Returns the Arrow type of a column, from metadata alone. */
export function getColumnType(plan: ColumnPlan): ArrowType {
  switch (plan.kind) {
    case "array":
      return nestType(getStoredArrowType(plan.array.type), rowShape(plan.array));
    case "field": {
      const field = recordField(plan.array, plan.field);
      return nestType(getStoredArrowType(field.type), field.shape);
    }
    case "nullable":
      return nestType(
        getStoredArrowType(plan.values.type),
        rowShape(plan.values),
        plan.mask === null ? undefined : true,
      );
    case "categorical": {
      const index = indexType(codesType(plan.codes));
      const type = { id: "Dictionary", index, value: getColumnType(plan.categories), ordered: plan.ordered } as const;
      return plan.codes.kind === "field" ? type : nestType(type, rowShape(plan.codes.array));
    }
    case "viewed":
      return getStoredArrowType(getViewedType(plan));
    case "ragged":
      return getRaggedArrowType(plan.form);
    case "null":
      return NULL;
    default:
      return plan satisfies never;
  }
}

/** Returns the array that contains one value per row of the column; null if the column has no such array. */
function rowArray(plan: ColumnPlan): StoredArray | null {
  switch (plan.kind) {
    case "array":
    case "field":
      return plan.array;
    case "nullable":
      return plan.values;
    case "categorical":
      return plan.codes.array;
    case "viewed":
      return plan.values.array;
    case "ragged":
    case "null":
      return null;
    default:
      return plan satisfies never;
  }
}

/** Returns the number of rows of a column, from metadata alone. */
export function getColumnRowCount(plan: ColumnPlan): number {
  return plan.kind === "ragged" ? plan.length : (rowArray(plan)?.shape?.[0] ?? 1);
}

/**
 * Maximum bytes of categories that the file declares but does not store. Such values are all equal, but categories must
 * be distinct.
 */
const MAX_UNWRITTEN_CATEGORIES = 2 ** 20;

/** Each array's callback for values that the file declares but does not store. */
export type UnwrittenLimits = ReadonlyMap<StoredArray, OnUnwritten>;

/** Returns limits for `columns`. All their arrays share `limit`. */
export function createUnwrittenLimits(columns: readonly ColumnPlan[], limit: OnUnwritten): UnwrittenLimits {
  return new Map(listPlanArrays({ kind: "columns", columns }).map((array) => [array, limit]));
}

/**
 * Limits for the arrays of `categories`.
 * @throws {InvalidDataError} during a read, if too many categories are not stored in the file.
 */
function unwrittenCategories(categories: ColumnPlan): UnwrittenLimits {
  const problem = `more than ${MAX_UNWRITTEN_CATEGORIES} bytes of the categories are stored nowhere`;
  return createUnwrittenLimits(
    [categories],
    createUnwrittenLimit(MAX_UNWRITTEN_CATEGORIES, () => new InvalidDataError(problem)),
  );
}

/**
 * Maximum number of rows of `columns` that are read at once. Fixed-width text is read at its full width, however short
 * the values are.
 */
export function getColumnRowsPerRead(columns: readonly ColumnPlan[]): number {
  const arrays = columns.map(rowArray).filter((array) => array !== null);
  return arrays.reduce((least, array) => Math.min(least, getArrayRowsPerRead(array)), Number.POSITIVE_INFINITY);
}

/** A column's categories, both as stored and without duplicates. */
interface StoredCategories extends DistinctCategories {
  readonly stored: Column;
}

/** State of a scan between batches: bands of chunks, and the dictionaries that all batches share. */
export class ScanState {
  readonly text: TextFallback;
  readonly options: ReadOptions;
  readonly #bands = new Map<StoredArray, ArrayRowReader>();
  readonly #last = new Map<StoredArray, { start: number; end: number; values: StoredValues }>();
  readonly #categories = new Map<CategoricalPlan, StoredCategories>();
  readonly #names = new Map<StoredArray, Column>();
  readonly #ragged = new Map<ColumnPlan, Map<string, Column>>();
  readonly #nonZeros = new Map<StoredArray, NonZeroCollector>();
  readonly #pointers = new Map<SparsePlan, IndptrReader>();
  readonly #memory: JobMemory | null;
  readonly #unwritten: UnwrittenLimits;
  readonly #work: LongWork;

  /** @param memory memory that numbers are decoded into. If given, only dictionaries remain valid after `release`. */
  constructor(
    text: TextFallback,
    options: ReadOptions,
    memory: JobMemory | null = null,
    unwritten: UnwrittenLimits = new Map(),
  ) {
    this.text = text;
    this.options = options;
    this.#memory = memory;
    this.#unwritten = unwritten;
    this.#work = new LongWork(options.signal);
  }

  /**
   * Returns a promise from time to time. Awaiting it lets the event loop run, even during long reads without a batch.
   */
  pause(): Promise<void> | null {
    return this.#work.pause();
  }

  /** Acquires memory for a column, valid until `release`. */
  readonly take = (bytes: number): Uint8Array => this.#memory?.take(bytes) ?? new Uint8Array(bytes);

  /**
   * Releases the memory of all rows read so far.
   * @param moved memory of the rows that was moved to another thread.
   */
  release(moved?: ReadonlySet<ArrayBufferLike>): void {
    if (this.#memory === null) return;
    this.#last.clear();
    for (const band of this.#bands.values()) band.forget();
    this.#memory.release(moved);
  }

  /** Returns the callback for an array's values that are not stored; undefined if there is no limit for such values. */
  unwritten(array: StoredArray): OnUnwritten | undefined {
    return this.#unwritten.get(array);
  }

  /**
   * Reads the rows [start, end) of an array. If several columns are fields of the array, it is read only once.
   * @param until end of the scan.
   * @param isShared true if other columns need the same rows of an array without fields.
   */
  async rows(array: StoredArray, start: number, end: number, until?: number, isShared = false): Promise<StoredValues> {
    const last = this.#last.get(array);
    if (last !== undefined && last.start === start && last.end === end) return last.values;
    const pause = this.pause();
    if (pause !== null) await pause;
    let band = this.#bands.get(array);
    if (band === undefined) {
      band = new ArrayRowReader(array, this.#memory);
      this.#bands.set(array, band);
    }
    const onUnwritten = this.unwritten(array);
    const options = onUnwritten === undefined ? this.options : { ...this.options, onUnwritten };
    const values = await runWithLocation({ element: array.path }, () => band.read(start, end, options, until));
    if (values.kind === "record" || isShared) this.#last.set(array, { start, end, values });
    return values;
  }

  /** Returns the distinct categories of a column, shared by all batches. */
  async categories(plan: CategoricalPlan): Promise<StoredCategories> {
    let categories = this.#categories.get(plan);
    if (categories === undefined) {
      const lasting = new ScanState(this.text, this.options, null, unwrittenCategories(plan.categories));
      const stored = await readColumn(plan.categories, { start: 0, end: getColumnRowCount(plan.categories) }, lasting);
      categories = { stored, ...mergeRepeatedCategories(stored) };
      this.#categories.set(plan, categories);
    }
    return categories;
  }

  /** Reads all strings of an array, shared by all batches. Strings need not be distinct. */
  async names(array: StoredArray): Promise<Column> {
    let names = this.#names.get(array);
    if (names === undefined) {
      const plan = { kind: "array", array } as const;
      const lasting = this.#memory === null ? this : new ScanState(this.text, this.options);
      names = await readColumn(plan, { start: 0, end: getColumnRowCount(plan) }, lasting);
      this.#names.set(array, names);
    }
    return names;
  }

  /** Returns the reader of a matrix's pointers, which caches the last block. */
  pointers(matrix: SparsePlan): IndptrReader {
    let pointers = this.#pointers.get(matrix);
    if (pointers === undefined) {
      pointers = new IndptrReader(matrix, this);
      this.#pointers.set(matrix, pointers);
    }
    return pointers;
  }

  /** Returns the band that gathers the nonzeros of a matrix. Its memory is reused for each band. */
  nonZeros(array: StoredArray, make: () => NonZeroCollector): NonZeroCollector {
    let band = this.#nonZeros.get(array);
    if (band === undefined) {
      band = make();
      this.#nonZeros.set(array, band);
    }
    return band;
  }

  raggedDictionaries(plan: ColumnPlan): Map<string, Column> {
    let dictionaries = this.#ragged.get(plan);
    if (dictionaries === undefined) {
      dictionaries = new Map();
      this.#ragged.set(plan, dictionaries);
    }
    return dictionaries;
  }
}

export interface Scan {
  readonly start: number;
  readonly end: number;
  readonly fields: readonly number[];
  readonly batchBytes: number;
  readonly state: ScanState;
}

/** Rows [start, end) in a scan that reads no row at or after `until`. The end of the scan may be unknown. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
  readonly until?: number;
}

export async function readColumn(plan: ColumnPlan, range: RowRange, state: ScanState): Promise<Column> {
  const { start, end, until } = range;
  switch (plan.kind) {
    case "array": {
      const values = await state.rows(plan.array, start, end, until);
      return runWithLocation({ element: plan.array.path }, () =>
        arrayColumn({ type: plan.array.type, shape: rowShape(plan.array) }, values, end - start, state.text),
      );
    }
    case "field": {
      const field = recordField(plan.array, plan.field);
      const values = await state.rows(plan.array, start, end);
      if (values.kind !== "record") throw new TypeError("a compound array has record values");
      return runWithLocation({ element: `${plan.array.path}/${field.name}` }, () =>
        arrayColumn(field, values.fields[plan.field], end - start, state.text),
      );
    }
    case "nullable": {
      const { mask } = plan;
      if (mask === null) return await readColumn({ kind: "array", array: plan.values }, { start, end }, state);
      const values = await flatColumn(plan.values, start, end, state);
      const bytes = await state.rows(mask, start, end);
      return runWithLocation({ element: mask.path }, () => {
        if (bytes.kind !== "fixed") throw new InvalidDataError("the mask is not boolean");
        return createFixedSizeLists(
          createNullableColumn(values, viewAsBytes(bytes.values)),
          rowShape(plan.values),
          end - start,
          true,
        );
      });
    }
    case "categorical": {
      const categories = await state.categories(plan);
      const values = await state.rows(plan.codes.array, start, end);
      const codes = plan.codes.kind === "field" && values.kind === "record" ? values.fields[plan.codes.field] : values;
      return runWithLocation({ element: plan.codes.array.path }, () => {
        if (codes.kind !== "fixed" || !isInteger(codes.values)) throw new InvalidDataError("codes are not integers");
        const stored = toCategoricalColumn(codes.values, categories.stored, plan.ordered, plan.oneBased ? 1 : 0);
        const column = withDistinct(stored, categories);
        return plan.codes.kind === "field"
          ? column
          : createFixedSizeLists(column, rowShape(plan.codes.array), end - start);
      });
    }
    case "viewed": {
      const { array } = plan.values;
      const values = await state.rows(array, start, end, undefined, true);
      return runWithLocation({ element: array.path }, () => createViewedColumn(plan, values, end - start, state.text));
    }
    case "ragged": {
      const { readRaggedColumn } = await import("../../arrow/ragged/column.js");
      return readRaggedColumn(plan.form, raggedBuffers(plan, state), start, end);
    }
    case "null":
      return createNullColumn(end - start);
    default:
      return plan satisfies never;
  }
}

/** Reads all values of the rows as one flat column, ignoring the array's further dimensions. */
async function flatColumn(array: StoredArray, start: number, end: number, state: ScanState): Promise<Column> {
  const values = await state.rows(array, start, end);
  const count = (end - start) * countElements(rowShape(array));
  return runWithLocation({ element: array.path }, () => createStoredColumn(array.type, values, count, state.text));
}

function arrayColumn(
  { type, shape }: Pick<StoredField, "type" | "shape">,
  values: StoredValues,
  rows: number,
  text: TextFallback,
): Column {
  return createFixedSizeLists(createStoredColumn(type, values, rows * countElements(shape), text), shape, rows);
}

function raggedBuffers(plan: Extract<ColumnPlan, { kind: "ragged" }>, state: ScanState) {
  const buffer = (name: string): StoredArray => {
    const array = plan.buffers.get(name);
    if (array === undefined) throw new InvalidDataError(`the awkward array has no buffer ${name}`);
    return array;
  };
  return {
    length: (name: string) => buffer(name).shape?.[0] ?? 0,
    read: async (name: string, start: number, end: number): Promise<NumberArray> => {
      const values = await state.rows(buffer(name), start, end);
      if (values.kind !== "fixed") throw new InvalidDataError(`buffer ${name} of the awkward array holds no numbers`);
      return values.values;
    },
    dictionaries: state.raggedDictionaries(plan),
    text: state.text,
  };
}

/** Returns the dimensions after the first. */
function rowShape(array: StoredArray): readonly number[] {
  return array.shape?.slice(1) ?? [];
}

function recordField(array: StoredArray, index: number): StoredField {
  if (array.type.kind !== "record") throw new TypeError("a compound array has a record type");
  return array.type.fields[index];
}

function codesType(codes: Extract<ColumnPlan, { kind: "array" | "field" }>) {
  const type = codes.kind === "array" ? codes.array.type : recordField(codes.array, codes.field).type;
  if (type.kind !== "int") {
    throw new InvalidDataError(`codes are stored as ${type.kind}, not as integers`, { element: codes.array.path });
  }
  return type;
}

function isInteger(values: NumberArray): values is IntArray {
  return !(values instanceof Float32Array || values instanceof Float64Array);
}
