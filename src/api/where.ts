/** A table's `where`: resolves names, masks, ranges and conditions to positions along the table's axes. */

import { conversions } from "../formats/formats.js";
import type { ReadOptions } from "../io/sources/source.js";
import type { MatrixPositions } from "../jobs/plan/matrix-plan.js";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { InvalidInputError, runWithLocation } from "../model/errors.js";
import type { AxisSelector } from "../model/selection.js";
import { AxisNameCache } from "../selection/axis-names.js";
import { type AxisLengths, hasEntries, selectMatrixPositions } from "../selection/where-in-columns.js";
import { type ChooseWhere, type ColumnTable, ORIGIN } from "../tables/column-table.js";
import { toColumnTable } from "../tables/given/table-forms.js";
import type { Origin, StoredTable } from "../tables/stored-table.js";
import { findAxisPositions } from "./dataset-axes.js";

type Chosen = AxisSelector | Iterable<number>;

/** Cached axis names for each dataset. */
const known = new WeakMap<Origin, AxisNameCache>();

/**
 * Returns the matching positions along the axes of `table`. Numeric selectors are returned unchanged.
 * @throws {NotFoundError} for names that an axis does not have.
 * @throws {InvalidInputError} for names or conditions along an axis that no table of the dataset describes.
 */
export async function findWherePositions(
  table: StoredTable,
  where: NonNullable<BatchOptions["where"]>,
  { signal }: ReadOptions,
): Promise<MatrixPositions> {
  const { source, name, origin } = table;
  const described = {
    ...{ name, origin },
    placeOf: (key: Key) => table.placeOf(key),
    lengthOf: (place: 0 | 1) => table.lengthOf(place),
  };
  return runWithLocation({ source, element: name }, () => positionsAlong(described, where, signal));
}

/** Selects rows, entries or columns of a table that is read in batches. */
export const tableWhere: ChooseWhere = (table, where, { signal }) => {
  const { name, [ORIGIN]: origin } = table;
  return runWithLocation({ source: origin?.source, element: name }, async () => {
    const columns = await toColumnTable(table);
    const first = await firstKey(table, origin);
    const isEntries = hasEntries(columns);
    const lengths = lengthsOf(columns);
    const placeOf = (key: Key) => ((isEntries || first !== "col" ? key === "row" : key === "col") ? 0 : 1);
    const lengthOf = (place: 0 | 1) => lengths[place] ?? 0;
    const chosen = await positionsAlong({ name, origin, placeOf, lengthOf }, where, signal);
    const { ColumnDataTable } = await import("../tables/column-data-table.js");
    return new ColumnDataTable(await selectMatrixPositions(columns, chosen, first, lengths));
  });
};

/** Returns the key for the rows of a table without entries; null if the rows are not along an axis. */
async function firstKey({ name }: DataTable, origin: Origin | null): Promise<Key | null> {
  // A file with one table has no axis other than its rows.
  if (origin === null || origin.format === "tables") return "row";
  const [first, second] = (await conversions.of(origin.format)).axesOf(name);
  if (first === null) return null;
  return second === null && /(^|\/)(var|col_attrs|col_names)$/.test(first) ? "col" : "row";
}

function lengthsOf({ metadata, fields, rows }: ColumnTable): AxisLengths {
  const [height = rows, width = null] = metadata?.shape ?? [];
  if (metadata?.layout === "columns") return [height, fields.length];
  const isMatrix = metadata?.shape?.length === 2;
  const [type] = fields.map((field) => field.type);
  if (fields.length !== 1 || type.id !== "FixedSizeList") return [height, isMatrix ? width : null];
  return [height, type.item.type.id === "FixedSizeList" ? null : type.size];
}

type Key = "row" | "col";

/** A table whose axes have names and columns. */
interface Described {
  readonly name: string;
  readonly origin: Origin | null;
  /** Returns the axis of the element to which a key of `where` applies. */
  readonly placeOf: (key: Key) => 0 | 1;
  readonly lengthOf: (place: 0 | 1) => number;
}

async function positionsAlong(
  table: Described,
  where: NonNullable<BatchOptions["where"]>,
  signal: AbortSignal | undefined,
): Promise<MatrixPositions> {
  const { row, col } = where;
  return {
    row: row === undefined ? undefined : await along(table, "row", row, signal),
    col: col === undefined ? undefined : await along(table, "col", col, signal),
  };
}

async function along(
  table: Described,
  key: Key,
  chosen: Chosen,
  signal: AbortSignal | undefined,
): Promise<Iterable<number>> {
  const selector = selectorOf(chosen);
  const positions = numbersOf(selector);
  if (positions !== null) return positions;
  const { origin, name } = table;
  const place = table.placeOf(key);
  // In a file with one table, the table describes its own rows.
  const isAlone = origin?.format === "tables";
  const conversion = origin === null ? null : await conversions.of(isAlone ? "anndata" : origin.format);
  const own = conversion?.axesOf(name)[place] ?? null;
  const axis = isAlone && place === 0 && own === null ? name : own;
  if (origin === null || conversion === null || axis === null) {
    throw new InvalidInputError(`no names and columns describe positions by ${key}: choose them by numbers`);
  }
  const { tables } = origin;
  const names = known.get(origin) ?? new AxisNameCache();
  known.set(origin, names);
  const length = () => table.lengthOf(place);
  return findAxisPositions(selector, { called: axis, table: axis, length, tables, conversion, known: names }, signal);
}

function selectorOf(chosen: Chosen): AxisSelector {
  if ("kind" in chosen || ArrayBuffer.isView(chosen) || Array.isArray(chosen)) return chosen;
  return [...chosen];
}

/** Returns the selector as numbers; null if it is not numeric. */
function numbersOf(selector: AxisSelector): Iterable<number> | null {
  if (ArrayBuffer.isView(selector)) return selector;
  if (!Array.isArray(selector)) return null;
  const values: readonly unknown[] = selector;
  return values.every((value) => typeof value === "number" || typeof value === "bigint") ? values.map(Number) : null;
}
