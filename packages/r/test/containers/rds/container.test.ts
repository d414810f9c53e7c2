import { describe, expect, test } from "vitest";
import { openContainer } from "../../../../../src/containers/open/open-container.js";
import type { Group, Node } from "../../../../../src/containers/tree/container.js";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import { openRds } from "../../../src/containers/rds/container.js";
import { isRds } from "../../../src/containers/rds/input/signature.js";
import { R_NULL } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";
import { fixture } from "./plain.js";

async function rootOf(name: string): Promise<Group> {
  return (await openRds(createBytesSource(fixture(name)))).root;
}

/** The values of an array: texts, or numbers. */
async function values(node: Node): Promise<unknown[]> {
  if (node.kind !== "array") throw new TypeError(`${node.path} is a group`);
  const count = node.shape?.[0] ?? 0;
  const read = await node.read(0, count);
  if (read.kind === "fixed") return [...read.values];
  if (read.kind !== "variable") throw new TypeError("records");
  const { offsets, bytes } = read;
  return Array.from({ length: count }, (_, i) => new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])));
}

describe("vectors are arrays", () => {
  test("of R's own types", async () => {
    const root = await rootOf("atomic");
    expect(await root.keys()).toEqual(["logical", "integer", "real", "complex", "raw", "character", "null", "list"]);
    const [logical, integer, real] = [await root.open("logical"), await root.open("integer"), await root.open("real")];
    expect(logical).toMatchObject({ type: { kind: "enum", members: [{}, {}, { name: "NA", value: -(2 ** 31) }] } });
    expect(await values(logical)).toEqual([1, 0, -(2 ** 31)]);
    expect(integer).toMatchObject({ path: "integer", type: { kind: "int", bits: 32, signed: true }, shape: [3] });
    expect(await values(integer)).toEqual([1, -(2 ** 31), -2147483647]);
    expect(await values(real)).toEqual([1.5, Number.NaN, Number.NaN, Infinity, -Infinity, -0, 0.1, 1e-310]);
    expect(await root.open("complex")).toMatchObject({ type: { kind: "complex", bits: 128 }, shape: [2] });
    expect(await values(await root.open("raw"))).toEqual([0, 1, 254, 255]);
    expect(await root.open("null")).toMatchObject({ kind: "array", shape: null });
  });

  test("text in UTF-8, whatever it was in, but for what is opaque", async () => {
    const text = await (await rootOf("atomic")).open("character");
    expect(await values(text)).toEqual(['a b\n"\\', "NA", "", "hé", "café", "\ufffd\ufffd"]);
    if (text.kind !== "array") throw new TypeError("a group");
    expect(await text.read(2, 4)).toMatchObject({ offsets: Int32Array.of(0, 0, 3) });
    await expect(text.read(0, 7)).rejects.toThrow("values 0 to 7 of 6");
  });

  test("some of their values, into memory of the caller", async () => {
    const integer = await (await rootOf("atomic")).open("integer");
    if (integer.kind !== "array") throw new TypeError("a group");
    const target = new Int32Array(2);
    await integer.readInto?.(1, 3, new Uint8Array(target.buffer));
    expect([...target]).toEqual([-(2 ** 31), -2147483647]);
    const read = await integer.read(0, 3);
    if (read.kind === "fixed" && read.values instanceof Int32Array) read.values.fill(7);
    expect(await values(integer)).toEqual([1, -(2 ** 31), -2147483647]);
  });
});

