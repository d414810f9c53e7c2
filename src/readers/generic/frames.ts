/** Presents arrays of equal length in a group as the columns of one table. */

import { toStorageMetadata } from "../../arrow/storage-metadata.js";
import { mayBeNull } from "../../arrow/type.js";
import type { ColumnPlan, TablePlan } from "../../jobs/plan/plan.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { InvalidInputError } from "../../model/errors.js";
import { findNearestNames } from "../../model/nearest.js";
import type { GenericContext } from "./arrays/context.js";
import { ROOT } from "./arrays/context.js";
import type { Visited } from "./walk.js";

/** Name of the table that presents the root as a dataframe. The name `/` belongs to the contents table. */
export const FRAME_OF_ROOT = "frame";

/** Maximum number of array lengths listed in a message. */
const NAMED = 6;

type Wanted = NonNullable<NonNullable<GenericContext["plain"]>["frame"]>;

/**
 * Returns the tables, with one dataframe for each requested group in place of the tables for the group's arrays.
 * Scalars remain tables.
 * @param groups groups by path, with the metadata that describe their attributes.
 * @throws {InvalidInputError} if a group does not exist, has no arrays, or has arrays of different lengths.
 */
export function withFrames(
  tables: readonly TablePlan[],
  visited: readonly Visited[],
  wanted: Wanted,
  groups: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): TablePlan[] {
  const arrays = new Set(visited.flatMap(({ path, node }) => (node.kind === "array" ? [path] : [])));
  let all = [...tables];
  for (const given of new Set(wanted)) {
    const path = given.replace(/^\/+|\/+$/g, "");
    const own = groups.get(path);
    if (own === undefined) throw unknownGroup(given, [...groups.keys()]);
    const columns = all.filter(({ name, metadata }) => {
      const isChild = arrays.has(name) && name.slice(0, Math.max(0, name.lastIndexOf("/"))) === path;
      return isChild && (metadata.shape ?? []).length > 0;
    });
    checkLengths(given, columns);
    const frame = frameOf(path, columns, own);
    const taken = new Set<TablePlan>(columns);
    all = [frame, ...all.filter((table) => !taken.has(table))];
    if (all.filter(({ name }) => name === frame.name).length > 1) {
      throw new InvalidInputError(`the frame of the root is called ${frame.name}, as another table is`);
    }
  }
  return all;
}

function unknownGroup(given: string, groups: readonly string[]): InvalidInputError {
  const names = groups.map((name) => (name === "" ? ROOT : name));
  const [alike] = findNearestNames(given, names);
  const hint = alike === undefined ? `; there are ${names.slice(0, NAMED).join(", ")}` : `; is it ${alike}?`;
  return new InvalidInputError(`no group ${JSON.stringify(given)} for a frame${hint}`);
}

function checkLengths(given: string, columns: readonly TablePlan[]): void {
  const [first] = columns;
  if (first === undefined) throw new InvalidInputError(`the group ${JSON.stringify(given)} has no arrays for a frame`);
  if (columns.every(({ rows }) => rows === first.rows)) return;
  const lengths = columns.slice(0, NAMED).map(({ name, rows }) => `${name.split("/").at(-1)} ${rows}`);
  const more = columns.length > NAMED ? ", …" : "";
  throw new InvalidInputError(
    `the arrays of ${JSON.stringify(given)} are no frame, since their lengths differ: ${lengths.join(", ")}${more}`,
  );
}

function frameOf(path: string, columns: readonly TablePlan[], own: Readonly<Record<string, unknown>>): TablePlan {
  const [first] = columns;
  const fields = columns.map((table) => {
    const { shape: _, ...metadata } = table.metadata;
    const plan = columnOf(table);
    const type = getColumnType(plan);
    const stored = plan.kind === "array" ? toStorageMetadata(plan.array.type) : {};
    const isNullable = type.id !== "FixedSizeList" && (plan.kind === "nullable" || mayBeNull(type));
    const name = table.name.slice(path === "" ? 0 : path.length + 1);
    return { name, type, nullable: isNullable, metadata: { ...metadata, ...stored } };
  });
  const names = new Set(
    columns.map(({ metadata }) => (Array.isArray(metadata.dimensions) ? metadata.dimensions[0] : null)),
  );
  const [dimension] = names;
  return {
    ...first,
    name: path === "" ? FRAME_OF_ROOT : path,
    fields,
    metadata: {
      ...{ kind: "frame", shape: [first.rows ?? 0], group: path === "" ? ROOT : path },
      ...(names.size === 1 && typeof dimension === "string" ? { dimensions: [dimension] } : {}),
      ...own,
    },
    schemaMetadata: new Map(),
    plan: { kind: "columns", columns: columns.map(columnOf) },
  };
}

/** Makes a column from an array. Records become one column of structs. */
function columnOf({ name, plan }: TablePlan): ColumnPlan {
  const [column] = plan.kind === "columns" ? plan.columns : [];
  if (column === undefined) throw new InvalidInputError("a table of another form in a frame", { element: name });
  return column.kind === "field" ? { kind: "array", array: column.array } : column;
}
