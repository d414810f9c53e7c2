/** Objects of MATLAB's own classes and of users', as `#subsystem#` has them. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ExpectedTable, tablesOf } from "../../anndata/expected.js";
import { openFixture, typesOf } from "../fixtures.js";

const EXPECTED: Readonly<Record<string, Readonly<Record<string, ExpectedTable>>>> = JSON.parse(
  readFileSync("test/fixtures/data/matlab/classes_expected.json", "utf8"),
);

describe("objects as they should be", () => {
  test("each has its values", async () => {
    const data = await openFixture("classes.mat");
    expect([...data.failures]).toEqual([]);
    expect(data.warnings).toEqual(["frame: variable Z is no column of one type; it is read as text of JSON"]);
    expect(await tablesOf(data)).toMatchObject(EXPECTED.classes);
    const names = [...data.tables.values()].filter((table) => !table.derived).map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(EXPECTED.classes).sort());
  });

  test("the columns have the types of their values", async () => {
    const data = await openFixture("classes.mat");
    expect(typesOf(data, "frame")).toEqual({
      ...{ Row: "Utf8", A: "Float64", M: "FixedSizeList[3]<Float64>", S: "Utf8" },
      ...{ C: "Dictionary<Uint8, Utf8>", T: "Timestamp<MILLISECOND>", L: "Utf8", Z: "Utf8" },
    });
    expect(typesOf(data, "times")).toEqual({ value: "Timestamp<MICROSECOND, Europe/Berlin>" });
    expect(typesOf(data, "sampled")).toEqual({ Time: "Duration<MILLISECOND>", A: "Float64" });
    expect(typesOf(data, "map_of_numbers")).toEqual({ key: "Float64", value: "Utf8" });
    expect(typesOf(data, "sizes")).toEqual({ value: "Dictionary<Uint8, Utf8>" });
  });

  test("the metadata has what the columns do not say", async () => {
    const data = await openFixture("classes.mat");
    const metadata = (name: string) => data.table(name).metadata;
    expect(metadata("strings")).toMatchObject({ class: "string", size: [1, 3] });
    expect(metadata("times")).toMatchObject({ class: "datetime", timezone: "Europe/Berlin", fmt: "dd.MM.uuuu" });
    expect(metadata("sizes")).toMatchObject({ class: "categorical", protected: true });
    expect(metadata("frame")).toMatchObject({
      ...{ class: "table", index: "Row", dimensionNames: ["Row", "Variables"], Description: "two rows" },
      VariableUnits: ["", "mm", "", "", ""],
    });
    expect(metadata("map")).toMatchObject({ class: "containers.Map", keyType: "char", valueType: "any" });
    expect(metadata("point")).toMatchObject({ class: "geo.Point", size: [1, 1] });
    expect(metadata("points")).toMatchObject({ class: "geo.Point", size: [2, 1] });
    expect(metadata("nothings")).toMatchObject({ class: "missing", size: [2, 2] });
    expect(metadata("cell_of_nothing")).toMatchObject({ class: "cell", elementClass: "missing", size: [1, 2] });
    expect(metadata("deleted")).toMatchObject({ class: "Link", objects: [0] });
  });

  test("enumerations keep the values of their members, and the class that these extend", async () => {
    const data = await openFixture("classes.mat");
    expect(data.table("colours").metadata).toMatchObject({
      ...{ class: "paint.Colour", size: [2, 3], enumeration: true },
      values: [{ code: 7 }, { code: 8 }, { code: 9 }],
    });
    expect(data.table("level").metadata).toMatchObject({ builtinClass: "uint8", values: [{ "uint8.Data": 3 }] });
    const colours = await data.table("colours").read();
    expect([...(colours.getChildAt(0)?.data[0]?.children[0]?.dictionary ?? [])]).toEqual(["Red", "Green", "Blue"]);
  });
});

describe("objects that break a rule", () => {
  /** Words, or properties, of which the reason says what is wrong. */
  const RAW: Readonly<Record<string, RegExp>> = {
    object_id: /object 2000; the store has \d+/,
    class_id: /class 2000 of an object; the store has \d+/,
    dimensions: /2147483648 dimensions in 6 words/,
    size: /2147483648 x 2147483648 objects in 6 words/,
    more_than_ids: /1 x 9 objects in 6 words/,
    short: /form is not the form of MATLAB's objects/,
    no_magic: /form is not the form of MATLAB's objects/,
    java: /form is not the form of MATLAB's objects/,
    property_cell: /property x in cell 1000000; the store has \d+/,
    property_kind: /property x is of kind 7; 0 to 2 exist/,
    property_name: /object store has \d+ names, not 1000000/,
    property_block: /object \d+ has properties that the store does not have/,
    dynamic_id: /object 1000000; the store has \d+/,
  };

  test.each(Object.entries(RAW))("%s stays as it is stored, and says why", async (name, reason) => {
    const data = await openFixture("bad_objects.mat");
    const { metadata } = data.table(name);
    expect(metadata).toMatchObject({ opaque: true, object_decode: 3, reason: expect.stringMatching(reason) });
    expect(data.warnings.some((one) => one.includes(name) && reason.test(one))).toBe(true);
    expect((await data.table(name).read()).numRows).toBe(1);
  });

  /** Read as their properties. */
  const PROPERTIES: Readonly<Record<string, RegExp>> = {
    string_words: /strings in 5 words/,
    string_length: /a string of 1125899906842624 characters of 4/,
    string_rank: /strings of 1152921504606847000 dimensions/,
    string_pair: /halves of surrogate pairs/,
    names: /a categorical without codes or names/,
    times: /a datetime without its times/,
    months: /a calendarDuration with 3 and 2 values/,
    table_names: /a table of 1 variables with 2 names/,
    table_rows: /variable A has 3 rows, the table 2/,
    table_count: /a table of -1 rows/,
    table_huge: /a table of 1152921504606847000 rows/,
    timetable_huge: /a timetable of 1152921504606847000 rows/,
  };

  test.each(Object.entries(PROPERTIES))("%s is read as its properties, with a warning", async (name, problem) => {
    const data = await openFixture("bad_objects.mat");
    expect(data.table(name).derived).toBe(true);
    expect(data.warnings.some((one) => one.startsWith(`${name}: `) && problem.test(one))).toBe(true);
  });

  test("codes outside the categories are an error of what is read", async () => {
    const data = await openFixture("bad_objects.mat");
    await expect(data.table("code").read()).rejects.toThrow(/bad_objects\.mat.*code.*9/s);
    await expect(data.table("member").read()).rejects.toThrow(/bad_objects\.mat.*member.*3/s);
  });

  test("what cannot be followed is a failure, and the others are read", async () => {
    const data = await openFixture("bad_objects.mat");
    expect(data.failures.get("cell_circle/x/{1}")?.message).toMatch(/it contains itself/);
    const deep = [...data.failures.values()].filter(({ message }) => message.includes("nested more than 100 deep"));
    expect(deep).toHaveLength(1);
    expect(await tablesOf({ ...data, tables: new Map([["fine", data.table("fine")]]) })).toMatchObject({
      fine: EXPECTED.bad_objects.fine,
    });
    expect(data.table("map_lengths").derived).toBe(true);
    expect(data.table("member_name").derived).toBe(true);
    expect(data.table("member_class").metadata).toMatchObject({ class: "Level" });
  });
});
