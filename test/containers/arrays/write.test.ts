import { describe, expect, test } from "vitest";
import { createArrays } from "../../../src/containers/arrays/write/container.js";
import type { GroupWriter } from "../../../src/containers/tree/container-writer.js";
import { mapTarget } from "../../../src/io/targets/memory.js";
import type { NumberArray, StoredType, StoredValues } from "../../../src/model/stored.js";

const TEXT = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
const UINT32 = { kind: "int", bits: 32, signed: false } as const;

function texts(...all: string[]): StoredValues {
  const parts = all.map((one) => Buffer.from(one));
  const offsets = new Int32Array(parts.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  return { kind: "variable", offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}

const fixed = (values: NumberArray): StoredValues => ({ kind: "fixed", values });
const version = (text: string) => ({ type: TEXT, shape: [], values: texts(text) });

async function written(fill: (root: GroupWriter) => Promise<void>): Promise<Record<string, string>> {
  const files = new Map<string, Uint8Array>();
  const target = mapTarget(files);
  const container = createArrays(target);
  expect(container).toMatchObject({ kind: "directory", name: "map", root: { path: "" } });
  container.root.attribute("version", version("something-v2"));
  await fill(container.root);
  await container.close();
  await target.commit();
  return Object.fromEntries([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString("latin1")]));
}

async function array(root: GroupWriter, name: string, type: StoredType, values: StoredValues, rows: number) {
  const writer = await root.array(name, { type, shape: [rows] });
  await writer.write(values, rows);
  await writer.close();
}

test("numbers have a header, texts a line each, the version comes last", async () => {
  const files = await written(async (root) => {
    await array(root, "a", UINT32, fixed(Uint32Array.of(1, 2 ** 32 - 1)), 2);
    await array(root, "b", { kind: "int", bits: 64, signed: false }, fixed(BigUint64Array.of(258n)), 1);
    await array(root, "c", { kind: "float", bits: 32 }, fixed(Float32Array.of(-2)), 1);
    await array(root, "d", { kind: "float", bits: 64 }, fixed(Float64Array.of(-2)), 1);
    await array(root, "none", UINT32, fixed(new Uint32Array(0)), 0);
    await array(root, "row_names", TEXT, texts("é", "", "b\rc"), 3);
    await array(root, "col_names", TEXT, texts(), 0);
  });
  expect(files).toEqual({
    a: "UINT32v1\x01\0\0\0\xff\xff\xff\xff",
    b: "UINT64v1\x02\x01\0\0\0\0\0\0",
    c: "FLOATSv1\0\0\0\xc0",
    d: "DOUBLEv1\0\0\0\0\0\0\0\xc0",
    none: "UINT32v1",
    row_names: "\xc3\xa9\n\nb\rc\n",
    col_names: "",
    version: "something-v2\n",
  });
  expect(Object.keys(files).at(-1)).toBe("version");
});

test("rows come in parts, in as many as announced or as many as there are", async () => {
  const files = await written(async (root) => {
    const known = await root.array("known", { type: UINT32, shape: [3] });
    const open = await root.array("open", { type: TEXT, shape: [null] });
    await known.write(fixed(Uint32Array.of(1)), 1);
    await open.write(texts("x"), 1);
    await expect(known.close()).rejects.toThrow("known: 1 rows of an array of 3");
    await known.write(fixed(Uint32Array.of(2, 3)), 2);
    await expect(known.write(fixed(Uint32Array.of(4)), 1)).rejects.toThrow("known: 4 rows in an array of 3");
    await open.write(texts("y", "z"), 2);
    await open.close();
    await expect(open.write(texts("y"), 1)).rejects.toThrow("open is closed");
    await expect(root.array("known", { type: UINT32, shape: [1] })).rejects.toThrow("known: there is such an array");
  }).catch((error: unknown) => error);
  expect(files).toMatchObject({ message: "map: known is not closed" });
});

describe("what a file cannot hold is refused", () => {
  test.each([
    ["a\nb", /text 1, "a\\nb", has a newline/],
    ["a\0", /has a NUL/],
    ["a\r", /has a carriage return at its end/],
  ])("%j", async (text, message) => {
    await written(async (root) => {
      await expect(array(root, "row_names", TEXT, texts("ok", text), 2)).rejects.toThrow(message);
    }).catch(() => undefined);
    const container = createArrays(mapTarget(new Map()));
    expect(() => container.root.attribute("version", version(text))).toThrow(/a file of lines cannot hold/);
  });

  test.each<[string, StoredType, readonly [number, ...number[]] | readonly [] | null, RegExp]>([
    ["a", { kind: "int", bits: 32, signed: true }, [1], /map: a: int32 values; files hold uint32/],
    ["a", { kind: "int", bits: 8, signed: false }, [1], /uint8/],
    ["a", { kind: "bool" }, [1], /bool/],
    ["a", { kind: "float", bits: 16 }, [1], /float values/],
    ["a", UINT32, [1, 2], /an array of shape \[1,2\]/],
    ["a", UINT32, [], /an array of shape \[\]/],
    ["a", UINT32, null, /an array of shape null/],
    ["a/b", UINT32, [1], /slash/],
    ["version", UINT32, [1], /there is such an array/],
    ["..", UINT32, [1], /not a path inside the store/],
  ])("%s of %j, %j", async (name, type, shape, message) => {
    const { root } = createArrays(mapTarget(new Map()));
    await expect(root.array(name, { type, shape })).rejects.toThrow(message);
  });

  test("groups, attributes, and a store without a version", async () => {
    const container = createArrays(mapTarget(new Map()));
    const { root } = container;
    await expect(root.group("rna")).rejects.toThrow("rna: a directory of arrays has no groups");
    expect(() => root.attribute("other", version("a"))).toThrow(/has no attribute other/);
    const attributes = new Map([["a", version("b")]]);
    await expect(root.array("a", { type: UINT32, shape: [1], attributes })).rejects.toThrow(/no attributes/);
    await expect(container.close()).rejects.toThrow("there is no version");
  });

  test("values of another type", async () => {
    const { root } = createArrays(mapTarget(new Map()));
    const numbers = await root.array("a", { type: UINT32, shape: [null] });
    await expect(numbers.write(fixed(Int32Array.of(1)), 1)).rejects.toThrow("a: these are not 1 values of its type");
    await expect(numbers.write(fixed(Uint32Array.of(1)), 2)).rejects.toThrow("not 2 values");
    const lines = await root.array("b", { type: TEXT, shape: [null] });
    await expect(lines.write(texts("a"), 2)).rejects.toThrow("b: these are not 2 texts");
  });
});
