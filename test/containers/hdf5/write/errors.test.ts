import { describe, expect, test } from "vitest";
import { createHdf5 } from "../../../../src/containers/hdf5/write/container.js";
import type { ArrayDescription } from "../../../../src/containers/tree/container-writer.js";
import { createBytesTarget } from "../../../../src/io/targets/memory.js";
import { InvalidInputError, NotFoundError, UnsupportedError } from "../../../../src/model/errors.js";
import type { StoredType, StoredValues } from "../../../../src/model/stored.js";
import { inlineEncoder } from "./inline-encoder.js";
import { FLOAT64, fixed, float64, INT32, int, int32, NO_COMPRESSION, TEXT, text, written } from "./written.js";

const OPTIONS = { encoder: inlineEncoder(), compression: NO_COMPRESSION };
const record = (...names: string[]): StoredType => ({
  kind: "record",
  fields: names.map((name) => ({ name, type: INT32, shape: [] })),
});
const enumOf = (base: StoredType, ...values: number[]): StoredType => ({
  kind: "enum",
  base: base.kind === "int" ? base : int(8),
  members: values.map((value, i) => ({ name: `m${i}`, value })),
});

describe("types that HDF5 has no form for", () => {
  const LONG = Array.from({ length: 70_000 }, (_, i) => `${i}`);
  test.each<readonly [string, StoredType, RegExp]>([
    ["datetime", { kind: "datetime", unit: "ns", step: 1 }, /datetime values: HDF5 has no type for them/],
    ["timedelta", { kind: "timedelta", unit: "s", step: 1 }, /timedelta values/],
    ["unsupported", { kind: "unsupported", name: "float128" }, /float128/],
    [
      "UTF-32",
      { kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } },
      /UTF-32 text/,
    ],
    ["a large enum", enumOf(int(32), ...LONG.slice(0, 6000).map(Number)), /has 72020 bytes; HDF5 has room for 65528/],
    ["too many members", record(...LONG), /record of 70000 members; HDF5 has 1 to 65535/],
    ["no member", record(), /record of 0 bytes/],
    [
      "many dimensions",
      { kind: "record", fields: [{ name: "a", type: INT32, shape: Array<number>(33).fill(1) }] },
      /field "a" has 33 dimensions; HDF5 has at most 32/,
    ],
  ])("%s", async (_, type, why) => {
    await written(async ({ root }) => {
      const made = root.array("x", { type, shape: [1] });
      await expect(made).rejects.toThrow(why);
      await expect(made).rejects.toThrow(/^new\.h5: x: /);
      expect(() => root.attribute("a", { type, shape: null, values: null })).toThrow(why);
    });
  });
});

describe("what makes no sense", () => {
  test.each<readonly [string, ArrayDescription, RegExp]>([
    ["bytes of width 0", { type: { kind: "bytes", width: 0 }, shape: [1] }, /bytes of 0 bytes as an HDF5 type/],
    ["a member twice", { type: record("a", "a"), shape: [1] }, /record has the member "a" twice/],
    ["a member without a name", { type: record(""), shape: [1] }, /field is empty/],
    ["an enum's value beyond its base", { type: enumOf(int(8), 128), shape: [1] }, /"m0" is 128, beyond 8 bits/],
    ["an enum's value twice", { type: enumOf(int(8), 3, 3), shape: [1] }, /has the value 3 twice/],
    ["half a value", { type: enumOf(int(8), 0.5), shape: [1] }, /"m0" is 0.5/],
    ["a negative dimension", { type: INT32, shape: [-1] }, /a dimension of -1/],
    ["half a dimension", { type: INT32, shape: [1, 0.5] }, /a dimension of 0.5/],
    ["more than 2^53 elements", { type: INT32, shape: [2 ** 30, 2 ** 30] }, /more than 2\^53 elements/],
    ["a scalar that grows", { type: INT32, shape: [], extendable: true }, /can neither grow nor have chunks/],
    ["a scalar in chunks", { type: INT32, shape: [], chunks: [] }, /can neither grow nor have chunks/],
    ["chunks of another rank", { type: INT32, shape: [4], chunks: [1, 1] }, /chunks of shape \[1,1\]/],
  ])("%s", async (_, description, why) => {
    await written(async ({ root }) => {
      await expect(root.array("x", description)).rejects.toThrow(why);
      await expect(root.array("x", description)).rejects.toThrow(InvalidInputError);
    });
  });

  test("33 dimensions", async () => {
    await written(async ({ root }) => {
      const made = root.array("x", { type: INT32, shape: [1, ...Array<number>(32).fill(1)] });
      await expect(made).rejects.toThrow("new.h5: x: 33 dimensions; HDF5 has at most 32");
      await expect(made).rejects.toThrow(UnsupportedError);
    });
  });

  test("options", () => {
    const create = (options: object) => () => createHdf5(createBytesTarget(), { ...OPTIONS, ...options });
    expect(create({ compression: { kind: "gzip", level: 10 } })).toThrow(/gzip level 10; 0 to 9 exist/);
    expect(create({ compactBytes: -1 })).toThrow(InvalidInputError);
  });

  test("a reference to nothing", async () => {
    await written(async (file) => {
      await file.root.group("a");
      expect(() => file.reference("a/b")).toThrow(NotFoundError);
      expect(() => file.reference("b")).toThrow("new.h5: b: there is no such element to refer to");
    });
  });
});

