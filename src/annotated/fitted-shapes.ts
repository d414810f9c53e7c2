/** Shapes that the schemas of given matrices remember, which their rows need not have: given tables of names decide. */

import type { Format } from "../dataset.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { NamedTables } from "./converted.js";
import { annotatedFormat, vocabularyOf } from "./formats.js";

export interface FittedTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  readonly warnings: readonly string[];
}

/**
 * `given` with its matrices as large as the tables that name their rows and columns, and a warning for each that
 * remembers another shape.
 * @param shape of the main matrix, where the caller says it.
 */
export async function fittedShapes(
  { format, tables: given }: NamedTables,
  target: Format,
  shape: readonly [number, number] | null,
): Promise<FittedTables> {
  const { axesOf } = await annotatedFormat(await vocabularyOf(format, given.keys(), target));
  const tables = new Map<string, ColumnTable>();
  const warnings: string[] = [];
  for (const [name, table] of given) {
    const { metadata, remembered } = table;
    const known = metadata?.shape;
    const isMain = name === "X" || name === "matrix";
    const sizes = axesOf(name).map((axis, dimension) => {
      const rows = axis === null || axis === name ? null : (given.get(axis)?.rows ?? null);
      return rows ?? (isMain ? (shape?.[dimension] ?? null) : null);
    });
    const fits = known?.length !== 2 || sizes.every((size, dimension) => size === null || size === known[dimension]);
    if (fits || remembered !== true || metadata === null || !isSparse(table)) {
      tables.set(name, table);
      continue;
    }
    const fitted = known.map((size, dimension) => sizes[dimension] ?? size);
    warnings.push(
      `${name}: its schema remembers the shape ${JSON.stringify(known)}; it is written as ${JSON.stringify(fitted)}, since the other tables, or the shape that is given, say so`,
    );
    tables.set(name, { ...table, metadata: { ...metadata, shape: fitted } });
  }
  return { tables, warnings };
}

/** The rows and columns of other matrices are counted. */
function isSparse({ fields }: ColumnTable): boolean {
  return fields.some(({ name }) => name === "row" || name === "entries");
}
