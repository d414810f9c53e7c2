/**
 * Conventions: structures that libraries write in generic HDF5 and Zarr files in addition to arrays, such as tables or
 * axes of arrays. Each convention is tried for every group and every array. The first that matches a node creates its
 * table, instead of the generic one. To add a convention, add a file in this folder, and a line in `CONVENTIONS`.
 */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { rowValues } from "../../../jobs/rows/viewed-values.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import { textAttribute } from "../../attributes.js";
import type { ColumnElement, TableElement } from "../../element.js";
import { openPath } from "../../reader.js";
import type { PlainContext } from "../arrays/context.js";
import type { Convention, GroupTable, NoTable } from "./convention.js";
import { namesIn, pickledAttribute, valueIn, zoneOf } from "./pandas-attributes.js";
import { type PandasPlace, pandasColumn } from "./pandas-column.js";
import { datasetOf, fixedFrame, fixedSeries } from "./pandas-fixed.js";
import { type PandasColumn, pandasFrame } from "./pandas-frame.js";
import { isList, type Pickled } from "./pickle.js";
import { pytables } from "./pytables.js";

// Frames and series of pandas' HDFStore.

const pandas: Convention = {
  name: "pandas",
  async group(group, _, cx) {
    const type = textAttribute(group, "pandas_type");
    switch (type) {
      case undefined:
        return null;
      case "frame":
        return { element: await fixedFrame(group, cx) };
      case "series":
        return { element: await fixedSeries(group, cx) };
      case "frame_table":
      case "series_table":
        return { element: await appendableTable(group, cx) };
      default:
        throw new UnsupportedError(`pandas' type ${type}`, { element: group.path });
    }
  },
};

// NetCDF-4 in HDF5. Source: NetCDF-4 and HDF5, "Interoperability with HDF5".

/** Beginning of the attribute NAME of a dimension that has a length but no values. */
const NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable";

/** Detects dimensions without values, whose arrays only represent their length. */
const netcdf: Convention = {
  name: "netcdf",
  async array(array) {
    const isDimension = textAttribute(array, "CLASS") === "DIMENSION_SCALE";
    return isDimension && textAttribute(array, "NAME")?.startsWith(NO_VARIABLE) === true
      ? { kind: "none", is: "dimension" }
      : null;
  },
};

/** The conventions in the order in which they are tried. */
export const CONVENTIONS: readonly Convention[] = [pandas, pytables, netcdf];

/** Makes the table of a group by the first matching convention, with its name; null for a generic group. */
export async function groupTable(
  group: Group,
  keys: readonly string[],
  cx: PlainContext,
): Promise<(GroupTable & { readonly kind: string }) | null> {
  for (const { name, group: open } of CONVENTIONS) {
    const found = (await open?.(group, keys, cx)) ?? null;
    if (found !== null) return { kind: name, ...found };
  }
  return null;
}

/** Makes the table of an array by the first matching convention; null for a generic array. */
export async function conventionalTable(array: StoredArray, cx: PlainContext): Promise<TableElement | NoTable | null> {
  for (const { array: open } of CONVENTIONS) {
    const found = (await open?.(array, cx)) ?? null;
    if (found !== null) return found;
  }
  return null;
}

// pandas' format `table`: one compound dataset, whose fields are the index, blocks of columns, and single columns.

