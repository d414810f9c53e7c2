/** What MATLAB files have and others do not: rows of one value after the other, blocks of three dimensions, named parts. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Container, StoredArray } from "../../../../src/containers/tree/container.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import type { StoredType } from "../../../../src/model/stored.js";
import { crossCheck } from "../cross-check.js";
import { FLOAT64, fixed, float64, GZIP, INT32, int32, NO_COMPRESSION, reopened, text, written } from "./written.js";

async function arrayOf({ root }: Container, name: string): Promise<StoredArray> {
  const node = await root.open(name);
  if (node.kind !== "array") throw new Error(`${name} is a group`);
  return node;
}

describe("one more dimension before all others", () => {
  test.each([
    ["as it is", NO_COMPRESSION, [3]],
    ["compressed", GZIP, [70_000]],
    ["of a length that the end tells", GZIP, [null]],
  ] as const)("%s", async (_, compression, shape) => {
    const length = shape[0] ?? 70_001;
    const values = Int32Array.from({ length }, (_, i) => i % 1000);
    const write = async (file: Parameters<Parameters<typeof written>[0]>[0]) => {
      const array = await file.root.array("x", { type: INT32, shape, leadingOne: true });
      for (let at = 0; at < length; at += 30_001) {
        const part = values.slice(at, at + 30_001);
        await array.write(fixed(part), part.length);
      }
      await array.close();
    };
    const array = await arrayOf(await reopened(write, { compression }), "x");
    expect(array.shape).toEqual([1, length]);
    const read = await array.read(0, 1);
    expect(read.kind === "fixed" && read.values).toEqual(values);
    const bytes = await written(write, { compression });
    expect((await crossCheck(createBytesSource(bytes), bytes)).different).toEqual([]);
  });

  test("a scalar has none", async () => {
    await written(async ({ root }) => {
      await expect(root.array("x", { type: INT32, shape: [], leadingOne: true })).rejects.toThrow(/lie in a row/);
    });
  });
});

test("arrays of three dimensions are appended along the last, whatever shape and chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        shape: fc.tuple(
          fc.integer({ min: 1, max: 7 }),
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 1, max: 20 }),
        ),
        first: fc.integer({ min: 1, max: 4 }),
        width: fc.integer({ min: 1, max: 6 }),
        gzip: fc.boolean(),
      }),
      async ({ shape, first, width, gzip }) => {
        const [a, b, c] = shape;
        const at = (i: number, j: number, k: number) => i * 10_000 + j * 100 + k;
        const file = await reopened(
          async ({ root }) => {
            const array = await root.array("x", { type: INT32, shape, along: 2, chunks: [first, b, width] });
            for (let from = 0; from < c; from += width) {
              const count = Math.min(width, c - from);
              const block = Int32Array.from({ length: a * b * count }, (_, n) =>
                at(Math.floor(n / count / b), Math.floor(n / count) % b, from + (n % count)),
              );
              await array.write(fixed(block), count);
            }
            await array.close();
          },
          { compression: gzip ? GZIP : NO_COMPRESSION },
        );
        const read = await (await arrayOf(file, "x")).read(0, a);
        const expected = Int32Array.from({ length: a * b * c }, (_, n) =>
          at(Math.floor(n / c / b), Math.floor(n / c) % b, n % c),
        );
        expect(read.kind === "fixed" && read.values).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test("chunks that cut a dimension in between are refused", async () => {
  await written(async ({ root }) => {
    const description = { type: INT32, shape: [2, 4, 6], along: 2, chunks: [1, 2, 3] } as const;
    await expect(root.array("x", description)).rejects.toThrow(/chunks of shape \[1,2,3\] for values/);
  });
});

test("complex numbers may call their parts real and imag", async () => {
  const type: StoredType = { kind: "complex", bits: 128, parts: ["real", "imag"] };
  const file = await reopened(async ({ root }) => {
    const array = await root.array("z", { type, shape: [2] });
    await array.write(float64(1, 2, 3, Number.NaN), 2);
    await array.close();
  });
  const array = await arrayOf(file, "z");
  expect(array.type).toEqual({
    kind: "record",
    fields: [
      { name: "real", type: FLOAT64, shape: [] },
      { name: "imag", type: FLOAT64, shape: [] },
    ],
  });
  const read = await array.read(0, 2);
  expect(read.kind === "record" && read.fields).toEqual([float64(1, 3), float64(2, Number.NaN)]);
});

test("names as sequences of single characters, and references to what is complete and what is not", async () => {
  const letter = { form: "fixed", encoding: "ascii", width: 1, padding: "nullterm" } as const;
  const type = { kind: "sequence", item: { kind: "text", storage: letter } } as const;
  const file = await reopened(async (writer) => {
    const { root } = writer;
    const refs = await root.group("#refs#");
    const first = await refs.array("a", { type: INT32, shape: [1] });
    const early = writer.reference("#refs#/a");
    await first.write(int32(7), 1);
    await first.close();
    expect(writer.reference("#refs#/a")).toBe(early);
    const second = await refs.array("b", { type: INT32, shape: [1] });
    await second.write(int32(8), 1);
    await second.close();
    const cell = await root.array("c", { type: { kind: "reference" }, shape: [2, 1] });
    await cell.write(fixed(BigUint64Array.of(early, writer.reference("#refs#/b"))), 2);
    await cell.close();
    const values = { kind: "sequence", offsets: Int32Array.of(0, 2, 3), values: text("a", "b", "c") } as const;
    root.attribute("MATLAB_fields", { type, shape: [2], values });
  });
  expect(file.root.attributes.get("MATLAB_fields")).toEqual([["a", "b"], ["c"]]);
  const read = await (await arrayOf(file, "c")).read(0, 2);
  if (read.kind !== "fixed" || !(read.values instanceof BigUint64Array)) throw new Error("references expected");
  const found: unknown[] = [];
  for (const address of read.values) {
    const bytes = new Uint8Array(BigUint64Array.of(address).buffer);
    const node = await file.dereference({ kind: "reference", bytes });
    found.push(node.kind === "array" ? (await node.read(0, 1)).kind === "fixed" && node.path : null);
  }
  expect(found.length).toBe(2);
  expect(found.every((path) => typeof path === "string")).toBe(true);
});
