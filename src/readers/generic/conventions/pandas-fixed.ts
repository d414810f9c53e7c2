/** pandas' format `fixed`: blocks of columns with the same type, the column names, and the index. */

import { decodeTextValues, toTextColumn } from "../../../arrow/text.js";
import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { getSizeAttribute, getTextAttribute } from "../../attributes.js";
import type { ColumnElement, TableElement } from "../../element.js";
import { openChild } from "../../reader.js";
import type { GenericContext } from "../arrays/context.js";
import { getPickledZone, nameAttribute } from "./pandas-attributes.js";
import { createPandasColumn, type PandasLocation } from "./pandas-column.js";
import { createPandasFrame, type PandasColumn } from "./pandas-frame.js";
import { readPickle } from "./pickle.js";

/** Maximum number of blocks in a dataframe, and of levels in an index. For each one, arrays must be opened. */
const MAX_BLOCKS = 100_000;
const MAX_LEVELS = 100;

/** The text that marks missing text in a pandas index. */
const MISSING = "nan";

/** Opens a dataframe that is stored in blocks. @throws {UnsupportedError} if columns are pickled; it names them. */
export async function openFixedFrame(group: Group, cx: GenericContext): Promise<TableElement> {
  const order = await readTexts(await openPandasDataset(group, "axis0", cx), cx);
  const blocks = getSizeAttribute(group, "nblocks");
  if (blocks > MAX_BLOCKS) throw new UnsupportedError(`${blocks} blocks, more than ${MAX_BLOCKS}`);
  const columns = new Map<string, ColumnElement>();
  const pickled: string[] = [];
  for (let i = 0; i < blocks; i++) {
    const names = await readTexts(await openPandasDataset(group, `block${i}_items`, cx), cx);
    const values = await openPandasDataset(group, `block${i}_values`, cx);
    if (isPickled(values)) {
      for (const name of names) pickled.push(name);
      continue;
    }
    const block = { kind: "array", array: blockOf(values, names.length) } as const;
    for (const [place, name] of names.entries()) columns.set(name, valueColumn({ values: block, place }));
  }
  if (pickled.length > 0) throw refusedPickles(pickled);
  const all = order.map((name): PandasColumn => {
    const column = columns.get(name);
    if (column === undefined) throw new InvalidDataError(`no block has the column ${JSON.stringify(name)}`);
    return { name, column };
  });
  return createPandasFrame(group.path, await indexLevels(group, "axis1", cx), all);
}

/** Opens a series as a single column of values. */
export async function openFixedSeries(group: Group, cx: GenericContext): Promise<TableElement> {
  const values = await openPandasDataset(group, "values", cx);
  const name = nameAttribute(group, "name");
  if (isPickled(values)) throw refusedPickles([name ?? "values"]);
  const column = { name: name ?? "0", column: valueColumn({ values: { kind: "array", array: values }, place: 0 }) };
  return createPandasFrame(group.path, await indexLevels(group, "index", cx), [column]);
}

export async function openPandasDataset(group: Group, name: string, cx: GenericContext): Promise<StoredArray> {
  const node = await openChild(group, name, cx);
  if (node.kind === "group") throw new InvalidDataError(`${name} is a group, a dataset is needed`);
  if (node.attributes.has("shape") && node.attributes.has("value_type")) {
    throw new UnsupportedError(
      `${name} without values: PyTables has no empty arrays, and pandas writes others instead`,
    );
  }
  return node;
}

function refusedPickles(names: readonly string[]): UnsupportedError {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name));
  return new UnsupportedError(
    `the columns ${shown.join(", ")} are pickled objects, which only Python reads, and which may run any code; pandas writes text with format="table"`,
  );
}

/** Whether an array contains pickled objects. PyTables stores them as sequences of bytes. */
function isPickled(array: StoredArray): boolean {
  const { type } = array;
  return (
    /^object/.test(getTextAttribute(array, "PSEUDOATOM") ?? "") ||
    type.kind === "unsupported" ||
    !["bool", "int", "float", "complex", "text"].includes(type.kind)
  );
}

