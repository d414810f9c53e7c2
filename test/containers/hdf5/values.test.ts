import { describe, expect, test } from "vitest";
import { expected, flat, flatInSteps, openArray, openFixture, openPath, plain, rowsOf } from "./fixture.js";

const UNSUPPORTED = new Set(["float128"]);

describe.each([
  "types",
  "layouts",
  "newest",
  "userblock",
  "attributes",
  "groups",
  "newer_groups",
  "small_fields",
  "lzf",
  "n_bit",
  "scale_offset",
])("%s.h5", (name) => {
  describe.each(["in memory", "in place"] as const)("opened %s", (way) => {
    test("gives the attributes that h5py gives", async () => {
      const container = await openFixture(name, way);
      for (const [path, { attributes }] of expected(name)) {
        if (path === "named_type") continue;
        const node = await openPath(container, path);
        expect(Object.fromEntries([...node.attributes].map(([k, v]) => [k, plain(v)])), path).toEqual(attributes);
      }
      await container.close();
    });

    test("gives the shapes and values that h5py gives, whole and in parts", async () => {
      const container = await openFixture(name, way);
      let arrays = 0;
      for (const [path, { shape, values }] of expected(name)) {
        if (shape === undefined) continue;
        arrays++;
        const array = await openArray(container, path);
        expect(array.shape, path).toEqual(shape);
        if (values === undefined || values === null) continue;
        expect(flat(array.type, await array.read(0, rowsOf(array))), path).toEqual(values);
        if (array.type.kind !== "record") {
          for (const step of [1, 7]) expect(await flatInSteps(array, step), `${path} by ${step}`).toEqual(values);
        }
      }
      // Its arrays are only there for their attributes.
      if (name === "attributes") expect(arrays).toBe(0);
      else expect(arrays).toBeGreaterThan(1);
      await container.close();
    });
  });
});

describe("types", () => {
  const int = (bits: number, signed: boolean) => ({ kind: "int", bits, signed });
  const variable = (encoding: string) => ({ kind: "text", storage: { form: "variable", encoding } });
  const fixed = (width: number, padding: string, encoding = "utf-8") => ({
    kind: "text",
    storage: { form: "fixed", encoding, width, padding },
  });

  test.each([
    ["<i1", int(8, true)],
    [">u2", int(16, false)],
    ["<u8", int(64, false)],
    ["i24_be", int(32, true)],
    ["u9_offset3", int(16, false)],
    ["bitfield", int(16, false)],
    [">f2", { kind: "float", bits: 16 }],
    ["<f8", { kind: "float", bits: 64 }],
    ["c8", { kind: "complex", bits: 64 }],
    ["c32", { kind: "complex", bits: 128 }],
    ["bool", { kind: "bool" }],
    ["opaque", { kind: "bytes", width: 3 }],
    ["text", variable("utf-8")],
    ["text_ascii", variable("ascii")],
    ["fixed_nullterm", fixed(6, "nullterm")],
    ["fixed_nullpad", fixed(6, "nullpad")],
    ["fixed_spacepad", fixed(6, "spacepad")],
    ["references", { kind: "reference" }],
    ["array_type", int(16, true)],
    ["committed", int(32, true)],
    ["float128", { kind: "unsupported", name: "float of 80 bits in 16 bytes (not IEEE)" }],
    ["sequences", { kind: "sequence", item: int(32, true) }],
  ])("%s", async (path, type) => {
    const container = await openFixture("types");
    expect((await openArray(container, path)).type).toEqual(type);
    await container.close();
  });

  test("enums keep their members, also beyond 2^53", async () => {
    const container = await openFixture("types");
    expect((await openArray(container, "enum_i2_be")).type).toEqual({
      kind: "enum",
      base: int(16, true),
      members: [
        { name: "high", value: 300 },
        { name: "low", value: -2 },
        { name: "one", value: 1 },
      ],
    });
    const big = (await openArray(container, "enum_i8")).type;
    expect(big.kind === "enum" && big.members[0]).toEqual({ name: "big", value: 2n ** 62n });
    await container.close();
  });

  test("records name their fields and the shapes of sub-arrays", async () => {
    const container = await openFixture("types");
    const { type } = await openArray(container, "record");
    expect(type.kind === "record" && type.fields.map(({ name, shape, type: t }) => [name, shape, t.kind])).toEqual([
      ["i", [], "int"],
      ["f", [], "float"],
      ["b", [], "bool"],
      ["s", [], "text"],
      ["sub", [2, 2], "int"],
      ["c", [], "complex"],
    ]);
    await container.close();
  });

  test("unsupported types fail on reading, with their name", async () => {
    const container = await openFixture("types");
    for (const path of UNSUPPORTED) {
      const array = await openArray(container, path);
      await expect(array.read(0, 1), path).rejects.toMatchObject({ tag: "UnsupportedError", element: path });
    }
    await container.close();
  });

  test("chunk shapes are known, with the dimensions of an array type", async () => {
    const container = await openFixture("layouts");
    expect((await openArray(container, "chunked_gzip")).chunks).toEqual([10, 4]);
    expect((await openArray(container, "contiguous")).chunks).toBeNull();
    await container.close();
  });

  test("rows outside the array are refused", async () => {
    const container = await openFixture("layouts");
    const array = await openArray(container, "contiguous");
    for (const [start, end] of [
      [-1, 2],
      [3, 2],
      [0, 38],
      [0.5, 1],
    ]) {
      await expect(array.read(start, end)).rejects.toMatchObject({ tag: "InvalidInputError" });
    }
    await container.close();
  });

  test("a signal stops a read", async () => {
    const container = await openFixture("layouts");
    const array = await openArray(container, "chunked_gzip");
    await expect(array.read(0, 37, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    await container.close();
  });

  test("reading changes nothing in the source's own memory", async () => {
    const container = await openFixture("types");
    const array = await openArray(container, ">i4");
    const first = flat(array.type, await array.read(0, 4));
    expect(flat(array.type, await array.read(0, 4))).toEqual(first);
    await container.close();
  });
});
