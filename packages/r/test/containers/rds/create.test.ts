import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GroupWriter, WrittenAttribute } from "../../../../../src/containers/tree/container-writer.js";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import { createBytesTarget } from "../../../../../src/io/targets/memory.js";
import { type NumberArray, type StoredType, viewAsBytes } from "../../../../../src/model/stored.js";
import { openRds } from "../../../src/containers/rds/container.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { createRds } from "../../../src/containers/rds/write/container.js";
import { plain } from "./plain.js";

async function written(fill: (root: GroupWriter) => Promise<unknown>, compression: "gzip" | "none" = "none") {
  const target = createBytesTarget("out.rds");
  const writer = createRds(target, { compression });
  await fill(writer.root);
  await writer.close();
  await target.commit();
  return target.bytes();
}

async function addNumbers(group: GroupWriter, name: string, type: StoredType, values: NumberArray, parts = 1) {
  const array = await group.array(name, { type, shape: [parts > 1 ? null : values.length] });
  for (let part = 0; part < parts; part++) {
    const [start, end] = [part, part + 1].map((at) => Math.floor((at * values.length) / parts));
    await array.write({ kind: "fixed", values: values.slice(start, end) }, end - start);
  }
  await array.close();
}

const text = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
function texts(...all: string[]) {
  const parts = all.map((one) => new TextEncoder().encode(one));
  const offsets = Int32Array.from([0, ...parts.map((_, i) => parts.slice(0, i + 1).reduce((a, b) => a + b.length, 0))]);
  return { kind: "variable", offsets, bytes: Uint8Array.from(parts.flatMap((part) => [...part])) } as const;
}
const said = (...all: string[]): WrittenAttribute => ({
  type: text,
  shape: all.length === 1 ? [] : [all.length],
  values: texts(...all),
});
const count = (value: number): WrittenAttribute => ({
  type: { kind: "int", bits: 32, signed: true },
  shape: [],
  values: { kind: "fixed", values: Int32Array.of(value) },
});

const numbers = fc.oneof(
  fc.uint32Array().map((values) => ({ type: { kind: "int", bits: 32, signed: false } as const, values })),
  fc.int32Array().map((values) => ({ type: { kind: "int", bits: 32, signed: true } as const, values })),
  fc.float32Array().map((values) => ({ type: { kind: "float", bits: 32 } as const, values })),
  fc.float64Array().map((values) => ({ type: { kind: "float", bits: 64 } as const, values })),
);

describe("arrays become vectors", () => {
  test("numbers keep their bits", async () => {
    await fc.assert(
      fc.asyncProperty(numbers, fc.integer({ min: 1, max: 4 }), async ({ type, values }, parts) => {
        const bytes = await written((root) => addNumbers(root, "x", type, values, parts), "gzip");
        const array = await (await openRds(createBytesSource(bytes))).root.open("x");
        if (array.kind !== "array") throw new TypeError("a group");
        const read = await array.read(0, values.length);
        expect(array.type.kind).toBe(type.bits === 64 ? "float" : "int");
        expect(read.kind === "fixed" ? [...viewAsBytes(read.values)] : []).toEqual([...viewAsBytes(values)]);
      }),
    );
  });

  test("others are as R has them", async () => {
    const bytes = await written(async (root) => {
      await addNumbers(root, "counts", { kind: "int", bits: 64, signed: false }, BigUint64Array.of(0n, 2n ** 53n));
      await addNumbers(root, "differences", { kind: "int", bits: 64, signed: true }, BigInt64Array.of(-(2n ** 53n)));
      await addNumbers(root, "small", { kind: "int", bits: 16, signed: true }, Int16Array.of(-3, 3));
      await addNumbers(root, "is", { kind: "bool" }, Uint8Array.of(1, 0));
      const names = await root.array("names", { type: text, shape: [null] });
      await names.write(texts("a", ""), 2);
      await names.write(texts("é"), 1);
      await names.close();
      const none = await root.array("none", { type: { kind: "bool" }, shape: null });
      await none.close();
      const one = await root.array("one", { type: { kind: "float", bits: 64 }, shape: [] });
      await one.write({ kind: "fixed", values: Float64Array.of(0.5) }, 1);
      await one.close();
    });
    expect(plain(await readRds(bytes))).toMatchObject({
      list: [
        { real: [0, 2 ** 53] },
        { real: [-(2 ** 53)] },
        { integer: [-3, 3] },
        { logical: [1, 0] },
        { character: ["a", "", "é"] },
        null,
        { real: [0.5] },
      ],
      attributes: { names: { character: ["counts", "differences", "small", "is", "names", "none", "one"] } },
    });
  });

  test("what R cannot hold is refused", async () => {
    const add = (values: BigUint64Array) => (root: GroupWriter) =>
      addNumbers(root, "x", { kind: "int", bits: 64, signed: false }, values);
    await expect(written(add(BigUint64Array.of(1n, 2n ** 53n + 1n)))).rejects.toThrow("x: value 1, 9007199254740993,");
    await expect(written(add(BigUint64Array.of(2n ** 64n - 1n)))).rejects.toThrow("beyond 2^53");
    await written(async (root) => {
      await expect(root.array("x", { type: { kind: "float", bits: 16 }, shape: [1] })).rejects.toThrow("float values");
      await expect(root.array("x", { type: { kind: "bool" }, shape: [1, 2] })).rejects.toThrow("2 dimensions");
      await expect(root.array("", { type: { kind: "bool" }, shape: [1] })).rejects.toThrow("without a name");
      const array = await root.array("y", { type: text, shape: [1] });
      await expect(root.group("y")).rejects.toThrow("out.rds: y: there is a slot or element of that name already");
      await expect(array.write(texts("a\0"), 1)).rejects.toThrow("y: a text with a NUL");
      await array.write(texts("a"), 1);
      await expect(array.write(texts("b"), 1)).rejects.toThrow("2 rows in an array of 1");
      await array.close();
    });
  });
});

