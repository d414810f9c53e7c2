/**
 * Writes tables as plain HDF5 or Zarr, each under its own name: a table of one column `value` as an array, any other one
 * as an array of records. Groups and their attributes come from the table `/`.
 */

import { storedTypeOf } from "../../arrow/written-type.js";
import { storedValues } from "../../arrow/written-values.js";
import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { isAnnarrowError, locateError, RefusedError, UnsupportedError } from "../../model/errors.js";
import { PLAIN_MARK, PLAIN_MARKED } from "../../model/plain-mark.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { type WriterContext, type WriterOptions, type WrittenTables, writerContext } from "../context.js";
import { GroupsByPath, splitPath } from "../groups.js";
import { writtenAttributes } from "./attributes.js";
import { cfAttributes } from "./cf-attributes.js";
import { listedIn } from "./contents.js";
import { writtenDimensions } from "./dimensions.js";
import { plainField } from "./field.js";
import { arrayPath, attributesOf, formOf, groupOf, isFrame, jsonIn } from "./form.js";
import { plannedScales } from "./planned-scales.js";
import type { Scales } from "./scales.js";

/** The name of the table that lists all groups and arrays. */
const CONTENTS = "/";

/**
 * Writes the tables below the root; the container is not closed.
 * @throws {InvalidInputError} for names that are no paths, for a table below another one, and for values that the
 * container has no form for.
 */
export async function writePlain(
  { kind, root, reserve }: Pick<ContainerWriter, "kind" | "root" | "reserve">,
  tables: ReadonlyMap<string, ColumnTable>,
  options: WriterOptions,
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const common = { ...writerContext(options, warnings), container: kind };
  const leaves = [...tables.values()].filter(({ derived }) => !derived);
  checkNames(leaves);
  const contents = tables.get(CONTENTS);
  const found = contents?.derived ? await listedIn(contents, common) : null;
  const listed = new Map(found?.groups ?? []);
  for (const table of leaves) if (isFrame(table)) listed.set(groupOf(table), attributesOf(table.metadata));
  const scales =
    reserve === undefined
      ? null
      : plannedScales(leaves, { groups: listed, dimensions: found?.dimensions, reserve, cx: common });
  const cx: PlainWriterContext = { ...common, scales };
  const groupTypes = jsonIn(contents?.metadata, "attributeTypes");
  const attributesAt = (path: string) => writtenAttributes(path, listed.get(path) ?? {}, cx, jsonIn(groupTypes, path));
  const groups = new GroupsByPath(root, (parent, name, path) => parent.group(name, attributesAt(path)));
  const marked = writtenAttributes("", { [PLAIN_MARK]: PLAIN_MARKED }, cx);
  for (const [name, attribute] of [...attributesAt(""), ...marked]) root.attribute(name, attribute);
  const written: { readonly name: string; readonly rows: number }[] = [];
  for (const table of leaves) {
    cx.signal?.throwIfAborted();
    try {
      const { above, name } = splitPath(table.name);
      const rows = isFrame(table)
        ? await writeFrame(await groups.at(groupOf(table)), table, cx)
        : await writeTable(await groups.at(above), name, table, cx);
      written.push({ name: table.name, rows });
    } catch (error) {
      throw locateError(withStoredForm(error, table), { element: table.name, table: table.name });
    }
  }
  for (const path of listed.keys()) await groups.at(path);
  for (const [path, length] of scales?.bare ?? []) {
    const { above, name } = splitPath(path);
    const attributes = scales?.attributesOf(path) ?? new Map();
    const description = { type: FLOAT32, shape: [length], attributes, unwritten: true } as const;
    await (await (await groups.at(above)).array(name, description)).close();
  }
  return { tables: written, warnings };
}

