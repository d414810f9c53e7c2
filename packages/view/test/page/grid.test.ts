/** Columns of a grid, and cells that keys move to. */

import { expect, test } from "vitest";
import { columnKind, fixedListOf, GROUP, gridColumns } from "../../page/src/table/column-kind.js";
import { columnPlaces, columnsInSight } from "../../page/src/table/column-places.js";
import { boundsOf, isWithin, moved } from "../../page/src/table/grid-range.js";

test("kinds of columns by the text of their types", () => {
  const kinds = {
    Int64: "number",
    Uint8: "number",
    Float32: "number",
    "Decimal[10e+2]": "number",
    Bool: "boolean",
    Utf8: "text",
    LargeUtf8: "text",
    "Dictionary<Int8, Utf8>": "category",
    "Dictionary<Int32, Float64>": "other",
    "Timestamp<NANOSECOND>": "time",
    "List<Int32>": "other",
    "Struct<{a:Int32}>": "other",
    Binary: "other",
    Null: "other",
  };
  for (const [type, kind] of Object.entries(kinds)) expect([type, columnKind(type)]).toEqual([type, kind]);
});

test("lists of a fixed length are columns", () => {
  expect(fixedListOf("FixedSizeList[20]<Float32>")).toEqual({ length: 20, item: "Float32" });
  const columns = gridColumns(
    [{ name: "value", type: "FixedSizeList[3]<Float32>" }],
    (item) => ["CD3D", "CD3E"][item] ?? null,
  );
  expect(columns.map(({ label, item, kind }) => [label, item, kind])).toEqual([
    ["CD3D", 0, "number"],
    ["CD3E", 1, "number"],
    ["2", 2, "number"],
  ]);
  expect(gridColumns([{ name: "value", type: "FixedSizeList[2]<Utf8>" }]).map(({ kind }) => kind)).toEqual(["other"]);
});

test("many columns are read in groups", () => {
  const columns = gridColumns(Array.from({ length: 2 * GROUP + 1 }, (_, at) => ({ name: `c${at}`, type: "Int32" })));
  expect([0, GROUP - 1, GROUP, 2 * GROUP].map((at) => columns[at].group)).toEqual([0, 0, 1, 2]);
});

test("columns in sight", () => {
  const places = columnPlaces([100, 50, 80, 70], 40);
  expect(columnsInSight(places, 40, 140)).toEqual([0, 1]);
  expect(columnsInSight(places, 139, 191)).toEqual([0, 3]);
  expect(columnsInSight(places, 140, 190)).toEqual([1, 2]);
  expect(columnsInSight(places, 300, 900)).toEqual([3, 4]);
});

test("keys move the active cell, and Shift makes a range", () => {
  const size = { rows: 100, columns: 5, page: 20 };
  const start = { anchor: { row: 50, column: 2 }, active: { row: 50, column: 2 } };
  const press = (key: string, keys: { shiftKey?: boolean; ctrlKey?: boolean } = {}) =>
    moved(start, { key, shiftKey: false, ctrlKey: false, metaKey: false, ...keys }, size);
  expect(press("ArrowDown")?.active).toEqual({ row: 51, column: 2 });
  expect(press("PageUp")?.active).toEqual({ row: 30, column: 2 });
  expect(press("End")?.active).toEqual({ row: 50, column: 4 });
  expect(press("End", { ctrlKey: true })?.active).toEqual({ row: 99, column: 4 });
  expect(press("ArrowUp", { ctrlKey: true })?.active).toEqual({ row: 0, column: 2 });
  expect(press("a")).toBeNull();
  const range = press("PageDown", { shiftKey: true });
  expect(range).toEqual({ anchor: { row: 50, column: 2 }, active: { row: 70, column: 2 } });
  const bounds = boundsOf(range ?? start);
  expect(bounds).toEqual({ rows: [50, 71], columns: [2, 3] });
  expect(isWithin(bounds, { row: 70, column: 2 })).toBe(true);
  expect(isWithin(bounds, { row: 70, column: 3 })).toBe(false);
});
