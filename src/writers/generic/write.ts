/**
 * Writes tables as plain HDF5 or Zarr, each under its own name. A table with a single column `value` becomes an array,
 * and any other table becomes a record array. Groups and their attributes come from the table `/`.
 */

import type { Column } from "../../arrow/column.js";
import { decodeTextValues } from "../../arrow/text.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import {
  InvalidInputError,
  isAnnarrowError,
  locateError,
  UnsupportedElementError,
  UnsupportedError,
} from "../../model/errors.js";
import { GENERIC_MARK, GENERIC_MARK_VALUE } from "../../model/generic-mark.js";
import { isJsonObject, readJson } from "../../model/json-object.js";
import type { StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type RowsContext, readTableBatches } from "../../tables/rows.js";
import { createWriterContext, type WriterContext, type WriterOptions, type WrittenTables } from "../context.js";
import { GroupsByPath, splitPath } from "../groups.js";
import { type GenericAttributes, toWrittenAttributes } from "./attributes.js";
import { findDimensionNames, planDimensions } from "./dimensions.js";
import { type FieldContext, toContainerField } from "./field.js";
import { findScales, type NamedArray, OF_SCALES, type Scales } from "./scales.js";
import {
  detectTableLayout,
  getColumnArrayPath,
  getFrameGroupPath,
  getMetadataAttributes,
  getMetadataJson,
  isFrame,
} from "./table-layout.js";

/** The name of the table that lists all groups and arrays. */
const CONTENTS = "/";

/**
 * Writes the tables below the root. The container is not closed.
 * @throws {InvalidInputError} for names that are not paths, for a table below another table, and for values that the
 * container does not support.
 */
