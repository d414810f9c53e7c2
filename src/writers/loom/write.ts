/** Writes tables as a Loom file in version 3.0.0 or 2.0.1 of the specification. */

import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import { runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { createWriterContext, type WriterOptions, type WrittenTables } from "../context.js";
import { readListedPaths } from "../groups.js";
import { writeAttributes } from "./attributes.js";
import { type LoomWriterContext, TypeNotes } from "./context.js";
import { VERSION_NAME, writeArray } from "./globals.js";
import { writeGraph } from "./graph.js";
import { checkElement, checkName, LoomGroups } from "./groups.js";
import { computeLoomShape, type LoomShape, writeMatrix } from "./matrix.js";
import { computeMatrixChunks, createAsciiAttribute, VARIABLE_TEXT, type WrittenLoomVersion } from "./stored-types.js";

export interface LoomOptions extends WriterOptions {
  /** Version of the specification; "3.0.0" by default. */
  readonly version?: WrittenLoomVersion;
  /** [rows, columns] of the matrix, if the tables do not specify them. */
  readonly shape?: readonly [number, number] | null;
}

/** Groups that every file contains, even if they are empty. */
const GROUPS = ["layers", "row_attrs", "col_attrs", "row_graphs", "col_graphs"];

/**
 * Writes the tables below the root of `container`, which is not closed: `matrix`, `layers/*`, `row_attrs`, `col_attrs`,
 * `row_graphs/*`, `col_graphs/*`, `attrs/*`, and arrays in other groups under their own paths. If the time of an
 * array's or group's last modification is known, it is preserved.
 * @throws {InvalidInputError} if there is no matrix, if tables do not fit it (the message names both numbers), for
 * names with `/`, and, unless losses are allowed, for values that Loom cannot represent.
 * @throws {UnsupportedError} for types that Loom cannot represent, unless losses are allowed.
 */
export async function writeLoom(
  container: ContainerWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  options: LoomOptions = {},
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const { version = "3.0.0" } = options;
  const groups = new LoomGroups(container.root, version);
  const cx: LoomWriterContext = { ...createWriterContext(options, warnings), version, groups, notes: new TypeNotes() };
  const leaves = new Map([...tables].filter(([, table]) => !table.derived));
  const shape = computeLoomShape(leaves, options.shape ?? null);
  for (const name of version === "3.0.0" ? ["attrs", ...GROUPS] : GROUPS) await groups.at(name);
  await writeVersion(cx);
  // In 2.0.1, a global named last_modified replaces the file's own time.
  const isGlobal = version === "2.0.1" && leaves.has("attrs/last_modified");
  if (!isGlobal) groups.stamp("", leaves.get("matrix")?.metadata?.file_last_modified);
  const written: { name: string; rows: number }[] = [];
  // All tables are checked first. The matrix is written last, so errors are found before most of the bytes are written.
  for (const table of leaves.values()) checkElement(table);
  const order = [...leaves.values()].sort((a, b) => rank(a.name) - rank(b.name));
  for (const table of order) {
    cx.signal?.throwIfAborted();
    const rows = await runWithLocation({ element: table.name, table: table.name }, () =>
      writeTable(table, leaves, shape, cx),
    );
    if (rows !== null) written.push({ name: table.name, rows });
  }
  for (const table of tables.values()) if (table.derived) await writeMappings(table, cx);
  await groups.close();
  return { tables: written, warnings: [...warnings, ...cx.notes.warnings()] };
}

export function countMatrixChunks(tables: ReadonlyMap<string, ColumnTable>, known: LoomOptions["shape"]): number {
  const leaves = new Map([...tables].filter(([, table]) => !table.derived));
  const shape = computeLoomShape(leaves, known ?? null);
  const [height, width] = computeMatrixChunks(shape);
  return Math.ceil(shape[0] / height) * Math.ceil(shape[1] / width);
}

function rank(name: string): number {
  return name === "matrix" ? 2 : name.startsWith("layers/") ? 1 : 0;
}

/** Writes a table. @returns the number of rows; null if the table is omitted. */
async function writeTable(
  table: ColumnTable,
  all: ReadonlyMap<string, ColumnTable>,
  shape: LoomShape,
  cx: LoomWriterContext,
): Promise<number | null> {
  const { name, metadata } = table;
  const { groups } = cx;
  const [top, ...rest] = name.split("/");
  switch (top) {
    case "matrix":
      if (rest.length > 0)
        throw new UnsupportedElementError("the matrix is a table, and cannot have elements below it");
      return await writeMatrix({ group: groups.root, name }, table, shape, cx);
    case "layers":
      groups.stamp(top, metadata?.last_modified);
      return await writeMatrix({ group: await groups.at(top), name: single(rest) }, table, shape, cx);
    case "row_attrs":
    case "col_attrs":
      if (rest.length > 0) break;
      return await writeAttributes(table, top, shape[top === "row_attrs" ? 0 : 1], cx);
    case "row_graphs":
    case "col_graphs":
    case "row_edges":
    case "col_edges": {
      const path = graphPath(top, single(rest), all, cx);
      groups.stamp(path.slice(0, path.indexOf("/")), metadata?.last_modified);
      groups.stamp(path, metadata?.last_modified);
      return await writeGraph(await groups.at(path), table, shape[top.startsWith("row") ? 0 : 1], cx);
    }
    case "attrs":
      if (rest.length === 1 && rest[0] === VERSION_NAME) return null;
      break;
    default:
      break;
  }
  return await writeArray(table, cx);
}

/**
 * Returns the name of a layer or graph.
 * @throws {InvalidInputError} if the name is missing or invalid.
 */
function single(rest: readonly string[]): string {
  if (rest.length === 0) throw new UnsupportedElementError("a group, no table: name what is in it");
  const name = rest.join("/");
  checkName(name, { element: name });
  return name;
}

/** Returns the path of a graph. Versions before 2.0 used the name `row_edges` for `row_graphs`. */
function graphPath(top: string, name: string, all: ReadonlyMap<string, ColumnTable>, cx: LoomWriterContext): string {
  const path = `${top.replace("edges", "graphs")}/${name}`;
  if (path === `${top}/${name}`) return path;
  if (all.has(path)) throw new UnsupportedElementError(`there is ${path}, too, and it would be called so: rename one`);
  cx.warn(`${top}/${name}: written as ${path}, as it is called since 2.0`);
  return path;
}

async function writeVersion({ groups, version }: LoomWriterContext): Promise<void> {
  const { type, values } = createAsciiAttribute(version, version);
  if (version === "2.0.1") {
    groups.root.attribute(VERSION_NAME, { type, shape: [], values });
    return;
  }
  const attrs = await groups.at("attrs");
  const text = { kind: "text", storage: VARIABLE_TEXT } as const;
  const array = await attrs.array(VERSION_NAME, { type: text, shape: [] });
  if (values !== null) await array.write(values, 1);
  await array.close();
}

/** Writes the groups that a derived table lists, because an empty group has no table. */
async function writeMappings(table: ColumnTable, cx: LoomWriterContext): Promise<void> {
  const listed = [table.name];
  for await (const { path, kind } of readListedPaths(table, cx)) {
    if (kind === "dict" && path.startsWith(`${table.name}/`)) listed.push(path);
  }
  for (const name of listed) {
    if (cx.version === "2.0.1" && name === "attrs") continue;
    for (const segment of name.split("/")) checkName(segment, { element: name, table: name });
    await cx.groups.at(name);
  }
}
