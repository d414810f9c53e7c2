/**
 * Adjusts the shapes in the schemas of given matrices to the given tables of names, since the number of rows may differ
 * from the recorded shape.
 */

import type { Format } from "../../model/dataset.js";
import { formatNamed } from "../../model/formats/registry.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { computeGrownShape } from "../../tables/sparse/sparse-entries.js";
import { type Conversions, detectVocabulary } from "./conversions.js";
import type { NamedTables } from "./converted-tables.js";

export interface FittedTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  readonly warnings: readonly string[];
}

/**
 * Adjusts the shapes of the matrices in `given` to the tables that name their rows and columns, with a warning for each
 * matrix whose recorded shape differs. Sizes that no table determines come from the schema, or are larger if there are
 * entries outside the recorded shape. Writers of AnnData and MuData find such entries while writing; for other formats
 * they are searched for here, in tables that can be read twice.
 * @param shape the shape of the main matrix, if the caller specifies it.
 */
export async function fitMatrixShapes(
  { format, tables: given }: NamedTables,
  target: Format,
  shape: readonly [number, number] | null,
  conversions: Conversions,
  signal?: AbortSignal,
): Promise<FittedTables> {
  const { axesOf } = await conversions.of(await detectVocabulary(format, given.keys(), target, conversions));
  const growsWithEntries = formatNamed(target).hasBothFrames === true;
  const tables = new Map(given);
  const warnings: string[] = [];
  for (const [name, table] of given) {
    const { metadata, remembered } = table;
    const known = metadata?.shape;
    if (known?.length !== 2 || remembered !== true || metadata === null || !isSparse(table)) continue;
    const isMain = name === "X" || name === "matrix";
    const sizes = axesOf(name).map((axis, dimension) => {
      const rows = axis === null || axis === name ? null : (given.get(axis)?.rows ?? null);
      return rows ?? (isMain ? (shape?.[dimension] ?? null) : null);
    });
    const isOpen = !growsWithEntries && table.repeatable && sizes.includes(null);
    const least = isOpen ? await computeGrownShape(table, [known[0], known[1]], signal) : known;
    const fitted = known.map((_, dimension) => sizes[dimension] ?? least[dimension]);
    if (fitted.every((size, dimension) => size === known[dimension])) continue;
    const isGrown = sizes.some((size, dimension) => size === null && fitted[dimension] !== known[dimension]);
    warnings.push(
      `${name}: its schema remembers the shape ${JSON.stringify(known)}; it is written as ${JSON.stringify(fitted)}, since ${isGrown ? "there are entries outside of it" : "the other tables, or the shape that is given, say so"}`,
    );
    tables.set(name, { ...table, metadata: { ...metadata, shape: fitted } });
  }
  return { tables, warnings };
}

/** True for sparse matrices, which need a shape. The shape of a dense matrix follows from its rows and columns. */
function isSparse({ fields }: ColumnTable): boolean {
  return fields.some(({ name }) => name === "row" || name === "entries");
}