export async function writeGeneric(
  { kind, root, reserve }: Pick<ContainerWriter, "kind" | "root" | "reserve">,
  tables: ReadonlyMap<string, ColumnTable>,
  options: WriterOptions,
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const common = { ...createWriterContext(options, warnings), container: kind };
  const leaves = [...tables.values()].filter(({ derived }) => !derived);
  checkNames(leaves);
  const contents = tables.get(CONTENTS);
  const found = contents?.derived ? await readListedContents(contents, common) : null;
  const listed = new Map(found?.groups ?? []);
  for (const table of leaves)
    if (isFrame(table)) listed.set(getFrameGroupPath(table), getMetadataAttributes(table.metadata));
  const scales =
    reserve === undefined
      ? null
      : planScales(leaves, { groups: listed, dimensions: found?.dimensions, reserve, cx: common });
  const cx: PlainWriterContext = { ...common, scales };
  const groupTypes = getMetadataJson(contents?.metadata, "attributeTypes");
  const attributesAt = (path: string) =>
    toWrittenAttributes(path, listed.get(path) ?? {}, cx, getMetadataJson(groupTypes, path));
  const groups = new GroupsByPath(root, (parent, name, path) => parent.group(name, attributesAt(path)));
  const marked = toWrittenAttributes("", { [GENERIC_MARK]: GENERIC_MARK_VALUE }, cx);
  for (const [name, attribute] of [...attributesAt(""), ...marked]) root.attribute(name, attribute);
  const written: { readonly name: string; readonly rows: number }[] = [];
  for (const table of leaves) {
    cx.signal?.throwIfAborted();
    try {
      const { above, name } = splitPath(table.name);
      const rows = isFrame(table)
        ? await writeFrame(await groups.at(getFrameGroupPath(table)), table, cx)
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

/**
 * Adds advice to the error if values were decoded according to the CF conventions and cannot be stored in this form.
 */
function withStoredForm(error: unknown, { metadata, fields }: ColumnTable): unknown {
  const isDecoded = metadata?.cf !== undefined || fields.some((field) => field.metadata?.cf !== undefined);
  if (!isDecoded || !isAnnarrowError(error)) return error;
  const advice =
    "without cf (--cf), numbers are written as they are stored, with the attributes by which cf decodes them";
  const problem = `${error.problem}; ${advice}`;
  if (error instanceof UnsupportedElementError) return new UnsupportedElementError(problem, { cause: error });
  return isAnnarrowError(error, "UnsupportedError") ? new UnsupportedError(problem, { cause: error }) : error;
}

interface PlainWriterContext extends WriterContext {
  readonly container: ContainerWriter["kind"];
  /** The scales; null if the container does not support references. */
  readonly scales: Scales | null;
}

const FLOAT32 = { kind: "float", bits: 32 } as const;

async function writeTable(
  group: GroupWriter,
  name: string,
  table: ColumnTable,
  cx: PlainWriterContext,
): Promise<number> {
  const types = getMetadataJson(table.metadata, "attributeTypes");
  if (table.fields.length === 1 && table.fields[0].type.id === "Null") {
    const attributes = toWrittenAttributes(table.name, getMetadataAttributes(table.metadata), cx, types);
    if (cx.container !== "hdf5") throw new UnsupportedElementError("no value at all, for which Zarr has no array");
    await (await group.array(name, { type: FLOAT32, shape: null, attributes })).close();
    return 1;
  }
  const { type, shape, isScalar, values } = detectTableLayout(table, cx);
  const attributes = toWrittenAttributes(
    table.name,
    toCfAttributes(getMetadataAttributes(table.metadata), type, cx),
    cx,
    types,
  );
  const named = planDimensions(table.name, table.metadata, isScalar ? 0 : 1 + shape.length, cx);
  const array = await group.array(name, {
    ...{ type, ...named, attributes: new Map([...named.attributes, ...attributes]) },
    shape: isScalar ? [] : [table.rows, ...shape],
    compressed: isScalar ? false : undefined,
  });
  let rows = 0;
  for await (const { columns, length } of readTableBatches(table, cx)) {
    if (length > 0) await array.write(values(columns, length), length);
    rows += length;
  }
  await array.close();
  return rows;
}

/** Writes each column of a frame as an array in the group, in a single pass over the rows. */
async function writeFrame(group: GroupWriter, table: ColumnTable, cx: PlainWriterContext): Promise<number> {
  const columns = await Promise.all(
    table.fields.map(async (field) => {
      const element = `${table.name}/${field.name}`;
      try {
        const form = toWrittenForm(toContainerField(field, element, cx));
        const { type, shape } = form;
        const attributes = toWrittenAttributes(
          element,
          toCfAttributes(getMetadataAttributes(field.metadata), type, cx),
          cx,
          getMetadataJson(field.metadata, "attributeTypes"),
        );
        const named = planDimensions(getColumnArrayPath(table, field), field.metadata, 1 + shape.length, cx);
        const all = { ...named, attributes: new Map([...named.attributes, ...attributes]) };
        return { form, array: await group.array(field.name, { type, ...all, shape: [table.rows, ...shape] }) };
      } catch (error) {
        throw locateError(error, { element });
      }
    }),
  );
  let rows = 0;
  for await (const { columns: values, length } of readTableBatches(table, cx)) {
    for (const [i, { form, array }] of columns.entries()) {
      if (length > 0) await array.write(toStoredValues(form, values[i]), length);
    }
    rows += length;
  }
  for (const { array } of columns) await array.close();
  return rows;
}

/** @throws {InvalidInputError} for a name that is not a path, and for a table below another table. */
function checkNames(tables: readonly ColumnTable[]): void {
  // A dataframe is a group of arrays, which may contain other arrays.
  const all = new Set(tables.filter((table) => !isFrame(table)).map(({ name }) => name));
  for (const { name } of tables) {
    const location = { element: name, table: name };
    const parts = name.split("/");
    if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) {
      throw new UnsupportedElementError(`${JSON.stringify(name)} is no path of an array`, location);
    }
    for (let depth = 1; depth < parts.length; depth++) {
      const above = parts.slice(0, depth).join("/");
      if (all.has(above))
        throw new UnsupportedElementError(`${above} is an array, and cannot have arrays below it`, location);
    }
  }
}

// The contents of the table `/`: groups with their attributes, and dimensions without values.

interface Listed {
  /** Attributes of groups, keyed by path; the root has the empty path. */
  readonly groups: Map<string, GenericAttributes>;
  /** Lengths of dimensions without coordinates, keyed by path. */
  readonly dimensions: Map<string, number>;
}

/** @throws {InvalidInputError} if the columns are not text. */
async function readListedContents(table: ColumnTable, cx: RowsContext): Promise<Listed> {
  const listed: Listed = { groups: new Map(), dimensions: new Map() };
  const place = (name: string) => table.fields.findIndex((field) => field.name === name);
  const places = ["path", "kind", "attributes"].map(place);
  if (places.includes(-1)) return listed;
  for await (const { columns } of readTableBatches(table, cx)) {
    const [paths, kinds, attributes] = places.map((at) => {
      const column = columns[at];
      if (column.layout === "variable") return decodeTextValues(column);
      throw new InvalidInputError("the columns path, kind and attributes are text", { element: table.name });
    });
    const shapes = columns[place("shape")];
    for (const [i, path] of paths.entries()) {
      if (path === null) continue;
      if (kinds[i] === "group") listed.groups.set(path === "/" ? "" : path, parsed(attributes[i]));
      const length = kinds[i] === "dimension" ? lengthAt(shapes, i) : null;
      if (length !== null) listed.dimensions.set(path, length);
    }
  }
  return listed;
}

/** Returns the only item in a list; null if the list has a different length, or if the item is not a valid length. */
function lengthAt(shapes: Column | undefined, row: number): number | null {
  if (shapes?.layout !== "list" || shapes.child.layout !== "primitive") return null;
  const [start, end] = [shapes.offsets[row], shapes.offsets[row + 1]];
  const length = end - start === 1 ? Number(shapes.child.values[start]) : Number.NaN;
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}

function parsed(json: string | null): GenericAttributes {
  if (json === null) return {};
  try {
    const value: unknown = readJson(json);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

// Attributes of the CF conventions, in the forms that netCDF4 and xarray expect in each container.

/** Numeric attributes, which NetCDF-4 stores as lists of length one. */
const NUMBERS = ["_FillValue", "missing_value", "scale_factor", "add_offset"];

/** Texts that represent special floats in attributes. */
const FLOATS = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * Returns the attributes, with single numbers instead of lists if Zarr is written. xarray stores the missing value of
 * floats as base64 in Zarr v3, and as a number elsewhere.
 */
function toCfAttributes(
  attributes: GenericAttributes,
  type: StoredType,
  { container }: Pick<FieldContext, "container">,
): GenericAttributes {
  const own: Record<string, unknown> = { ...attributes };
  for (const name of NUMBERS) {
    const value = type.kind === "int" ? integersIn(own[name]) : own[name];
    if (value !== undefined) own[name] = value;
    if (container !== "hdf5" && Array.isArray(value) && value.length === 1) own[name] = value[0];
  }
  const missing = type.kind === "float" ? floatOf(own._FillValue) : null;
  if (missing !== null) own._FillValue = container === "zarr3" ? base64(missing) : jsonNumber(missing);
  return own;
}

/** Converts integers that JSON stores as digit strings back to integers. */
function integersIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(integersIn);
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) return value;
  const integer = BigInt(value);
  return BigInt.asIntN(64, integer) === integer ? integer : value;
}

function floatOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const named = FLOATS.get(value);
  if (named !== undefined) return named;
  if (!/^[A-Za-z0-9+/]{11}=$/.test(value)) return null;
  const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

function base64(number: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, number, true);
  return btoa(String.fromCharCode(...bytes));
}

function jsonNumber(number: number): number | string {
  return Number.isFinite(number) ? number : String(number);
}

// Finds the scales of all tables that will be written, before any of them is written.

interface PlannedFile {
  /** All listed groups, keyed by path. */
  readonly groups: ReadonlyMap<string, unknown>;
  /** Lengths of dimensions without coordinates, keyed by path; absent if none are listed. */
  readonly dimensions: ReadonlyMap<string, number> | undefined;
  readonly reserve: (path: string) => bigint;
  readonly cx: FieldContext;
}

function planScales(tables: readonly ColumnTable[], { groups, dimensions, reserve, cx }: PlannedFile): Scales {
  // Warnings are reported later, when the tables are written.
  const quiet: FieldContext = { ...cx, warn: () => undefined };
  const arrays = tables.flatMap((table) => namedArrays(table, quiet));
  const taken = new Set(groups.keys());
  for (const path of [...arrays.map((array) => array.path), ...tables.map(({ name }) => name)]) {
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) taken.add(parts.slice(0, depth).join("/"));
  }
  return findScales(arrays, { taken, dimensions: dimensions ?? new Map(), reserve });
}

/** Returns the arrays of a table. Errors are ignored here, because they occur again when the table is written. */
function namedArrays(table: ColumnTable, cx: FieldContext): readonly NamedArray[] {
  try {
    if (isFrame(table)) {
      return table.fields.map((field) =>
        namedArray(
          getColumnArrayPath(table, field),
          [table.rows, ...toWrittenForm(toContainerField(field, table.name, cx)).shape],
          field.metadata,
        ),
      );
    }
    const { isScalar, shape } = detectTableLayout(table, cx);
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
  // If the rows have not been counted, their number is known too late.
  const names = shape.length < lengths.length ? null : findDimensionNames(metadata, shape.length);
  const own = getMetadataAttributes(metadata);
  const hasOwnNames = OF_SCALES.some((name) => own[name] !== undefined);
  return { path, shape, names: names ?? shape.map(() => null), hasOwnNames };
}
