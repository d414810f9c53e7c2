/** Columns by their names. */

import { type Field, Schema } from "apache-arrow";
import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { nearest } from "../model/nearest.js";

/**
 * The schema of the columns `names`, in that order.
 * @throws {NotFoundError} where the table has no such column, with the nearest names.
 * @throws {InvalidInputError} where a name is asked for twice, or stands for several columns.
 */
export function projectSchema(schema: Schema, names: readonly string[], element: string): Schema {
  return new Schema(
    columnPositions(
      schema.fields.map((field) => field.name),
      names,
      element,
    ).map((at): Field => schema.fields[at]),
    schema.metadata,
  );
}

/** The positions of the columns `names` among those of a table, of which there may be many; see `projectSchema`. */
export function columnPositions(all: readonly string[], names: readonly string[], element: string): number[] {
  // apache-arrow writes a corrupt stream where two columns of a batch share their buffers.
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined)
    throw new InvalidInputError(`column ${JSON.stringify(twice)} is asked for twice`, { element });
  const places = new Map<string, number[]>();
  for (const [i, name] of all.entries()) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [i]);
    else known.push(i);
  }
  return names.map((name) => {
    const found = places.get(name) ?? [];
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const where = found.length > 8 ? `${found.slice(0, 8).join(", ")}, …` : found.join(", ");
      throw new InvalidInputError(
        `${found.length} columns have the name ${JSON.stringify(name)} (at ${where}): read the table without choosing ` +
          "columns, and take them by their places",
        { element },
      );
    }
    const near = nearest(name, [...places.keys()]);
    const hint = near.length === 0 ? "the table has none" : `did you mean ${near.join(", ")}?`;
    throw new NotFoundError(`no column ${JSON.stringify(name)}; ${hint}`, { element });
  });
}
