/** Writes sparse matrices as compressed columns in `data`, `ir` and `jc`, with doubles or logicals as values. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import type { ArrayWriter } from "../../containers/tree/container-writer.js";
import { convertIndices, toIntegerArray } from "../../kernels/sparse/convert-indices.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import { ReusedNumbers } from "../../kernels/values/reused-numbers.js";
import { InvalidInputError, runWithLocation, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import { allocate, type IntArray, type NumberArray, type StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { ListCounts, type MatrixLayout } from "../../tables/sparse/list-counts.js";
import { convertListsToCoordinates, createSparseEntries, type EntryBatch } from "../../tables/sparse/sparse-entries.js";
import { reportLoss } from "../context.js";
import { createMatlabAttributes, UINT64 } from "./attributes.js";
import { createIntDecode, toWrittenType } from "./classes.js";
import { openArray, openGroup, type ValueDestination } from "./context.js";
import { isFromMatlab, type MatlabMetadata, NO_METADATA, parseSize } from "./metadata.js";

/**
 * Writes a matrix given as coordinates. Coordinates without a guaranteed order are first sorted by columns.
 * @param origin description of the element from which the matrix was read.
 * @returns the number of entries.
 * @throws {InvalidInputError} for coordinates outside the shape, and for two entries at the same position in a matrix
 * that was not read from MATLAB.
 */
export async function writeSparse(
  place: ValueDestination,
  table: ColumnTable,
  shape: readonly [number, number],
  origin: MatlabMetadata = NO_METADATA,
): Promise<number> {
  const { cx } = place;
  const own = isFromMatlab(table.metadata) ? table.metadata : origin;
  const isStored = isFromMatlab(table.metadata) && table.metadata.order === "column";
  const form: MatrixLayout = { shape, order: "column", axes: [null, null] };
  const source = await createSparseEntries(isStored ? table : await unordered(table), isStored, cx);
  const values = new Values(place, source.value, own);
  await loadIndexKernels(source.entries ?? Number.POSITIVE_INFINITY);
  const attributes = createMatlabAttributes(place, own, {
    class: values.class,
    ...createIntDecode(values.class),
    sparse: shape[0],
  });
  const struct = await openGroup(place, attributes);
  const more = typeof own.nzmax === "number" && source.entries !== null ? own.nzmax - source.entries : 0;
  const sums =
    isStored || !cx.lossy
      ? null
      : new DuplicateSums(shape, values.type.kind === "complex" ? 2 : 1, values.class === "logical");
  const length = source.entries === null || sums !== null ? null : source.entries + Math.max(0, more);
  const open = (name: string, type: StoredType) =>
    openArray({ ...struct.field(name), element: place.element }, { type, shape: [length] });
  const counts = new ListCounts(form, table.name);
  const twice = isStored || sums !== null ? null : new Twice(table.name);
  const rows = new ReusedNumbers(UINT64);
  let arrays: { readonly data: ArrayWriter; readonly ir: ArrayWriter } | null = null;
  const begin = async () => ({ data: await open("data", toWrittenType(values.type)), ir: await open("ir", UINT64) });
  const write = async ({ minor, values: numbers }: Pick<ColumnMajorEntries, "minor" | "values">) => {
    // A matrix without entries has neither `data` nor `ir`.
    if (minor.length === 0) return;
    arrays ??= await begin();
    await arrays.data.write({ kind: "fixed", values: numbers }, minor.length);
    await arrays.ir.write({ kind: "fixed", values: convertIndices(minor, UINT64, rows) }, minor.length);
  };
  const writeSums = async (given: ColumnMajorEntries | null) => {
    const complete = sums?.take(given);
    if (complete === undefined || complete.minor.length === 0) return;
    counts.coordinates(complete.major, complete.minor);
    await write(complete);
  };
  for await (const entries of source.batches(form)) {
    if (entries.minor.length === 0 && entries.kind === "coordinates") continue;
    await runWithLocation({ element: place.element }, async () => {
      if (sums !== null && entries.kind === "coordinates") {
        return writeSums({ ...entries, values: values.of(entries.values) });
      }
      if (entries.kind === "lists") counts.lists(entries.offsets, entries.minor);
      else counts.coordinates(entries.major, entries.minor);
      twice?.check(entries);
      await write({ minor: entries.minor, values: values.of(entries.values) });
    });
  }
  await runWithLocation({ element: place.element }, () => writeSums(null));
  if (sums !== null && sums.added > 0) {
    cx.warn(
      `${place.element}: ${sums.added} entries at places that others have, too, of which MATLAB has one; they are added up`,
    );
  }
  await runWithLocation({ element: place.element }, async () => {
    if (more > 0) {
      arrays ??= await begin();
      await arrays.data.write({ kind: "fixed", values: allocate(values.type, more) }, more);
      await arrays.ir.write({ kind: "fixed", values: allocate(UINT64, more) }, more);
    }
    await arrays?.data.close();
    await arrays?.ir.close();
    const jc = await struct.group.array("jc", { type: UINT64, shape: [counts.pointerCount] });
    for (const pointers of counts.pointers()) {
      const part = toIntegerArray(pointers, UINT64);
      await jc.write({ kind: "fixed", values: part }, part.length);
    }
    await jc.close();
  });
  return counts.entries;
}

