import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../../../src/containers/hdf5/container.js";
import type { Hdf5Options, Hdf5Writer } from "../../../../src/containers/hdf5/write/container.js";
import type { ArrayDescription, WrittenAttribute } from "../../../../src/containers/tree/container-writer.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import type { StoredType, StoredValues } from "../../../../src/model/stored.js";
import { crossCheck } from "../cross-check.js";
import { flat, openArray, openPath, plain, rowsOf } from "../fixture.js";
import { FLOAT64, fixed, float64, GZIP, INT32, int, int32, scalar, TEXT, text, written } from "./written.js";

const fixedText = (
  width: number,
  padding: "nullterm" | "nullpad" | "spacepad",
  encoding: "ascii" | "utf-8" = "ascii",
): StoredType => ({ kind: "text", storage: { form: "fixed", encoding, width, padding } });

const COLOURS: StoredType = {
  kind: "enum",
  base: int(16),
  members: [
    { name: "red", value: 0 },
    { name: "blue", value: -5 },
  ],
};

const RECORD: StoredType = {
  kind: "record",
  fields: [
    { name: "id", type: int(8), shape: [] },
    { name: "label", type: TEXT, shape: [] },
    { name: "matrix", type: { kind: "float", bits: 32 }, shape: [2, 3] },
    {
      name: "inner",
      type: { kind: "record", fields: [{ name: "code", type: fixedText(3, "nullpad"), shape: [2] }] },
      shape: [],
    },
  ],
};
const RECORDS: StoredValues = {
  kind: "record",
  length: 2,
  fields: [
    fixed(Int8Array.of(1, -1)),
    text("one", ""),
    fixed(Float32Array.from({ length: 12 }, (_, i) => i / 2)),
    { kind: "record", length: 2, fields: [text("a", "bc", "def", "")] },
  ],
};

type Kind = readonly [
  name: string,
  type: StoredType,
  shape: readonly number[],
  values: StoredValues,
  expected: unknown,
];

const KINDS: readonly Kind[] = [
  ["i8", int(8), [2], fixed(Int8Array.of(-128, 127)), [-128, 127]],
  ["u8", int(8, false), [2], fixed(Uint8Array.of(0, 255)), [0, 255]],
  ["i16", int(16), [2], fixed(Int16Array.of(-32768, 32767)), [-32768, 32767]],
  ["u16", int(16, false), [1], fixed(Uint16Array.of(65535)), [65535]],
  ["i32", INT32, [2, 2], int32(1, -2, 3, 2147483647), [1, -2, 3, 2147483647]],
  ["u32", int(32, false), [1], fixed(Uint32Array.of(4294967295)), [4294967295]],
  ["i64", int(64), [2], fixed(BigInt64Array.of(-(2n ** 63n), 5n)), ["-9223372036854775808n", 5]],
  ["u64", int(64, false), [1], fixed(BigUint64Array.of(2n ** 64n - 1n)), ["18446744073709551615n"]],
  ["f16", { kind: "float", bits: 16 }, [3], fixed(Uint16Array.of(0x3c00, 0xc000, 0x7c00)), [1, -2, "inf"]],
  ["f32", { kind: "float", bits: 32 }, [2], fixed(Float32Array.of(0.5, Number.NaN)), [0.5, "nan"]],
  ["f64", FLOAT64, [2], float64(1e300, -0.1), [1e300, -0.1]],
  ["c64", { kind: "complex", bits: 64 }, [2], fixed(Float32Array.of(1, 2, 3, 4)), [1, 2, 3, 4]],
  ["c128", { kind: "complex", bits: 128 }, [1], float64(1.5, -2), [1.5, -2]],
  ["bool", { kind: "bool" }, [3], fixed(Uint8Array.of(1, 0, 1)), [1, 0, 1]],
  ["enum", COLOURS, [2], fixed(Int16Array.of(-5, 0)), [-5, 0]],
  ["opaque", { kind: "bytes", width: 3 }, [2], fixed(Uint8Array.of(1, 0, 2, 3, 4, 0)), [1, 0, 2, 3, 4, 0]],
  ["text", TEXT, [4], text("a", "", "ö€😀", "x".repeat(100_000)), ["a", "", "ö€😀", "x".repeat(100_000)]],
  ["ascii", { kind: "text", storage: { form: "variable", encoding: "ascii" } }, [2, 1], text("a", "b"), ["a", "b"]],
  ["nullterm", fixedText(3, "nullterm"), [3], text("abc", "d", ""), ["abc", "d", ""]],
  ["nullpad", fixedText(3, "nullpad", "utf-8"), [2], text("ä", "abc"), ["ä", "abc"]],
  ["spacepad", fixedText(4, "spacepad", "utf-8"), [2], text("a b", ""), ["a b", ""]],
  [
    "record",
    RECORD,
    [2],
    RECORDS,
    [[1, -1], ["one", ""], Array.from({ length: 12 }, (_, i) => i / 2), [["a", "bc", "def", ""]]],
  ],
  ["empty", FLOAT64, [0, 3], float64(), []],
  ["no_columns", FLOAT64, [3, 0], float64(), []],
];