describe("groups become objects and lists", () => {
  test("an S4 object in a list, its slots in order, and a list without names", async () => {
    const bytes = await written(async (root) => {
      const object = await root.group("first", new Map([["class", said("Some")]]));
      object.attribute("package", said("Pack"));
      object.attribute("slots", said("b", "a"));
      const a = await object.group("a", new Map([["length", count(3)]]));
      await addNumbers(a, "2", { kind: "bool" }, Uint8Array.of(1));
      await addNumbers(object, "b", { kind: "bool" }, Uint8Array.of(0));
      await root.group("second");
    });
    const value = await readRds(bytes);
    expect(plain(value)).toEqual({
      list: [
        { s4: "Some", package: "Pack", slots: { b: { logical: [0] }, a: { list: [null, { logical: [1] }, null] } } },
        { list: [], attributes: { names: { character: [] } } },
      ],
      attributes: { names: { character: ["first", "second"] } },
    });
    const [first] = value.kind === "list" ? value.values : [];
    expect(first?.kind === "s4" ? [...first.slots.keys()] : []).toEqual(["b", "a"]);
  });

  test("what is missing, or too much, is a mistake of the caller", async () => {
    const object = (...slots: string[]) => [
      ["class", said("Some")] as const,
      ["slots", { ...said(...slots), shape: [slots.length] }] as const,
    ];
    const fill = (names: string[], attributes: (readonly [string, WrittenAttribute])[]) =>
      written(async (root) => {
        for (const [name, value] of attributes) root.attribute(name, value);
        for (const name of names) await addNumbers(root, name, { kind: "bool" }, Uint8Array.of(1));
      });
    await expect(fill(["a"], object("a", "b"))).rejects.toThrow("out.rds: the slot b of Some is not written");
    await expect(fill(["a", "c"], object("a"))).rejects.toThrow("out.rds: Some has no slot c");
    await expect(fill(["3"], [["length", count(2)]])).rejects.toThrow("a list of 2 has no element 3");
    await expect(fill([], [["other", count(2)]])).rejects.toThrow("an attribute other");
    await expect(fill([], [["class", count(2)]])).rejects.toThrow("the attribute class is no text");
    await expect(fill([], [["length", said("2")]])).rejects.toThrow("the attribute length is not one count");
  });

  test("an open array, and a writer that is closed", async () => {
    const open = written((root) => root.array("x", { type: text, shape: [1] }));
    await expect(open).rejects.toThrow("x is not closed");
    const writer = createRds(createBytesTarget("out.rds"));
    await writer.close();
    await expect(writer.close()).rejects.toThrow("out.rds is closed");
    expect(() => writer.root.attribute("class", said("a"))).toThrow("out.rds is closed");
  });
});
