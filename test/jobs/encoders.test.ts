import { describe, expect, test } from "vitest";
import { createField, INT32, UTF8 } from "../../src/arrow/type.js";
import { ENCODERS, isEncoderName } from "../../src/jobs/encoders.js";

const flat = [createField("a", INT32), createField("b", UTF8)];
const nested = [createField("a", { id: "List", item: createField("item", INT32) })];
const [arrow, arrows, parquet] = await Promise.all([ENCODERS.arrow(), ENCODERS.arrows(), ENCODERS.parquet()]);

test.each(Object.entries(ENCODERS))("%s is the name of its encoder", async (name, load) => {
  expect((await load()).name).toBe(name);
  expect(isEncoderName(name)).toBe(true);
});

test("other formats have no encoder", () => {
  expect(["csv", "toString", ""].filter(isEncoderName)).toEqual([]);
});

describe("an encoder supports", () => {
  test("columns of Parquet that are flat, with a compression of its own", () => {
    expect(parquet.begin(flat, { compression: "zstd" })).not.toBeNull();
    expect(parquet.begin(nested, { compression: "zstd" })).toBeNull();
    expect(parquet.begin([], { compression: "zstd" })).toBeNull();
    for (const compression of ["lz4", undefined, 1]) expect(parquet.begin(flat, { compression })).toBeNull();
  });

  test("all columns of Arrow", () => {
    for (const encoder of [arrow, arrows]) {
      for (const fields of [flat, nested, []]) expect(encoder.begin(fields, {})).not.toBeNull();
    }
  });
});

test("a file takes only what its encoder made", () => {
  const table = { name: "X", metadata: new Map<string, string>(), readEmpty: async () => [] };
  const rows = { bytes: new Uint8Array(8), rows: 1 };
  const fileOf = (encoder: typeof arrow) => encoder.begin(flat, { compression: "zstd" })?.createFile(table);
  expect(() => fileOf(parquet)?.add(rows)).toThrow("a row group is expected");
  expect(() => fileOf(arrow)?.add(rows)).toThrow("a message is expected");
});