/**
 * Removes the declared order from a matrix that does not come from MATLAB, because rows within its columns may be in
 * any order. The entries are then checked.
 */
async function unordered(table: ColumnTable): Promise<ColumnTable> {
  const coordinates = await convertListsToCoordinates(table);
  const { metadata } = coordinates;
  if (metadata === null) return coordinates;
  const { order, ...rest } = metadata;
  return {
    ...coordinates,
    layout: (layout) => coordinates.layout(layout),
    batches: (options) => coordinates.batches(options),
    metadata: { ...rest, kind: "coordinates", ...(order === undefined ? {} : { sortedBy: order }) },
  };
}

/** Returns the shape that the table or the caller specifies. @throws {InvalidInputError} if neither does. */
export function getMatlabMatrixShape(
  table: ColumnTable,
  known: readonly [number, number] | null,
): readonly [number, number] {
  const size = parseSize(table.metadata?.size) ?? parseSize(table.metadata?.shape);
  if (size?.length === 2) return [size[0], size[1]];
  if (known !== null) return known;
  throw new InvalidInputError("nothing says how many rows and columns it has: give the shape (--shape)", {
    element: table.name,
  });
}

/** Rejects two entries at the same position, which MATLAB's sparse matrices cannot contain. */
class Twice {
  readonly #element: string;
  #last: readonly [number | bigint, number | bigint] = [-1, -1];

  constructor(element: string) {
    this.#element = element;
  }

  check(entries: EntryBatch): void {
    if (entries.kind === "lists") throw new TypeError("lists of entries come from MATLAB alone");
    const { major, minor } = entries;
    const [lastMajor, lastMinor] = this.#last;
    for (let i = 0; i < minor.length; i++) {
      const isSame = i === 0 ? major[0] === lastMajor && minor[0] === lastMinor : isRepeated(major, minor, i);
      if (!isSame) continue;
      throw new UnsupportedElementError(
        `two entries at row ${minor[i]}, column ${major[i]}, where MATLAB has one: add them up first`,
        { element: this.#element },
      );
    }
    this.#last = [major[major.length - 1], minor[minor.length - 1]];
  }
}

function isRepeated(major: NumberArray, minor: NumberArray, i: number): boolean {
  return minor[i] === minor[i - 1] && major[i] === major[i - 1];
}

/** Converts values to the types of MATLAB's sparse matrices: doubles, complex doubles, and logicals. */
class Values {
  readonly class: string;
  readonly type: StoredType;
  readonly #stored: StoredType;
  readonly #place: ValueDestination;
  readonly #made = new ReusedNumbers({ kind: "float", bits: 64 });
  #isRounded = false;

  constructor(place: ValueDestination, field: ArrowField, { notLogical, origin }: MatlabMetadata) {
    const { cx, element } = place;
    const { type, shape } = toWrittenForm(field, {});
    if (shape.length > 0 || !["bool", "int", "float", "complex"].includes(type.kind)) {
      throw new UnsupportedError(
        `values of type ${describeArrowType(field.type)} in a sparse matrix, which holds numbers`,
        {
          element,
        },
      );
    }
    this.#stored = type;
    this.#place = place;
    const isByte = type.kind === "int" && type.bits === 8 && !type.signed;
    if (type.kind === "bool" || (notLogical === true && isByte)) {
      this.class = "logical";
      this.type = type;
      return;
    }
    this.class = "double";
    this.type = type.kind === "complex" ? { kind: "complex", bits: 128 } : { kind: "float", bits: 64 };
    if ((type.kind === "float" || type.kind === "complex") && type.bits === (type.kind === "float" ? 64 : 128)) return;
    // A value with an origin gets its type back when it is read. This does not apply to half floats.
    if (origin !== undefined && !(type.kind === "float" && type.bits === 16)) return;
    cx.warn(
      `${element}: ${describeArrowType(field.type)} is written as double, the one type of numbers in sparse matrices`,
    );
  }

