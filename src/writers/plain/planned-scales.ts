/** Finds the scales of the tables that are written, before any of them is. */

import { storedTypeOf } from "../../arrow/written-type.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { dimensionNames } from "./dimensions.js";
import { type FieldContext, plainField } from "./field.js";
import { arrayPath, attributesOf, formOf, isFrame } from "./form.js";
import { type NamedArray, OF_SCALES, type Scales, scalesOf } from "./scales.js";

export interface PlannedFile {
  /** All groups that are listed. */
  readonly groups: ReadonlyMap<string, unknown>;
  /** The lengths of dimensions without coordinates, by their paths; absent where none are listed. */
  readonly dimensions: ReadonlyMap<string, number> | undefined;
  readonly reserve: (path: string) => bigint;
  readonly cx: FieldContext;
}

export function plannedScales(
  tables: readonly ColumnTable[],
  { groups, dimensions, reserve, cx }: PlannedFile,
): Scales {
  // The tables warn when they are written.
  const quiet: FieldContext = { ...cx, warn: () => undefined };
  const arrays = tables.flatMap((table) => namedArrays(table, quiet));
  const taken = new Set(groups.keys());
  for (const path of [...arrays.map((array) => array.path), ...tables.map(({ name }) => name)]) {
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) taken.add(parts.slice(0, depth).join("/"));
  }
  return scalesOf(arrays, { taken, dimensions: dimensions ?? new Map(), reserve });
}

/** The arrays that a table becomes. One that cannot be written is an error once its turn comes. */
function namedArrays(table: ColumnTable, cx: FieldContext): readonly NamedArray[] {
  try {
    if (isFrame(table)) {
      return table.fields.map((field) =>
        namedArray(
          arrayPath(table, field),
          [table.rows, ...storedTypeOf(plainField(field, table.name, cx)).shape],
          field.metadata,
        ),
      );
    }
    const { isScalar, shape } = formOf(table, cx);
    return [namedArray(table.name, isScalar ? [] : [table.rows, ...shape], table.metadata)];
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return [];
  }
}

function namedArray(
  path: string,
  lengths: readonly (number | null)[],
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): NamedArray {
  const shape = lengths.filter((length) => length !== null);
  // The length of rows that nobody has counted is known too late.
  const names = shape.length < lengths.length ? null : dimensionNames(metadata, shape.length);
  const own = attributesOf(metadata);
  const hasOwnNames = OF_SCALES.some((name) => own[name] !== undefined);
  return { path, shape, names: names ?? shape.map(() => null), hasOwnNames };
}