describe("values that are not those of the array", () => {
  const fixedText: StoredType = {
    kind: "text",
    storage: { form: "fixed", encoding: "utf-8", width: 3, padding: "nullpad" },
  };
  const nul = { kind: "variable", offsets: Int32Array.of(0, 3), bytes: Uint8Array.of(97, 0, 98) } as const;
  test.each<readonly [string, StoredType, StoredValues, number, RegExp]>([
    ["another array type", INT32, float64(1), 1, /int values in a Float64Array, not in a Int32Array/],
    ["too few", INT32, int32(1), 2, /1 int values where 2 belong/],
    ["too many rows", INT32, int32(1, 2, 3, 4), 4, /4 rows in an array of 3/],
    ["another kind", INT32, text("a"), 1, /values of the kind variable, not fixed/],
    ["text without text", TEXT, int32(1), 1, /values of the kind fixed, not variable/],
    ["records with a field too many", record("a"), { kind: "record", length: 1, fields: [] }, 1, /0 fields where 1/],
    [
      "offsets that go back",
      TEXT,
      { kind: "variable", offsets: Int32Array.of(0, 2, 1), bytes: new Uint8Array(2) },
      2,
      /number 1 ends at 1, before its begin at 2/,
    ],
    [
      "offsets beyond the bytes",
      TEXT,
      { kind: "variable", offsets: Int32Array.of(0, 3), bytes: new Uint8Array(2) },
      1,
      /end at byte 3 of 2/,
    ],
    ["text with a NUL", TEXT, nul, 1, /NUL, at which HDF5's text of variable length ends/],
    ["text that is too long", fixedText, text("abcd"), 1, /text of 4 bytes where the type has 3/],
    ["text that ends in its padding", fixedText, text("a\0"), 1, /ends in a NUL, which would pass for padding/],
  ])("%s", async (_, type, values, rows, why) => {
    const file = createHdf5(createBytesTarget("new.h5"), OPTIONS);
    const array = await file.root.array("x", { type, shape: [3] });
    await expect(array.write(values, rows)).rejects.toThrow(why);
    await expect(array.write(values, rows)).rejects.toThrow(/x: the array is failed/);
    await expect(array.close()).rejects.toThrow(/incomplete/);
    await expect(file.close()).rejects.toThrow(/x: the array is still open/);
  });

  test("rows that are missing", async () => {
    const file = createHdf5(createBytesTarget("new.h5"), OPTIONS);
    const array = await file.root.array("x", { type: FLOAT64, shape: [3] });
    await array.write(float64(1, 2), 2);
    await expect(array.close()).rejects.toThrow("new.h5: x: 2 rows of an array of 3");
  });

  test("attributes", async () => {
    await written(async ({ root }) => {
      expect(() => root.attribute("a", { type: INT32, shape: [2], values: int32(1) })).toThrow(
        'new.h5: attribute "a": 1 int values where 2 belong',
      );
      expect(() => root.attribute("a", { type: INT32, shape: null, values: int32(1) })).toThrow(/that has none/);
      expect(() => root.attribute("a", { type: INT32, shape: [1], values: null })).toThrow(/without its values/);
    });
  });
});

test("more attributes than one object can have", async () => {
  const file = createHdf5(createBytesTarget("new.h5"), OPTIONS);
  const group = await file.root.group("crowded");
  for (let i = 0; i < 65_001; i++) group.attribute(`${i}`, { type: INT32, shape: [], values: int32(i) });
  await expect(file.close()).rejects.toThrow(
    "new.h5: crowded: 65001 attributes of one object; at most 65000 are written",
  );
  await expect(file.close()).rejects.toThrow(UnsupportedError);
});

test("nothing is added to a closed file", async () => {
  const file = createHdf5(createBytesTarget("new.h5"), OPTIONS);
  await file.close();
  await file.close();
  await expect(file.root.group("a")).rejects.toThrow(/the file is closed/);
  expect(() => file.root.attribute("a", { type: INT32, shape: [], values: int32(1) })).toThrow(/the file is closed/);
});

test("a target that fails is the error of whoever waits next, and of closing", async () => {
  let left = 3;
  const target = {
    ...createBytesTarget("full.h5"),
    write: async () => {
      if (left-- <= 0) throw new InvalidInputError("no space left", { source: "full.h5" });
    },
  };
  const file = createHdf5(target, OPTIONS);
  const array = await file.root.array("x", { type: INT32, shape: [null], chunks: [100_000] });
  const values = fixed(new Int32Array(250_000));
  const writing = async () => {
    for (let i = 0; i < 100; i++) await array.write(values, 250_000);
  };
  await expect(writing()).rejects.toThrow(/no space left/);
  expect(left).toBe(-1);
  await expect(array.close()).rejects.toThrow(/incomplete/);
});

test("before the file is closed it has no signature", async () => {
  const target = createBytesTarget("new.h5");
  const file = createHdf5(target, OPTIONS);
  const array = await file.root.array("x", { type: INT32, shape: [1_000_000] });
  await array.write(fixed(new Int32Array(1_000_000).fill(1)), 1_000_000);
  await array.close();
  await target.commit();
  expect([...target.bytes().subarray(0, 96)]).toEqual(Array<number>(96).fill(0));
});