  /** Returns a column's numbers, either in the column's own memory or in memory that is reused for the next column. */
  of(column: Column): NumberArray {
    const values = toStoredValues({ type: this.#stored, shape: [] }, column);
    if (values.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    if (this.class === "logical" || values.values instanceof Float64Array) return values.values;
    return this.#doubles(values.values);
  }

  #doubles(values: NumberArray): NumberArray {
    const out = this.#made.take(values.length);
    if (this.#stored.kind === "float" && this.#stored.bits === 16) {
      for (let i = 0; i < out.length; i++) out[i] = decodeFloat16(Number(values[i]));
      return out;
    }
    if (!(values instanceof BigInt64Array || values instanceof BigUint64Array)) {
      for (let i = 0; i < out.length; i++) out[i] = values[i];
      return out;
    }
    for (let i = 0; i < out.length; i++) {
      const value = Number(values[i]);
      out[i] = value;
      // As a double, 2^53 + 1 becomes 2^53, so the integers are compared.
      if (Number.isSafeInteger(value) || BigInt(value) === values[i]) continue;
      if (this.#isRounded) continue;
      this.#isRounded = true;
      const problem = `value ${values[i]}, which a double does not hold`;
      reportLoss(this.#place.cx, this.#place.element, {
        problem,
        instead: "such values are rounded",
        remedy: "cast them first",
      });
    }
    return out;
  }
}

/** Entries ordered by column, then by row. */
export interface ColumnMajorEntries {
  readonly major: IntArray;
  readonly minor: IntArray;
  /** `width` numbers for each entry. */
  readonly values: NumberArray;
}

/**
 * Adds up entries at the same position, even in different batches. The last entry in a batch is held back until the
 * next batch.
 */
class DuplicateSums {
  readonly #width: number;
  readonly #isLogical: boolean;
  readonly #isLarge: boolean;
  #last: { readonly major: number; readonly minor: number; readonly values: Float64Array } | null = null;
  /** Number of entries that were added to an earlier entry. */
  added = 0;

  /** @param width 2 for complex numbers. Logicals are combined with "or". */
  constructor(shape: readonly [number, number], width: number, isLogical: boolean) {
    this.#width = width;
    this.#isLogical = isLogical;
    this.#isLarge = Math.max(...shape) > 2 ** 31;
  }

  /** Returns the completed entries. `given` is null at the end, when all remaining entries are completed. */
  take(given: ColumnMajorEntries | null): ColumnMajorEntries {
    const width = this.#width;
    const room = (given?.minor.length ?? 0) + 1;
    const major = new Float64Array(room);
    const minor = new Float64Array(room);
    const values = new Float64Array(room * width);
    let count = 0;
    if (this.#last !== null) {
      major[0] = this.#last.major;
      minor[0] = this.#last.minor;
      values.set(this.#last.values);
      count = 1;
    }
    for (let i = 0; given !== null && i < given.minor.length; i++) {
      const [col, row] = [Number(given.major[i]), Number(given.minor[i])];
      const isNew = count === 0 || major[count - 1] !== col || minor[count - 1] !== row;
      if (isNew) count++;
      else this.added++;
      major[count - 1] = col;
      minor[count - 1] = row;
      for (let k = 0; k < width; k++) {
        const at = (count - 1) * width + k;
        const value = Number(given.values[i * width + k]);
        values[at] = isNew ? value : this.#isLogical ? Math.max(values[at], value) : values[at] + value;
      }
    }
    const done = given === null ? count : Math.max(0, count - 1);
    this.#last =
      given === null || count === 0
        ? null
        : { major: major[done], minor: minor[done], values: values.slice(done * width, count * width) };
    const sums = values.subarray(0, done * width);
    const positions = (all: Float64Array) => {
      const own = all.subarray(0, done);
      return this.#isLarge ? BigInt64Array.from(own, BigInt) : Int32Array.from(own);
    };
    return {
      major: positions(major),
      minor: positions(minor),
      values: this.#isLogical ? Uint8Array.from(sums) : sums,
    };
  }
}
