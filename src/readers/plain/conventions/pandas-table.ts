/** pandas' format `table`: one compound dataset, whose fields are the index, blocks of columns, and single columns. */

import { fieldArrays } from "../../../containers/picked/mapped-array.js";
import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { textAttribute } from "../../attributes.js";
import type { ColumnElement, TableElement } from "../../element.js";
import { openPath } from "../../reader.js";
import type { PlainContext } from "./context.js";
import { namesIn, pickledAttribute, valueIn, zoneOf } from "./pandas-attributes.js";
import { blockColumn, pandasColumn } from "./pandas-column.js";
import { datasetOf } from "./pandas-fixed.js";
import { type PandasColumn, pandasFrame } from "./pandas-frame.js";
import { isList, type Pickled } from "./pickle.js";

/** Opens a frame or a series that is a table. */
export async function appendableTable(group: Group, cx: PlainContext): Promise<TableElement> {
  const stored = await datasetOf(group, "table", cx);
  const { type, shape } = stored;
  if (type.kind !== "record" || shape?.length !== 1) throw new InvalidDataError("table is no compound dataset");
  const info = pickledAttribute(group, "info");
  const missing = textAttribute(group, "nan_rep") ?? "nan";
  const fields = fieldArrays(stored);
  const columns = new Map<string, ColumnElement>();
  let index: PandasColumn | null = null;
  for (const [i, { name }] of type.fields.entries()) {
    const values = fields[i];
    if (name === "index") {
      index = indexColumn(stored, values, valueIn(info, "index"));
      continue;
    }
    const kind = pickledAttribute(stored, `${name}_kind`);
    const items = kind === undefined ? [name] : namesIn(kind, `the columns of ${name}`, stored.path);
    const block = values.shape?.length === 1 ? null : values;
    if (block !== null && block.shape?.[1] !== items.length) {
      throw new InvalidDataError(`${items.length} names for a block of shape ${JSON.stringify(block.shape)}`);
    }
    const own = { group, stored, name, missing, zone: zoneOf(valueIn(valueIn(info, name), "tz")) };
    const ordered = valueIn(valueIn(info, name), "ordered") === true;
    for (const [k, item] of items.entries()) {
      const array = block === null ? values : blockColumn(block, k);
      columns.set(item, await tableColumn(array, own, ordered, cx));
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

/** The levels of an index of several, which are columns; null for a plain index. */
function levelNames(group: Group): readonly string[] | null {
  const stored = group.attributes.get("levels");
  if (typeof stored !== "string" || !stored.startsWith("(")) return null;
  return namesIn(pickledAttribute(group, "levels"), "the levels", group.path);
}

/** The columns in the order of the frame. */
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
  array: StoredArray,
  { group, stored, name, missing, zone }: FieldOfTable,
  ordered: boolean,
  cx: PlainContext,
): Promise<ColumnElement> {
  const dtype = textAttribute(stored, `${name}_dtype`) ?? array.type.kind;
  if (textAttribute(stored, `${name}_meta`) === "category") {
    const node = await openPath(group, `meta/${name}/meta/table`, cx);
    if (node.kind !== "array" || node.type.kind !== "record") throw new InvalidDataError(`${name} without categories`);
    const place = node.type.fields.findIndex((field) => field.name === "values" || field.name === "values_block_0");
    if (place < 0) throw new InvalidDataError(`${name} without categories`);
    const values = fieldArrays(node)[place];
    const categories = values.shape?.length === 2 ? blockColumn(values, 0) : values;
    return {
      plan: {
        kind: "categorical",
        codes: { kind: "array", array },
        categories: { kind: "array", array: categories },
        ordered,
      },
      metadata: { kind: "categorical" },
    };
  }
  return pandasColumn(array, { dtype, zone, missing: array.type.kind === "text" ? missing : null });
}

function indexColumn(stored: StoredArray, array: StoredArray, info: Pickled | undefined): PandasColumn {
  const kind = textAttribute(stored, "index_kind") ?? "integer";
  if (!/^(string|integer|float|bool|datetime64.*|timedelta64.*)$/.test(kind)) {
    throw new UnsupportedError(`an index of pandas' kind ${kind}`, { element: stored.path });
  }
  const name = valueIn(info, "index_name");
  const column = pandasColumn(array, { dtype: kind, zone: zoneOf(valueIn(info, "tz")), missing: null });
  return { name: typeof name === "string" ? name : null, column };
}
