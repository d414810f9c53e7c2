import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { parseJsonObject } from "../../../src/model/json-object.js";

/** A store of pandas, and what pandas reads from it (test/fixtures/hdf5/make_pandas.py). */
const PATH = "test/fixtures/data/pandas/store.h5";
interface Expected {
  readonly index: readonly string[];
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
}
const EXPECTED: Record<string, Expected> = JSON.parse(readFileSync("test/fixtures/data/pandas/expected.json", "utf8"));

/** A value as the script writes it: ticks and large integers as text. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value ?? null;
}

/** Ticks of times, which apache-arrow would round to milliseconds. */
function ticks(vector: { readonly data: readonly { readonly values: unknown; readonly length: number }[] }) {
  return vector.data.flatMap(({ values }) => (values instanceof BigInt64Array ? [...values].map(String) : []));
}

describe("frames of pandas", () => {
  test.each(Object.keys(EXPECTED))("%s", async (key) => {
    const data = await open(PATH);
    expect(data.format).toBe("hdf5");
    const table = await data.table(key).read();
    const { index, columns } = EXPECTED[key];
    expect(table.schema.fields.map(({ name }) => name)).toEqual(Object.keys(columns));
    const pandas = parseJsonObject(table.schema.metadata.get("pandas") ?? "");
    expect(pandas?.index_columns).toEqual(index);
    for (const [i, [name, values]] of Object.entries(columns).entries()) {
      const vector = table.getChildAt(i);
      const isTime = /Timestamp|Duration/.test(String(vector?.type));
      const found = isTime && vector !== null ? ticks(vector) : Array.from(vector ?? [], plain);
      const wanted = isTime ? values.map((one, row) => (one === null ? found[row] : one)) : values;
      expect(found, name).toEqual(wanted);
      if (isTime) {
        expect(values.map((_, row) => vector?.isValid(row))).toEqual(values.map((one) => one !== null));
      }
    }
    await data.close();
  });

  test("types are those of pandas' own Parquet files", async () => {
    const data = await open(PATH);
    const { schema } = await data.table("table").read();
    expect(Object.fromEntries(schema.fields.map(({ name, type }) => [name, String(type)]))).toEqual({
      ...{ row: "Utf8", i: "Int64", f: "Float64", t: "Timestamp<NANOSECOND>", i8: "Int8", f4: "Float32", j: "Int64" },
      ...{ tz: "Timestamp<NANOSECOND, Europe/Berlin>", td: "Duration<NANOSECOND>", b: "Bool", s: "Utf8", u: "Utf8" },
      c: "Dictionary<Int8, Utf8>",
    });
    const categories = (await data.table("table").read()).getChild("c")?.data[0].dictionary;
    expect(Array.from(categories ?? [])).toEqual(["y", "x", "u"]);
    await data.close();
  });

  test("booleans of a fixed frame are Bool, bytes are not", async () => {
    const data = await open(PATH);
    const types = async (key: string) => {
      const { schema } = await data.table(key).read();
      return Object.fromEntries(schema.fields.map(({ name, type }) => [name, String(type)]));
    };
    expect(await types("flags")).toEqual({ __index_level_0__: "Int64", b: "Bool", w: "Bool", u8: "Uint8" });
    expect(await types("series/flags")).toEqual({ __index_level_0__: "Int64", own: "Bool" });
    await data.close();
  });

  test("pickled objects are refused by their names", async () => {
    const data = await open(PATH);
    expect(data.failures.get("pickled")?.problem).toContain('the columns "s" are pickled objects');
    await data.close();
  });
});