const rows = (shape: ArrayDescription["shape"]) => (shape === null || shape.length === 0 ? 1 : Number(shape[0]));

async function put(file: Hdf5Writer, name: string, description: ArrayDescription, values: StoredValues) {
  const array = await file.root.array(name, description);
  await array.write(values, rows(description.shape));
  await array.close();
}

const OPTIONS: Readonly<Record<string, Partial<Hdf5Options>>> = {
  plain: {},
  gzip: { compression: GZIP },
  "gzip after shuffle, with checksums": { compression: GZIP, shuffle: "all", fletcher32: true },
  "checksums alone": { fletcher32: true, userBlock: Uint8Array.of(1, 2, 3) },
  compact: { compactBytes: 4096, manyChunks: true, userBlock: new Uint8Array(513) },
};

async function allKinds(file: Hdf5Writer): Promise<void> {
  for (const [name, type, [first, ...rest], values] of KINDS) {
    await put(file, name, { type, shape: [first, ...rest] }, values);
    const growing = await file.root.array(`${name}_growing`, { type, shape: [null, ...rest] });
    await growing.write(values, first);
    await growing.close();
    await file.root.group(`${name}_attribute`, new Map([[name, { type, shape: [first, ...rest], values }]]));
  }
  const one = { f64: float64(0.5), text: text("only"), null: null };
  await put(file, "scalar", { type: FLOAT64, shape: [] }, one.f64);
  await put(file, "scalar_text", { type: TEXT, shape: [] }, one.text);
  const nothing = await file.root.array("nothing", { type: FLOAT64, shape: null });
  await nothing.close();
  file.root.attribute("scalar", scalar(FLOAT64, one.f64));
  file.root.attribute("scalar_text", scalar(TEXT, one.text));
  file.root.attribute("nothing", { type: FLOAT64, shape: null, values: null });
}

describe.each(Object.entries(OPTIONS))("%s", (_, options) => {
  test("our reader finds every value", async () => {
    const container = await openHdf5(createBytesSource(await written(allKinds, options)));
    for (const [name, type, shape, , expected] of KINDS) {
      for (const path of [name, `${name}_growing`]) {
        const array = await openArray(container, path);
        expect(array.type, path).toEqual(type);
        expect(array.shape, path).toEqual(shape);
        expect(flat(array.type, await array.read(0, rowsOf(array))), path).toEqual(expected);
      }
    }
    for (const [path, expected] of [
      ["scalar", [0.5]],
      ["scalar_text", ["only"]],
    ] as const) {
      const array = await openArray(container, path);
      expect(array.shape).toEqual([]);
      expect(flat(array.type, await array.read(0, 1))).toEqual(expected);
    }
    expect((await openArray(container, "nothing")).shape).toBeNull();
    expect(Object.fromEntries(container.root.attributes)).toEqual({ scalar: 0.5, scalar_text: "only", nothing: null });
    await container.close();
  });

  test("libhdf5 finds the same", async () => {
    const bytes = await written(allKinds, options);
    const { equal, skipped, different } = await crossCheck(createBytesSource(bytes), bytes);
    expect(different).toEqual([]);
    expect(skipped).toEqual([]);
    expect(equal).toMatchObject({
      arrays: 2 * KINDS.length + 3,
      groups: KINDS.length + 1,
      attributes: KINDS.length + 3,
    });
  });
});

