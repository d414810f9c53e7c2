/** Datasets in reverse order of dimensions, against the values that they were written with. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";

const FILE = "test/fixtures/data/matlab/arrays.mat";

async function dataset(name: string): Promise<StoredArray> {
  const container = await openHdf5(createBytesSource(readFileSync(FILE)));
  const node = await container.root.open(name);
  if (node.kind !== "array") throw new Error("a group");
  return node;
}

async function valuesOf(array: StoredArray | undefined, start: number, end: number): Promise<number[]> {
  const read = await array?.read(start, end);
  if (read?.kind !== "fixed") throw new Error("no numbers");
  return Array.from(read.values, Number);
}

test("the user block of a file is there", async () => {
  const { userBlock } = await openHdf5(createBytesSource(readFileSync(FILE)));
  expect(new TextDecoder().decode(userBlock?.subarray(0, 10))).toBe("MATLAB 7.3");
  expect(userBlock?.length).toBe(512);
});

test("a chunked matrix is read in rows along its last dimension, and into memory of the caller", async () => {
  const array = (await dataset("chunked")).capabilities?.view?.({ form: "reversed", bool: false });
  expect(array?.shape).toEqual([70, 50]);
  expect(array?.chunks).toEqual([32, 16]);
  const expected = Array.from({ length: 3 * 50 }, (_, i) => 31 * 50 + i);
  expect(await valuesOf(array, 31, 34)).toEqual(expected);
  const target = new Uint8Array(4 * expected.length);
  await array?.readInto?.(31, 34, target);
  expect(Array.from(new Int32Array(target.buffer))).toEqual(expected);
});

test("a contiguous cube is read in pieces of its rows", async () => {
  const array = (await dataset("cube")).capabilities?.view?.({ form: "reversed", bool: false });
  expect(array?.shape).toEqual([2, 3, 4]);
  expect(await valuesOf(array, 0, 2)).toEqual(Array.from({ length: 24 }, (_, i) => i));
  expect(await valuesOf(array, 1, 2)).toEqual(Array.from({ length: 12 }, (_, i) => 12 + i));
});

test("a vector is one dimension, whichever it is stored in", async () => {
  const row = (await dataset("row")).capabilities?.view?.({ form: "flat", bool: false });
  const column = (await dataset("chunked_column")).capabilities?.view?.({ form: "flat", bool: false });
  expect([row?.shape, column?.shape, column?.chunks]).toEqual([[4], [300], [64]]);
  expect(await valuesOf(column, 60, 70)).toEqual([60, 61, 62, 63, 64, 65, 66, 67, 68, 69]);
  expect((await valuesOf(row, 0, 1))[0]).toBe(1);
});

test("a matrix is no vector, and floats are no booleans", async () => {
  const array = await dataset("matrix");
  expect(() => array.capabilities?.view?.({ form: "flat", bool: false })).toThrow("more than one dimension");
  expect(() => array.capabilities?.view?.({ form: "reversed", bool: true })).toThrow("no booleans");
  const odd = (await dataset("odd_logical")).capabilities?.view?.({ form: "flat", bool: true });
  expect(odd?.type).toEqual({ kind: "bool" });
});

test("a local file, read piece by piece, gives what whole rows do", async () => {
  const local = await openHdf5(await openFileSource(FILE));
  for (const name of ["cube", "matrix", "chunked", "row"]) {
    const node = await local.root.open(name);
    if (node.kind !== "array") throw new Error("a group");
    const [pieces, whole] = [node, await dataset(name)].map((one) =>
      one.capabilities?.view?.({ form: "reversed", bool: false }),
    );
    const rows = pieces?.shape?.[0] ?? 0;
    for (let start = 0; start < rows; start++) {
      for (const end of new Set([start + 1, Math.ceil((start + rows) / 2), rows])) {
        expect(await valuesOf(pieces, start, end)).toEqual(await valuesOf(whole, start, end));
      }
    }
  }
  await local.close();
});