/** Opens a dataframe or a series in the format `table`. */
async function appendableTable(group: Group, cx: PlainContext): Promise<TableElement> {
  const stored = await datasetOf(group, "table", cx);
  const { type, shape } = stored;
  if (type.kind !== "record" || shape?.length !== 1) throw new InvalidDataError("table is no compound dataset");
  const info = pickledAttribute(group, "info");
  const missing = textAttribute(group, "nan_rep") ?? "nan";
  const columns = new Map<string, ColumnElement>();
  let index: PandasColumn | null = null;
  for (const [field, { name, shape: block }] of type.fields.entries()) {
    const values = { kind: "field", array: stored, field } as const;
    if (name === "index") {
      index = indexColumn({ values, place: 0 }, valueIn(info, "index"));
      continue;
    }
    const kind = pickledAttribute(stored, `${name}_kind`);
    const items = kind === undefined ? [name] : namesIn(kind, `the columns of ${name}`, stored.path);
    if (product(block) !== items.length) {
      throw new InvalidDataError(`${items.length} names for a block of shape ${JSON.stringify(block)}`);
    }
    const own = { group, stored, name, missing, zone: zoneOf(valueIn(valueIn(info, name), "tz")) };
    const ordered = valueIn(valueIn(info, name), "ordered") === true;
    for (const [place, item] of items.entries()) {
      columns.set(item, await tableColumn({ values, place }, own, ordered, cx));
    }
  }
  const levels = levelNames(group);
  const order = columnOrder(group, [...columns.keys()]);
  const take = (name: string): ColumnElement => {
    const column = columns.get(name);
    if (column === undefined) throw new InvalidDataError(`no field has the column ${JSON.stringify(name)}`);
    return column;
  };
  if (levels !== null) {
    const own = levels.map(
      (name): PandasColumn => ({ name: /^level_\d+$/.test(name) ? null : name, column: take(name) }),
    );
    const rest = order.filter((name) => !levels.includes(name));
    return pandasFrame(
      group.path,
      own,
      rest.map((name) => ({ name, column: take(name) })),
    );
  }
  if (index === null) throw new InvalidDataError("a table without an index");
  return pandasFrame(
    group.path,
    [index],
    order.map((name) => ({ name, column: take(name) })),
  );
}

/** Returns the levels of a multi-level index, which are columns; null for a single-level index. */
function levelNames(group: Group): readonly string[] | null {
  const stored = group.attributes.get("levels");
  if (typeof stored !== "string" || !stored.startsWith("(")) return null;
  return namesIn(pickledAttribute(group, "levels"), "the levels", group.path);
}

/** Returns the columns in the order of the dataframe. */
function columnOrder(group: Group, known: readonly string[]): readonly string[] {
  const axes: Pickled | undefined = pickledAttribute(group, "non_index_axes");
  const [first] = isList(axes) ? axes : [];
  const names = isList(first) && isList(first[1]) ? namesIn(first[1], "the columns", group.path) : known;
  return names.length === known.length ? names : known;
}

interface FieldOfTable {
  readonly group: Group;
  readonly stored: StoredArray;
  readonly name: string;
  readonly missing: string;
  readonly zone: string | null;
}

async function tableColumn(
  of: PandasPlace,
  { group, stored, name, missing, zone }: FieldOfTable,
  ordered: boolean,
  cx: PlainContext,
): Promise<ColumnElement> {
  const { type, shape } = rowValues(of.values);
  const dtype = textAttribute(stored, `${name}_dtype`) ?? type.kind;
  if (textAttribute(stored, `${name}_meta`) === "category") {
    const node = await openPath(group, `meta/${name}/meta/table`, cx);
    if (node.kind !== "array" || node.type.kind !== "record") throw new InvalidDataError(`${name} without categories`);
    const place = node.type.fields.findIndex((field) => field.name === "values" || field.name === "values_block_0");
    if (place < 0) throw new InvalidDataError(`${name} without categories`);
    if (product(shape) !== 1) throw new InvalidDataError(`${name} has codes of several columns`);
    const categories = { values: { kind: "field", array: node, field: place }, place: 0 } as const;
    return {
      plan: {
        kind: "categorical",
        codes: of.values,
        categories: { kind: "viewed", ...categories, type: null, missing: null },
        ordered,
      },
      metadata: { kind: "categorical" },
    };
  }
  return pandasColumn(of, { dtype, zone, missing: type.kind === "text" ? missing : null });
}

function indexColumn(of: PandasPlace, info: Pickled | undefined): PandasColumn {
  const stored = of.values.array;
  const kind = textAttribute(stored, "index_kind") ?? "integer";
  if (!/^(string|integer|float|bool|datetime64.*|timedelta64.*)$/.test(kind)) {
    throw new UnsupportedError(`an index of pandas' kind ${kind}`, { element: stored.path });
  }
  const name = valueIn(info, "index_name");
  const column = pandasColumn(of, { dtype: kind, zone: zoneOf(valueIn(info, "tz")), missing: null });
  return { name: typeof name === "string" ? name : null, column };
}