/** The error of values that were decoded by the CF conventions, and have no such form in HDF5 or Zarr, says what to do. */
function withStoredForm(error: unknown, { metadata, fields }: ColumnTable): unknown {
  const isDecoded = metadata?.cf !== undefined || fields.some((field) => field.metadata?.cf !== undefined);
  if (!isDecoded || !isAnnarrowError(error)) return error;
  const advice =
    "without cf (--cf), numbers are written as they are stored, with the attributes by which cf decodes them";
  const problem = `${error.problem}; ${advice}`;
  if (error instanceof RefusedError) return new RefusedError(problem, { cause: error });
  return isAnnarrowError(error, "UnsupportedError") ? new UnsupportedError(problem, { cause: error }) : error;
}

interface PlainWriterContext extends WriterContext {
  readonly container: ContainerWriter["kind"];
  /** Null where the container has no references. */
  readonly scales: Scales | null;
}

const FLOAT32 = { kind: "float", bits: 32 } as const;

async function writeTable(
  group: GroupWriter,
  name: string,
  table: ColumnTable,
  cx: PlainWriterContext,
): Promise<number> {
  const types = jsonIn(table.metadata, "attributeTypes");
  if (table.fields.length === 1 && table.fields[0].type.id === "Null") {
    const attributes = writtenAttributes(table.name, attributesOf(table.metadata), cx, types);
    if (cx.container !== "hdf5") throw new RefusedError("no value at all, for which Zarr has no array");
    await (await group.array(name, { type: FLOAT32, shape: null, attributes })).close();
    return 1;
  }
  const { type, shape, isScalar, values } = formOf(table, cx);
  const attributes = writtenAttributes(table.name, cfAttributes(attributesOf(table.metadata), type, cx), cx, types);
  const named = writtenDimensions(table.name, table.metadata, isScalar ? 0 : 1 + shape.length, cx);
  const array = await group.array(name, {
    ...{ type, ...named, attributes: new Map([...named.attributes, ...attributes]) },
    shape: isScalar ? [] : [table.rows, ...shape],
    compressed: isScalar ? false : undefined,
  });
  let rows = 0;
  for await (const { columns, length } of rowsOf(table, cx)) {
    if (length > 0) await array.write(values(columns, length), length);
    rows += length;
  }
  await array.close();
  return rows;
}

/** Writes each column of a frame as an array of the group, all of them while the rows pass once. */
async function writeFrame(group: GroupWriter, table: ColumnTable, cx: PlainWriterContext): Promise<number> {
  const columns = await Promise.all(
    table.fields.map(async (field) => {
      const element = `${table.name}/${field.name}`;
      try {
        const form = storedTypeOf(plainField(field, element, cx));
        const { type, shape } = form;
        const attributes = writtenAttributes(
          element,
          cfAttributes(attributesOf(field.metadata), type, cx),
          cx,
          jsonIn(field.metadata, "attributeTypes"),
        );
        const named = writtenDimensions(arrayPath(table, field), field.metadata, 1 + shape.length, cx);
        const all = { ...named, attributes: new Map([...named.attributes, ...attributes]) };
        return { form, array: await group.array(field.name, { type, ...all, shape: [table.rows, ...shape] }) };
      } catch (error) {
        throw locateError(error, { element });
      }
    }),
  );
  let rows = 0;
  for await (const { columns: values, length } of rowsOf(table, cx)) {
    for (const [i, { form, array }] of columns.entries()) {
      if (length > 0) await array.write(storedValues(form, values[i]), length);
    }
    rows += length;
  }
  for (const { array } of columns) await array.close();
  return rows;
}

/** @throws {InvalidInputError} for a name that is no path, and for a table below another one. */
function checkNames(tables: readonly ColumnTable[]): void {
  // A frame is a group of arrays, which may have other arrays in it.
  const all = new Set(tables.filter((table) => !isFrame(table)).map(({ name }) => name));
  for (const { name } of tables) {
    const location = { element: name, table: name };
    const parts = name.split("/");
    if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) {
      throw new RefusedError(`${JSON.stringify(name)} is no path of an array`, location);
    }
    for (let depth = 1; depth < parts.length; depth++) {
      const above = parts.slice(0, depth).join("/");
      if (all.has(above)) throw new RefusedError(`${above} is an array, and cannot have arrays below it`, location);
    }
  }
}