describe("lists and S4 objects are groups", () => {
  test("elements without names are called by their positions, slots by their names", async () => {
    const root = await rootOf("s4");
    expect(await root.keys()).toEqual(["1", "2"]);
    const object = await root.open("1");
    expect(object).toMatchObject({ kind: "group", path: "1" });
    expect(object.attributes.get("class")).toBe("Slots");
    expect(object.attributes.get("package")).toBe(".GlobalEnv");
    if (object.kind !== "group") throw new TypeError("an array");
    expect(await object.keys()).toEqual(["name", "nothing", "other", "values"]);
    expect(await values(await object.open("values"))).toEqual([1, 2]);
    expect(await object.open("nothing")).toMatchObject({ shape: null, path: "1/nothing" });
    await expect(object.open("more")).rejects.toThrow("1/more: no such slot or element");
  });

  test("what has an S4 class and a vector is an array with attributes", async () => {
    const object = await (await rootOf("s4")).open("1");
    if (object.kind !== "group") throw new TypeError("an array");
    const other = await object.open("other");
    if (other.kind !== "group") throw new TypeError("an array");
    const derived = await other.open("1");
    expect(await values(derived)).toEqual([0.5, 1, 1.5]);
    expect(derived.attributes.get("unit")).toBe("m");
  });

  test("attributes, as far as they are short", async () => {
    const root = await rootOf("attributes");
    expect((await root.open("matrix")).attributes.get("dim")).toEqual([2, 2]);
    expect((await root.open("factor")).attributes.get("levels")).toEqual(["a", "b"]);
    expect((await root.open("frame")).attributes.get("class")).toBe("data.frame");
  });

  test("a name that stands twice, and none", async () => {
    const element = (value: number) =>
      ({ kind: "integer", values: Int32Array.of(value), attributes: new Map() }) as const;
    const named = async (...names: (string | null)[]) => {
      const { encodeStrings } = await import("../../../src/containers/rds/model/text.js");
      const text = { kind: "character", text: encodeStrings(names), attributes: new Map() } as const;
      const list = names.map((_, i) => element(i));
      const bytes = await encodeRds({ kind: "list", values: list, attributes: new Map([["names", text]]) });
      return (await openRds(createBytesSource(bytes))).root;
    };
    const root = await named("a", "a", "", null);
    expect(await root.keys()).toEqual(["a", "2", "3", "NA"]);
    expect(root.elementNames).toEqual(["a", "a", "", "NA"]);
    expect(await values(await root.open("2"))).toEqual([1]);
    expect(await (await named("2", "", "2_1")).keys()).toEqual(["2", "2_2", "2_1"]);
  });

  test("other values are named when they are opened", async () => {
    const root = await rootOf("environments");
    await expect(root.open("1")).rejects.toThrow("1: an R value of the kind environment");
  });

  test("a value alone is a group without children, and the container has it", async () => {
    const container = await openRds(createBytesSource(fixture("external-pointer")));
    expect(await container.root.keys()).toEqual([]);
    expect(container.valueOf(container.root.id)).toMatchObject({ kind: "external pointer" });
  });
});

describe("a file is known by its first bytes", () => {
  test.each([
    "atomic",
    "atomic-gzip",
    "atomic-bzip2",
    "atomic-xz",
    "atomic-ascii",
    "atomic-little-endian",
    "atomic-version-2",
  ])("%s", async (name) => {
    const container = await openContainer(createBytesSource(fixture(name)));
    expect(container.kind).toBe("rds");
    await container.close();
  });

  test.each([
    ["nothing", []],
    ["one byte", [0x58]],
    ["text", [..."X\tY\n1\t2\n"].map((char) => char.charCodeAt(0))],
    ["HDF5", [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["the head of gzip alone", [0x1f, 0x8b]],
    ["zstd", [0x28, 0xb5, 0x2f, 0xfd, 0, 0]],
  ])("%s is none", async (_, bytes) => {
    expect(await isRds(createBytesSource(Uint8Array.from(bytes)))).toBe(false);
  });

  test("nor is gzip of something else", async () => {
    const lines = new Blob(["chr1\t1\t2\tcell\n".repeat(1000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(lines).arrayBuffer());
    expect(await isRds(createBytesSource(bytes))).toBe(false);
    expect(await isRds(createBytesSource(fixture("atomic-gzip").subarray(0, 12)))).toBe(false);
  });
});

test("vectors that deflate made of next to nothing", async () => {
  const zeros = await encodeRds({ kind: "raw", values: new Uint8Array(2 ** 22), attributes: new Map() });
  expect(zeros.length).toBeLessThan(2 ** 13);
  await expect(readRds(zeros, { maxVectorBytes: 2 ** 22 })).resolves.toMatchObject({ kind: "raw" });
  await expect(readRds(zeros, { maxVectorBytes: 2 ** 22 - 1 })).rejects.toThrow("4194303 are allowed (maxVectorBytes)");
});

test("more values than any real object has", async () => {
  const many = await encodeRds({ kind: "list", values: Array(2 ** 20).fill(R_NULL), attributes: new Map() });
  await expect(openRds(createBytesSource(many))).rejects.toThrow("more than 1048576 R values");
});
