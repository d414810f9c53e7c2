import { describe, expect, test } from "vitest";
import { openArrays } from "../../../src/containers/arrays/open.js";
import { mapSource } from "../../../src/io/sources/map.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";

const text = (content: string) => new TextEncoder().encode(content);

function numbers(header: string, values: ArrayBufferView): Uint8Array {
  return Uint8Array.from([...text(header), ...new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]);
}

async function openFile(name: string, content: Uint8Array, change = (source: KeyValueSource) => source) {
  const files = new Map([
    ["version", text("something-v1\n")],
    [name, content],
  ]);
  const { root } = await openArrays(change(mapSource(files)));
  const array = await root.open(name);
  if (array.kind !== "array") throw new TypeError("an array is expected");
  return array;
}

describe("files of numbers", () => {
  test.each([
    ["UINT32v1", Uint32Array.of(1, 2 ** 32 - 1, 3), { kind: "int", bits: 32, signed: false }],
    ["UINT64v1", BigUint64Array.of(1n, 2n ** 64n - 1n), { kind: "int", bits: 64, signed: false }],
    ["FLOATSv1", Float32Array.of(-0, Number.NaN, 0.5), { kind: "float", bits: 32 }],
    ["DOUBLEv1", Float64Array.of(-0, Number.POSITIVE_INFINITY, 0.1), { kind: "float", bits: 64 }],
    ["UINT32v1", new Uint32Array(0), { kind: "int", bits: 32, signed: false }],
  ] as const)("%s", async (header, values, type) => {
    const array = await openFile("a", numbers(header, values));
    expect(array).toMatchObject({ type, shape: [values.length], path: "a" });
    expect(await array.read(0, values.length)).toEqual({ kind: "fixed", values });
    if (values.length > 1) expect(await array.read(1, 2)).toEqual({ kind: "fixed", values: values.slice(1, 2) });
    const target = new Uint8Array(values.byteLength + 1);
    await array.readInto?.(0, values.length, target.subarray(1));
    expect(target.slice(1)).toEqual(new Uint8Array(values.buffer));
  });

  test("from a source that does not tell sizes", async () => {
    const array = await openFile("a", numbers("UINT32v1", Uint32Array.of(7, 8)), ({ size: _, ...source }) => source);
    expect(array.shape).toEqual([2]);
  });

  test("a file that ends early while it is read", async () => {
    const files = new Map([
      ["version", text("v\n")],
      ["a", numbers("UINT32v1", Uint32Array.of(7, 8))],
    ]);
    const source = mapSource(files);
    const { root } = await openArrays({ ...source, size: async () => 8 + 4 * 100 });
    const array = await root.open("a");
    if (array.kind !== "array") throw new TypeError("an array is expected");
    await expect(array.read(0, 100)).rejects.toThrow(/8 bytes of 400 from byte 8/);
    await expect(array.read(0, 101)).rejects.toThrow(/values 0 to 101 of 100/);
  });
});

describe("files of lines", () => {
  test.each([
    ["a\nbc\n", ["a", "bc"]],
    ["a\r\nbc\r\n", ["a", "bc"]],
    ["a\nbc", ["a", "bc"]],
    ["", []],
    ["\n", [""]],
    ["\n\nx\n\n", ["", "", "x", ""]],
    ["a\r\r\n\rb\n", ["a\r", "\rb"]],
    ["UINT32v1\n", ["UINT32v1"]],
    ["ä\n😀\n", ["ä", "😀"]],
  ])("%j", async (content, lines) => {
    const array = await openFile("row_names", text(content));
    expect(array.shape).toEqual([lines.length]);
    for (let start = 0; start <= lines.length; start++) {
      const read = await array.read(start, lines.length);
      if (read.kind !== "variable") throw new TypeError("text is of variable length");
      const { offsets, bytes } = read;
      const found = Array.from({ length: lines.length - start }, (_, i) =>
        new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])),
      );
      expect(found).toEqual(lines.slice(start));
    }
  });
});

describe("the folder", () => {
  test("has its version as an attribute, and its files as children", async () => {
    const { root, kind } = await openArrays(mapSource(new Map([["version", text("x-v2\r\n")]])));
    expect(kind).toBe("directory");
    expect(root.attributes.get("version")).toBe("x-v2");
    expect(await root.keys()).toEqual(["version"]);
  });

  test.each(["", "..", ".", "a/b", "../version", "none"])("%j is no file of it", async (name) => {
    const { root } = await openArrays(mapSource(new Map([["version", text("x\n")]])));
    await expect(root.open(name)).rejects.toThrow(/no such file/);
  });

  test.each(["", "\n", "a\nb\n", `${"a".repeat(300)}\n`])("%j is no version", async (version) => {
    await expect(openArrays(mapSource(new Map([["version", text(version)]])))).rejects.toThrow(/not one line/);
  });
});
