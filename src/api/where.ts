/** `where` of a table: the positions that names, masks, ranges and conditions mean along the axes of the table. */

import { conversions } from "../formats/formats.js";
import type { MatrixPositions } from "../jobs/plan/matrix-plan.js";
import type { BatchOptions } from "../model/dataset.js";
import { InvalidInputError, located } from "../model/errors.js";
import type { AxisSelector } from "../model/selection.js";
import { KnownNames } from "../selection/axis-names.js";
import type { ReadOptions } from "../sources/source.js";
import type { Origin, StoredTable } from "../tables/stored-table.js";
import { positionsOf } from "./dataset-axes.js";

type Chosen = AxisSelector | Iterable<number>;

/** The names of axes that were read before, by the dataset. */
const known = new WeakMap<Origin, KnownNames>();

/**
 * The positions along the axes of `table`. Numbers stay as they are.
 * @throws {NotFoundError} for names that an axis does not have.
 * @throws {InvalidInputError} for names or conditions along an axis that no table of the dataset describes.
 */
export async function positionsWhere(
  table: StoredTable,
  { row, col }: NonNullable<BatchOptions["where"]>,
  { signal }: ReadOptions,
): Promise<MatrixPositions> {
  return located({ source: table.source, element: table.name }, async () => ({
    ...(row === undefined ? {} : { row: await along(table, "row", row, signal) }),
    ...(col === undefined ? {} : { col: await along(table, "col", col, signal) }),
  }));
}

async function along(
  table: StoredTable,
  key: "row" | "col",
  chosen: Chosen,
  signal: AbortSignal | undefined,
): Promise<Iterable<number>> {
  const selector = selectorOf(chosen);
  const positions = numbersOf(selector);
  if (positions !== null) return positions;
  const { origin, name } = table;
  const place = table.placeOf(key);
  const conversion = origin === null ? null : await conversions.of(origin.format);
  const axis = conversion?.axesOf(name)[place] ?? null;
  if (origin === null || conversion === null || axis === null) {
    throw new InvalidInputError(`no names and columns describe positions by ${key}: choose them by numbers`);
  }
  const { tables } = origin;
  const names = known.get(origin) ?? new KnownNames();
  known.set(origin, names);
  const length = () => table.lengthOf(place);
  return positionsOf(selector, { called: axis, table: axis, length, tables, conversion, known: names }, signal);
}

function selectorOf(chosen: Chosen): AxisSelector {
  if ("kind" in chosen || ArrayBuffer.isView(chosen) || Array.isArray(chosen)) return chosen;
  return [...chosen];
}

/** The selector as numbers; null where it is something else. */
function numbersOf(selector: AxisSelector): Iterable<number> | null {
  if (ArrayBuffer.isView(selector)) return selector;
  if (!Array.isArray(selector)) return null;
  const values: readonly unknown[] = selector;
  return values.every((value) => typeof value === "number" || typeof value === "bigint") ? values.map(Number) : null;
}
