/**
 * Writes tables as plain HDF5 or Zarr, each under its own name: a table of one column `value` as an array, any other one
 * as an array of records. Groups and their attributes come from the table `/`.
 */

import { recordTypeOf, storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import { recordValues, storedValues } from "../../arrow/written-values.js";
import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { locateError, RefusedError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import { PLAIN_MARK, PLAIN_MARKED } from "../../model/plain-mark.js";
import type { StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { type WriterContext, type WriterOptions, type WrittenTables, writerContext } from "../context.js";
import { GroupsByPath, splitPath } from "../groups.js";
import { type PlainAttributes, writtenAttributes } from "./attributes.js";
import { cfAttributes } from "./cf-attributes.js";
import { groupsIn } from "./contents.js";
import { writtenDimensions } from "./dimensions.js";
import { plainField } from "./field.js";

/** The name of the table that lists all groups and arrays. */
const CONTENTS = "/";

/**
 * Writes the tables below the root; the container is not closed.
 * @throws {InvalidInputError} for names that are no paths, for a table below another one, and for values that the
 * container has no form for.
 */
export async function writePlain(
  { kind, root }: Pick<ContainerWriter, "kind" | "root">,
  tables: ReadonlyMap<string, ColumnTable>,
  options: WriterOptions,
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const cx: PlainWriterContext = { ...writerContext(options, warnings), container: kind };
  const leaves = [...tables.values()].filter(({ derived }) => !derived);
  checkNames(leaves);
  const contents = tables.get(CONTENTS);
  const listed = new Map(contents?.derived ? await groupsIn(contents, cx) : []);
  for (const table of leaves) if (isFrame(table)) listed.set(groupOf(table), attributesOf(table.metadata));
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
      throw locateError(error, { element: table.name, table: table.name });
    }
  }
  for (const path of listed.keys()) await groups.at(path);
  return { tables: written, warnings };
}

interface PlainWriterContext extends WriterContext {
  readonly container: ContainerWriter["kind"];
}

/** How a table is written: the type and the shape of a row, whether it is one scalar, and the values of a batch. */
interface TableForm extends WrittenForm {
  readonly isScalar: boolean;
  readonly values: (columns: Parameters<typeof recordValues>[1], length: number) => StoredValues;
}

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
    await (await group.array(name, { type: { kind: "float", bits: 32 }, shape: null, attributes })).close();
    return 1;
  }
  const { type, shape, isScalar, values } = formOf(table, cx);
  const attributes = writtenAttributes(table.name, cfAttributes(attributesOf(table.metadata), type, cx), cx, types);
  const named = writtenDimensions(table.name, table.metadata, isScalar ? 0 : 1 + shape.length, cx);
  const array = await group.array(name, {
    ...{ type, ...named, attributes: new Map([...named.attributes, ...attributes]) },
    shape: isScalar ? [] : [table.rows, ...shape],
    ...(isScalar ? { compressed: false } : {}),
  });
  let rows = 0;
  for await (const { columns, length } of rowsOf(table, cx)) {
    if (length > 0) await array.write(values(columns, length), length);
    rows += length;
  }
  await array.close();
  return rows;
}

/** Whether a table is the arrays of a group: see `frame` of `open`. */
function isFrame({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "frame";
}

/** The path of the group of a frame. */
function groupOf({ name, metadata }: ColumnTable): string {
  return metadata?.group === CONTENTS ? "" : name;
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
        const named = writtenDimensions(element, field.metadata, 1 + shape.length, cx);
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

function formOf(table: ColumnTable, cx: PlainWriterContext): TableForm {
  const { metadata, rows, fields } = table;
  const isScalar = metadata?.shape?.length === 0 && rows === 1;
  if (fields.length === 0) throw new RefusedError("no columns, and an array has a type");
  if (metadata?.references !== undefined)
    cx.warn(`${table.name}: references are written as the paths of their objects`);
  if (fields.length === 1 && fields[0].name === "value" && metadata?.kind !== "dataframe") {
    // A table of one column has the details of the column in its own metadata.
    const [field] = fields;
    const form = storedTypeOf(plainField({ ...field, metadata: { ...field.metadata, ...metadata } }, table.name, cx));
    return { ...form, isScalar, values: ([column]) => storedValues(form, column) };
  }
  const type = recordTypeOf(fields.map((field) => plainField(field, table.name, cx)));
  return { type, shape: [], isScalar, values: (columns, length) => recordValues(type, columns, length) };
}

function attributesOf(metadata: Readonly<Record<string, unknown>> | null | undefined): PlainAttributes {
  return jsonIn(metadata, "attributes");
}

/** The object of a name in JSON; an empty one where there is none. */
function jsonIn(metadata: Readonly<Record<string, unknown>> | null | undefined, name: string): PlainAttributes {
  const value = metadata?.[name];
  return isJsonObject(value) ? value : {};
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
