/** Arrays in the union's obsm, such as embedding coordinates. All observations have the same number of values. */

import { InvalidInputError } from "annarrow";
import type { Column, ColumnBatch, FixedSizeListColumn } from "annarrow/core/arrow";
import { createField, describeArrowType, INT64, nestType, sliceColumn } from "annarrow/core/arrow";
import {
  castNumbers,
  createFilledColumn,
  getCommonNumericType,
  isNumericType,
  type NumericType,
} from "annarrow/core/concat";
import type { ColumnTable } from "annarrow/core/tables";
import { createListingMembers } from "annarrow/core/tables";
import { CODEC, createGlobalRows } from "./frame-files.js";
import { createRangePositions, selectRows } from "./frame-rows.js";
import type { UnitedArray } from "./plan-document.js";

type ArrayForm = Omit<UnitedArray, "name">;

/** Finds the numeric arrays in obsm, keyed by element name. */
export function listObsmArrays(tables: ReadonlyMap<string, ColumnTable>): ReadonlyMap<string, ArrayForm> {
  const found = new Map<string, ArrayForm>();
  for (const [name, { fields }] of tables) {
    const [{ type }] = fields;
    if (!name.startsWith("obsm/") || fields.length !== 1 || type.id !== "FixedSizeList") continue;
    if (isNumericType(type.item.type)) found.set(name, { type: type.item.type, width: type.size });
  }
  return found;
}

interface InputArrays {
  readonly source: string;
  readonly arrays: ReadonlyMap<string, ArrayForm>;
}

/**
 * Returns the arrays of the union.
 * @param wanted selected elements.
 * @param before arrays of the existing union to which inputs are added. They do not change. Null for a new union.
 * @throws {InvalidInputError} for an array that no input has, for different widths, and for missing rows in an array
 * whose integer type cannot represent them.
 */
export function uniteArrays(
  inputs: readonly InputArrays[],
  wanted: readonly string[] | null,
  before: readonly UnitedArray[] | null,
): { readonly arrays: readonly UnitedArray[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const names = wanted ?? before?.map(({ name }) => name) ?? [];
  const present = new Set(before?.map(({ name }) => name));
  const changed = before === null ? undefined : [...names, ...present].find((name) => !present.has(name));
  if (changed !== undefined) throw new InvalidInputError("the union does not have it", { element: changed });
  const arrays = [...new Set([...present, ...names])].map((name) => {
    const own = inputs.flatMap(({ source, arrays }) => {
      const found = arrays.get(name);
      return found === undefined ? [] : [{ source, ...found }];
    });
    const known = before?.find((one) => one.name === name);
    const all = known === undefined ? own : [{ source: "the union", type: known.type, width: known.width }, ...own];
    if (all.length === 0) throw new InvalidInputError("no input has it as an array of numbers", { element: name });
    const [first] = all;
    const other = all.find(({ width }) => width !== first.width);
    if (other !== undefined) {
      throw new InvalidInputError(
        `${first.source} has ${first.width} numbers for each observation, ${other.source} has ${other.width}`,
        { element: name },
      );
    }
    const type = getCommonNumericType(all.map((one) => one.type));
    if (known !== undefined) checkUnchangedType(name, known.type, type);
    const lacking = inputs.filter((one) => !one.arrays.has(name));
    if (lacking.length > 0 && type.id !== "Float") {
      throw new InvalidInputError(
        `${lacking[0].source} does not have it, and ${describeArrowType(type)} has no missing value`,
        { element: name },
      );
    }
    if (lacking.length > 0) {
      notes.push(`${name}: ${lacking.length} of ${inputs.length} inputs do not have it, whose rows are NaN`);
    }
    return { name, type, width: first.width };
  });
  return { arrays, notes };
}

/** @throws {InvalidInputError} if values in existing files of the union would get another type. */
export function checkUnchangedType(element: string, before: NumericType, now: NumericType): void {
  if (describeArrowType(before) === describeArrowType(now)) return;
  throw new InvalidInputError(
    `its values are ${describeArrowType(before)} in the union, and would become ${describeArrowType(now)}: cast them in the inputs, or make the union anew`,
    { element },
  );
}

interface ArrayPlace {
  /** Rows [start, end) of the input, which has `total` rows. */
  readonly rows: readonly [number, number];
  readonly total: number;
  /** Global row number of the first of these rows. */
  readonly first: number;
  readonly signal: AbortSignal | undefined;
}

/** Encodes the file for some rows of an array. @param table null if the input lacks the array; its rows become NaN. */
export async function* encodeArrayFile(
  table: ColumnTable | null,
  { name, type, width }: UnitedArray,
  { rows, total, first, signal }: ArrayPlace,
): AsyncGenerator<Uint8Array> {
  const list = listType(type, width);
  async function* batches(): AsyncGenerator<ColumnBatch> {
    let at = first;
    for await (const { length, child } of valuesOf()) {
      const values: Column = { layout: "fixed-size-list", type: list, length, validity: null, child };
      yield { length, columns: [createGlobalRows(at, length), values] };
      at += length;
    }
  }
  async function* valuesOf(): AsyncGenerator<{ readonly length: number; readonly child: Column }> {
    if (table === null) {
      const length = rows[1] - rows[0];
      for (let done = 0; done < length; done += MISSING_ROWS) {
        const some = Math.min(MISSING_ROWS, length - done);
        yield {
          length: some,
          child: createFilledColumn(some * width, { type, fill: Number.NaN }),
        };
      }
      return;
    }
    const own = await selectRows(table, createRangePositions(rows, total));
    for await (const { length, columns } of own.batches({ signal })) {
      const [column] = columns;
      if (column.layout !== "fixed-size-list") throw new TypeError("lists of a fixed size expected");
      const child = sliceColumn(column.child, 0, length * width);
      yield { length, child: castNumbers(child, type, { lossy: false, element: name }) };
    }
  }
  const [{ ColumnDataTable }, { parquetFile }] = await Promise.all([
    import("annarrow/core/tables"),
    import("annarrow"),
  ]);
  const made: ColumnTable = {
    ...createListingMembers(name, rows[1] - rows[0]),
    metadata: { kind: "array" },
    repeatable: true,
    fields: [createField("row", INT64, false), createField("value", list, false)],
    batches,
  };
  yield* parquetFile(new ColumnDataTable(made), { compression: CODEC, signal });
}

function listType(type: NumericType, width: number): FixedSizeListColumn["type"] {
  const list = nestType(type, [width]);
  if (list.id !== "FixedSizeList") throw new TypeError("a list of a fixed size expected");
  return list;
}

/** Number of missing rows generated at once. */
const MISSING_ROWS = 2 ** 14;
