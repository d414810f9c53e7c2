import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createTextColumn } from "../../../src/arrow/text.js";
import { type ArrowField, type ArrowType, type DictionaryType, INT32, UTF8 } from "../../../src/arrow/type.js";
import { planConversion, uniteColumns } from "../src/united-columns.js";

const int = (bits: 8 | 16 | 32 | 64): ArrowType => ({ id: "Int", bits, signed: true });
const float = (bits: 16 | 32 | 64): ArrowType => ({ id: "Float", bits });
const codes = (ordered = false): DictionaryType => ({
  id: "Dictionary",
  index: { ...INT32, bits: 8 },
  value: UTF8,
  ordered,
});
const column = (name: string, type: ArrowType, nullable = false): ArrowField => ({ name, type, nullable });

function united(...frames: (readonly ArrowField[])[]) {
  return uniteColumns(
    frames.map((fields, i) => ({ source: `${i}.h5ad`, fields, categories: new Map() })),
    "obs",
    ["row"],
  );
}

describe("columns of many frames", () => {
  test("are in the order in which they are first seen; a wider type is noted", () => {
    const { columns, notes } = united(
      [column("n", int(32)), column("x", float(32))],
      [column("x", float(64)), column("n", int(32))],
    );
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ["n", int(32)],
      ["x", float(64)],
    ]);
    expect(notes).toEqual(['obs: column "x" becomes Float64, from Float32 and Float64']);
  });

  test("that some datasets lack have nulls there, floats NaN", () => {
    const { columns, notes } = united([column("n", int(32)), column("x", float(32))], []);
    expect(columns.map(({ name, nullable }) => [name, nullable])).toEqual([
      ["n", true],
      ["x", false],
    ]);
    expect(notes).toHaveLength(2);
    const [n, x] = columns.map((one) => planConversion(one, null).missing(2));
    expect(n.validity?.nullCount).toBe(2);
    expect(x.layout === "primitive" && [...x.values]).toEqual([Number.NaN, Number.NaN]);
  });

  test("of categories stay categories, with codes of 32 bits", () => {
    const { columns, notes } = united([column("type", codes(), true)], [column("type", codes(), true)]);
    expect(columns[0].type).toEqual({ id: "Dictionary", index: INT32, value: UTF8, ordered: false });
    expect(notes).toEqual([]);
    const own: Column = {
      ...{ layout: "dictionary", type: codes(), length: 3, validity: null },
      ...{ indices: Int8Array.of(1, 0, 1), dictionary: createTextColumn(["B", "T"]) },
    };
    const wide = planConversion(columns[0], column("type", codes())).changed(own);
    expect(wide.layout === "dictionary" && [...wide.indices]).toEqual([1, 0, 1]);
    expect(wide.layout === "dictionary" && wide.indices).toBeInstanceOf(Int32Array);
  });

  test("of categories and of text become text", () => {
    const { columns, notes } = united([column("type", codes(), true)], [column("type", UTF8)]);
    expect(columns[0].type).toEqual(UTF8);
    expect(notes[0]).toContain("becomes its values");
  });

  test("of types without a common one are an error with both files and both types", () => {
    expect(() => united([column("n", int(32))], [column("n", UTF8)])).toThrow(/1\.h5ad.*"n" is Utf8, in 0\.h5ad Int32/);
  });

  test("with a name that the union has get a number, which stays", () => {
    const { columns, notes } = united([column("Row", int(32)), column("row", int(32)), column("row_2", int(32))]);
    const named = (all: typeof columns) => all.map(({ name, metadata }) => [name, metadata?.name]);
    expect(named(columns)).toEqual([
      ["Row_1", "Row"],
      ["row_3", "row"],
      ["row_2", undefined],
    ]);
    expect(notes[0]).toBe('obs: column "Row" is "Row_1" in the union, which has a column of this name');
    // A further dataset has other columns before it.
    const more = uniteColumns(
      [
        { source: "the union", fields: columns, categories: new Map() },
        { source: "new", fields: [column("row_3", int(32)), column("row", int(32))], categories: new Map() },
      ],
      ...(["obs", ["row", "dataset_id", "_index"]] as const),
    );
    expect(named(more.columns)).toEqual([...named(columns), ["row_3_1", "row_3"]]);
  });

  test("that are nested are left out with a note", () => {
    const list: ArrowType = { id: "List", item: column("item", int(32)) };
    const { columns, notes } = united([column("lists", list)]);
    expect(columns).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^obs: column "lists" is left out: it is List/)]);
  });
});

describe("ordered categories", () => {
  const frame = (source: string, values: readonly string[]) => ({
    ...{ source, fields: [column("grade", codes(true), true)] },
    categories: new Map([["grade", values]]),
  });

  test("stay ordered where all datasets have equal ones", () => {
    const { columns, notes } = uniteColumns([frame("a", ["low", "high"]), frame("b", ["low", "high"])], "obs", []);
    expect(columns[0].type).toMatchObject({ id: "Dictionary", ordered: true });
    expect(notes).toEqual([]);
  });

  test("lose their order where they differ, with a note", () => {
    const { columns, notes } = uniteColumns([frame("a", ["low", "high"]), frame("b", ["high", "low"])], "obs", []);
    expect(columns[0].type).toMatchObject({ id: "Dictionary", ordered: false });
    expect(notes).toEqual(['obs: column "grade" has ordered categories that differ: their order is not kept']);
  });
});

test("categories of features become text", () => {
  const frame = { source: "a", fields: [column("biotype", codes(), true)], categories: new Map() };
  const { columns, notes } = uniteColumns([frame], "var", []);
  expect(columns[0].type).toEqual(UTF8);
  expect(notes).toEqual(['var: column "biotype" has categories, which become text']);
});
