/**
 * Conventions are structures that libraries write in generic HDF5 and Zarr files in addition to plain arrays, such as
 * tables or array axes. Each convention is tried for every group and every array. The first convention that matches a
 * node creates the node's table in place of the generic one. To add a convention, add a file in this folder and a line
 * in `CONVENTIONS`.
 */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { getRowValueType } from "../../../jobs/rows/viewed-values.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { getTextAttribute } from "../../attributes.js";
import type { ColumnElement, TableElement } from "../../element.js";
import { openPath } from "../../reader.js";
import type { GenericContext } from "../arrays/context.js";
import type { Convention, GroupTable, NoTable } from "./convention.js";
import { getPickledAttribute, getPickledNames, getPickledValue, getPickledZone } from "./pandas-attributes.js";
import { createPandasColumn, type PandasLocation } from "./pandas-column.js";
import { openFixedFrame, openFixedSeries, openPandasDataset } from "./pandas-fixed.js";
import { createPandasFrame, type PandasColumn } from "./pandas-frame.js";
import { isList, type Pickled } from "./pickle.js";
import { pytables } from "./pytables.js";

// Frames and series in pandas' HDFStore.

const pandas: Convention = {
  name: "pandas",
  async group(group, _, cx) {
    const type = getTextAttribute(group, "pandas_type");
    switch (type) {
      case undefined:
        return null;
      case "frame":
        return { element: await openFixedFrame(group, cx) };
      case "series":
        return { element: await openFixedSeries(group, cx) };
      case "frame_table":
      case "series_table":
        return { element: await openAppendableTable(group, cx) };
      default:
        throw new UnsupportedError(`pandas' type ${type}`, { element: group.path });
    }
  },
};

// NetCDF-4 in HDF5. Source: NetCDF-4 and HDF5, "Interoperability with HDF5".

/** How the attribute NAME begins if a dimension has a length but no values. */
const NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable";

/** Detects dimensions without values, whose arrays represent only a length. */
const netcdf: Convention = {
  name: "netcdf",
  async array(array) {
    const isDimension = getTextAttribute(array, "CLASS") === "DIMENSION_SCALE";
    return isDimension && getTextAttribute(array, "NAME")?.startsWith(NO_VARIABLE) === true
      ? { kind: "none", is: "dimension" }
      : null;
  },
};

/** The conventions in the order in which they are tried. */
const CONVENTIONS: readonly Convention[] = [pandas, pytables, netcdf];

/**
 * Makes the table for a group by the first matching convention, and returns it with the convention's name; null for a
 * generic group.
 */
export async function groupTable(
  group: Group,
  keys: readonly string[],
  cx: GenericContext,
): Promise<(GroupTable & { readonly kind: string }) | null> {
  for (const { name, group: open } of CONVENTIONS) {
    const found = (await open?.(group, keys, cx)) ?? null;
    if (found !== null) return { kind: name, ...found };
  }
  return null;
}

/** Makes the table for an array by the first matching convention; null for a generic array. */
export async function openConventionalTable(
  array: StoredArray,
  cx: GenericContext,
): Promise<TableElement | NoTable | null> {
  for (const { array: open } of CONVENTIONS) {
    const found = (await open?.(array, cx)) ?? null;
    if (found !== null) return found;
  }
  return null;
}

// pandas' format `table`: one compound dataset whose fields are the index, blocks of columns, and single columns.

/** Opens a dataframe or a series that is stored in the format `table`. */
async function openAppendableTable(group: Group, cx: GenericContext): Promise<TableElement> {
  const stored = await openPandasDataset(group, "table", cx);
  const { type, shape } = stored;
  if (type.kind !== "record" || shape?.length !== 1) throw new InvalidDataError("table is no compound dataset");
  const info = getPickledAttribute(group, "info");
  const missing = getTextAttribute(group, "nan_rep") ?? "nan";
  const columns = new Map<string, ColumnElement>();
  let index: PandasColumn | null = null;
  for (const [field, { name, shape: block }] of type.fields.entries()) {
    const values = { kind: "field", array: stored, field } as const;
    if (name === "index") {
      index = indexColumn({ values, place: 0 }, getPickledValue(info, "index"));
      continue;
    }
    const kind = getPickledAttribute(stored, `${name}_kind`);
    const items = kind === undefined ? [name] : getPickledNames(kind, `the columns of ${name}`, stored.path);
    if (countElements(block) !== items.length) {
      throw new InvalidDataError(`${items.length} names for a block of shape ${JSON.stringify(block)}`);
    }
    const own = {
      group,
      stored,
      name,
      missing,
      zone: getPickledZone(getPickledValue(getPickledValue(info, name), "tz")),
    };
    const ordered = getPickledValue(getPickledValue(info, name), "ordered") === true;
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
    return createPandasFrame(
      group.path,
      own,
      rest.map((name) => ({ name, column: take(name) })),
    );
  }
  if (index === null) throw new InvalidDataError("a table without an index");
  return createPandasFrame(
    group.path,
    [index],
    order.map((name) => ({ name, column: take(name) })),
  );
}

/** Returns the levels of a multi-level index, which become columns; null for a single-level index. */
function levelNames(group: Group): readonly string[] | null {
  const stored = group.attributes.get("levels");
  if (typeof stored !== "string" || !stored.startsWith("(")) return null;
  return getPickledNames(getPickledAttribute(group, "levels"), "the levels", group.path);
}

/** Returns the columns in the dataframe's order. */
function columnOrder(group: Group, known: readonly string[]): readonly string[] {
  const axes: Pickled | undefined = getPickledAttribute(group, "non_index_axes");
  const [first] = isList(axes) ? axes : [];
  const names = isList(first) && isList(first[1]) ? getPickledNames(first[1], "the columns", group.path) : known;
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
  of: PandasLocation,
  { group, stored, name, missing, zone }: FieldOfTable,
  ordered: boolean,
  cx: GenericContext,
): Promise<ColumnElement> {
  const { type, shape } = getRowValueType(of.values);
  const dtype = getTextAttribute(stored, `${name}_dtype`) ?? type.kind;
  if (getTextAttribute(stored, `${name}_meta`) === "category") {
    const node = await openPath(group, `meta/${name}/meta/table`, cx);
    if (node.kind !== "array" || node.type.kind !== "record") throw new InvalidDataError(`${name} without categories`);
    const place = node.type.fields.findIndex((field) => field.name === "values" || field.name === "values_block_0");
    if (place < 0) throw new InvalidDataError(`${name} without categories`);
    if (countElements(shape) !== 1) throw new InvalidDataError(`${name} has codes of several columns`);
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
  return createPandasColumn(of, { dtype, zone, missing: type.kind === "text" ? missing : null });
}

function indexColumn(of: PandasLocation, info: Pickled | undefined): PandasColumn {
  const stored = of.values.array;
  const kind = getTextAttribute(stored, "index_kind") ?? "integer";
  if (!/^(string|integer|float|bool|datetime64.*|timedelta64.*)$/.test(kind)) {
    throw new UnsupportedError(`an index of pandas' kind ${kind}`, { element: stored.path });
  }
  const name = getPickledValue(info, "index_name");
  const column = createPandasColumn(of, {
    dtype: kind,
    zone: getPickledZone(getPickledValue(info, "tz")),
    missing: null,
  });
  return { name: typeof name === "string" ? name : null, column };
}