/** Checks that a block has a row for each row of the table, and `columns` columns. */
function blockOf(values: StoredArray, columns: number): StoredArray {
  const { shape } = values;
  const isTransposed = Number(values.attributes.get("transposed") ?? 1) === 1;
  if (isTransposed && shape?.length === 2 && shape[1] === columns) return values;
  throw new InvalidDataError(`a block of shape ${JSON.stringify(shape)} for ${columns} columns`, {
    element: values.path,
  });
}

function valueColumn(of: PandasLocation): ColumnElement {
  const { array } = of.values;
  const zone = getTextAttribute(array, "tz");
  const dtype = getTextAttribute(array, "value_type") ?? array.type.kind;
  return createPandasColumn(of, { dtype, zone: zone === undefined ? null : zoneIn(zone), missing: null });
}

function zoneIn(text: string): string | null {
  return /^[c(]/.test(text) && text.endsWith(".") ? getPickledZone(readPickle(text)) : text;
}

async function indexLevels(group: Group, name: string, cx: GenericContext): Promise<readonly PandasColumn[]> {
  if (getTextAttribute(group, `${name}_variety`) !== "multi")
    return [indexLevel(await openPandasDataset(group, name, cx))];
  const count = getSizeAttribute(group, `${name}_nlevels`);
  if (count > MAX_LEVELS) throw new UnsupportedError(`an index of ${count} levels, more than ${MAX_LEVELS}`);
  const levels: PandasColumn[] = [];
  for (let i = 0; i < count; i++) {
    const values = indexLevel(await openPandasDataset(group, `${name}_level${i}`, cx));
    const codes = await openPandasDataset(group, `${name}_label${i}`, cx);
    levels.push({ name: values.name, column: takenLevel(codes, values.column) });
  }
  return levels;
}

/** Opens an index or one of its levels. The attribute `kind` determines how the values are encoded. */
function indexLevel(array: StoredArray): PandasColumn {
  const kind = getTextAttribute(array, "kind") ?? "";
  const name = nameAttribute(array, "name");
  const own = getTextAttribute(array, "index_class");
  if (kind === "object" || isPickled(array)) throw refusedPickles([name ?? "index"]);
  const zone = getTextAttribute(array, "tz");
  const dtype = own === "timedelta" ? "timedelta64[ns]" : kind;
  const missing = kind === "string" ? MISSING : null;
  const known = /^(string|integer|float|bool|datetime64.*|timedelta64.*)$/.test(dtype);
  if (!known) throw new UnsupportedError(`an index of pandas' kind ${kind}`, { element: array.path });
  const of = { values: { kind: "array", array }, place: 0 } as const;
  return { name, column: createPandasColumn(of, { dtype, zone: zone === undefined ? null : zoneIn(zone), missing }) };
}

/** Makes a column from a level's values and codes: a dictionary column. */
function takenLevel(codes: StoredArray, { plan }: ColumnElement): ColumnElement {
  // The values of a level are never missing. A missing value has the code -1.
  const categories = plan.kind === "viewed" ? { ...plan, missing: null } : plan;
  return {
    plan: { kind: "categorical", codes: { kind: "array", array: codes }, categories, ordered: false },
    metadata: { kind: "categorical" },
  };
}

// Reads texts from a dataset: the names of columns.

const MAX_NAMES = 1_000_000;

/** @throws {InvalidDataError} for values that are neither text nor integers. */
async function readTexts(array: StoredArray, { text, options }: GenericContext): Promise<readonly string[]> {
  const [count] = array.shape ?? [];
  if (array.shape?.length !== 1) throw new InvalidDataError("no list of names", { element: array.path });
  if (count > MAX_NAMES) throw new UnsupportedError(`${count} columns, more than ${MAX_NAMES}`);
  const read = await array.read(0, count, options);
  if (read.kind === "variable") return decodeTextValues(toTextColumn(read, text)).map((name) => name ?? "");
  if (read.kind === "fixed" && array.type.kind === "int") return Array.from(read.values, String);
  throw new InvalidDataError("names that are no text", { element: array.path });
}