describe("attributes", () => {
  const fields: WrittenAttribute = {
    type: { kind: "sequence", item: fixedText(1, "nullterm") },
    shape: [3],
    values: { kind: "sequence", offsets: Int32Array.of(0, 3, 3, 5), values: text(..."abcde") },
  };

  test("sequences of variable length, in attributes and arrays", async () => {
    const bytes = await written(async (file) => {
      file.root.attribute("MATLAB_fields", fields);
      const { type, values } = fields;
      await put(file, "sequences", { type, shape: [3] }, values ?? int32());
    });
    const container = await openHdf5(createBytesSource(bytes));
    expect(container.root.attributes.get("MATLAB_fields")).toEqual([["a", "b", "c"], [], ["d", "e"]]);
    await container.close();
  });

  test.each([65_448, 65_456, 65_464, 65_472, 65_480, 65_520, 65_528, 65_536, 200_000])(
    "one of %d bytes, with others beside it, is found on groups and arrays",
    async (size) => {
      const values = Uint8Array.from({ length: size }, (_, i) => i % 251);
      const attributes = new Map<string, WrittenAttribute>([
        ["big", { type: int(8, false), shape: [size], values: fixed(values) }],
        ["name", scalar(TEXT, text("beside it"))],
        ["größe", scalar(INT32, int32(7))],
      ]);
      const bytes = await written(async (file) => {
        await file.root.group("group", attributes);
        await put(file, "array", { type: INT32, shape: [], attributes }, int32(1));
        // Their headers are in a place of their own.
        await file.root.group("reserved", attributes);
        expect(file.reference("reserved")).toBeTypeOf("bigint");
      });
      const container = await openHdf5(createBytesSource(bytes));
      for (const path of ["group", "array", "reserved"]) {
        const { attributes: found } = await openPath(container, path);
        expect(plain(found.get("big") ?? null), path).toEqual([...values]);
        expect([found.get("name"), found.get("größe")]).toEqual(["beside it", 7]);
      }
      await container.close();
      expect(await crossCheck(createBytesSource(bytes), bytes)).toMatchObject({ different: [], skipped: [] });
    },
  );

  test("names in the order of their hashes, many of them in dense storage", async () => {
    const bytes = await written(async ({ root }) => {
      root.attribute("big", { type: int(8), shape: [70_000], values: fixed(new Int8Array(70_000)) });
      for (let i = 0; i < 2000; i++) root.attribute(`a${i}`, scalar(INT32, int32(i)));
    });
    const { different, equal } = await crossCheck(createBytesSource(bytes), bytes);
    expect(different).toEqual([]);
    expect(equal.attributes).toBe(2001);
  });
});

test("references lead to what is written before, after and around them", async () => {
  const REFERENCE: StoredType = { kind: "reference" };
  const bytes = await written(async (file) => {
    const cell = await file.root.array("cell", { type: REFERENCE, shape: [3] });
    const inner = await file.root.group("inner");
    await put(file, "before", { type: INT32, shape: [1] }, int32(1));
    const targets = ["before", "inner", "cell"].map((path) => file.reference(path));
    inner.attribute("back", scalar(REFERENCE, fixed(BigUint64Array.of(file.reference("cell")))));
    inner.attribute("root", scalar(REFERENCE, fixed(BigUint64Array.of(file.reference("")))));
    const leaf = await inner.array("leaf", { type: INT32, shape: [1] });
    await leaf.write(int32(5), 1);
    await leaf.close();
    await cell.write(fixed(BigUint64Array.from(targets)), 3);
    await cell.close();
  });
  const container = await openHdf5(createBytesSource(bytes));
  const cell = await openArray(container, "cell");
  const found = await cell.read(0, 3);
  const values = found.kind === "fixed" ? found.values : [];
  const paths = [];
  for (const address of values) {
    const reference = new Uint8Array(BigUint64Array.of(BigInt(address)).buffer);
    paths.push((await container.dereference({ kind: "reference", bytes: reference })).path);
  }
  expect(paths).toEqual(["before", "inner", "cell"]);
  expect(await crossCheck(createBytesSource(bytes), bytes)).toMatchObject({ different: [], skipped: [] });
  await container.close();
});
