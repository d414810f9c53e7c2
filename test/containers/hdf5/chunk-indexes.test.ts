import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Group, StoredArray } from "../../../src/containers/tree/container.js";
import { viewAsBytes } from "../../../src/model/stored.js";
import { replacePlatform } from "../../platform.js";
import { openArray, openFixture, rowsOf } from "./fixture.js";

// All of this is our own code's business.
beforeAll(() => replacePlatform({ h5wasmOnFiles: () => Promise.reject(new Error("libhdf5 was asked for")) }));
afterAll(() => replacePlatform());

async function arrays(root: Group): Promise<StoredArray[]> {
  const found: StoredArray[] = [];
  for (const name of await root.keys()) {
    if (name === "named_type") continue;
    const node = await root.open(name);
    if (node.kind === "array") found.push(node);
  }
  return found;
}

async function open(name: string) {
  return openFixture(name, "in place");
}

async function valuesOf(array: StoredArray, start = 0, end = rowsOf(array)): Promise<number[]> {
  const values = await array.read(start, end);
  if (values.kind !== "fixed") throw new Error(values.kind);
  return Array.from<number | bigint, number>(values.values, Number);
}

/** `expected` whole, by steps of rows, and in the caller's memory, which held something else before. */
async function expectValues(array: StoredArray, expected: readonly number[], steps: readonly number[]): Promise<void> {
  expect(await valuesOf(array), array.path).toEqual(expected);
  const rows = rowsOf(array);
  const perRow = expected.length / rows;
  for (const step of steps) {
    const parts: number[] = [];
    for (let row = 0; row < rows; row += step) {
      const end = Math.min(rows, row + step);
      parts.push(...(await valuesOf(array, row, end)));
      const target = new Int32Array((end - row) * perRow).fill(77);
      await array.readInto?.(row, end, viewAsBytes(target));
      expect([...target], `${array.path} into memory`).toEqual(expected.slice(row * perRow, end * perRow));
    }
    expect(parts, `${array.path} by ${step}`).toEqual(expected);
  }
}

const count = (length: number) => Array.from({ length }, (_, i) => i);
const size = ({ shape }: StoredArray) => (shape ?? []).reduce((a, b) => a * b, 1);

describe.each([
  ["chunks_v108", 31],
  ["chunks_v110", 49],
  ["chunks_v112", 21],
  ["chunks_v114", 10],
  ["chunks_v200", 49],
])("%s.h5", (name, datasets) => {
  test("gives all values of every kind of index", async () => {
    const container = await open(name);
    const all = await arrays(container.root);
    expect(all).toHaveLength(datasets);
    for (const array of all) {
      const values = array.path.includes(" none ") ? count(size(array)).fill(-1) : count(size(array));
      await expectValues(array, values, [1, 4, 7]);
    }
    await container.close();
  });
});

describe.each(["v108", "v110", "v200"])("written for %s", (bound) => {
  test("shrunk and grown datasets", async () => {
    const container = await open(`chunks_resized_${bound}`);
    for (const array of await arrays(container.root)) {
      const [rows, columns] = array.shape ?? [];
      const [limit] = array.path.split(" ");
      // Rows, columns or both were cut to 6, and what came back is empty.
      const kept = (i: number) => {
        const [row, column] = [Math.floor(i / columns), i % columns];
        const gone = (limit !== "last" && row >= 6) || (limit !== "first" && column >= 6);
        return gone ? -1 : row * 11 + column;
      };
      await expectValues(array, count(rows * columns).map(kept), [1, 5]);
    }
    await container.close();
  });

  test("filter masks", async () => {
    const container = await open(`chunks_masks_${bound}`);
    const all = await arrays(container.root);
    expect(all).toHaveLength(3);
    for (const array of all) await expectValues(array, count(20), [3]);
    await container.close();
  });
});

test("trees of several levels and super blocks", async () => {
  const container = await open("chunks_many");
  const all = await arrays(container.root);
  expect(all).toHaveLength(4);
  for (const array of all) await expectValues(array, count(size(array)), [100]);
  await container.close();
});

describe("paged arrays", () => {
  test.each(["fixed plain", "fixed gzip", "extensible plain", "extensible gzip"])("%s", async (name) => {
    const container = await open("chunks_paged");
    const array = await openArray(container, name);
    const written = array.attributes.get("written");
    const places = Array.isArray(written) ? written.map(Number) : [];
    expect(places.length).toBeGreaterThan(2);
    const found = (await valuesOf(array)).flatMap((value, i) => (value === -1 ? [] : [[i, value]]));
    expect(found).toEqual(places.map((i) => [i, i]));
    for (const i of places) expect(await valuesOf(array, i, i + 1)).toEqual([i]);
    await container.close();
  });

  test("with all of their pages", async () => {
    const container = await open("chunks_paged");
    const array = await openArray(container, "whole");
    expect(await valuesOf(array)).toEqual(count(2500).map((i) => i % 251));
    expect(await valuesOf(array, 1020, 1030)).toEqual(count(10).map((i) => (1020 + i) % 251));
    await container.close();
  });
});

test("filters that libhdf5 does not have, below an index since HDF5 1.10", async () => {
  const container = await open("lzf_newer");
  expect(await valuesOf(await openArray(container, "plain"))).toEqual(count(100));
  await container.close();
});

test("memory of another size is refused", async () => {
  const container = await open("chunks_v110");
  const array = await openArray(container, "1 fixed gzip");
  await expect(array.readInto?.(0, 5, new Uint8Array(19))).rejects.toMatchObject({
    tag: "InvalidInputError",
    message: expect.stringMatching(/19 bytes for values of 20/),
  });
  await container.close();
});

describe("reading into memory", () => {
  test("gives what reading gives, for every type that has one size", async () => {
    for (const name of ["types", "layouts", "newest"]) {
      const container = await openFixture(name);
      let into = 0;
      for (const array of await arrays(container.root)) {
        const rows = rowsOf(array);
        if (array.readInto === undefined || rows < 2) continue;
        const values = await array.read(1, rows);
        if (values.kind !== "fixed") throw new Error(`${array.path} is ${values.kind}`);
        const bytes = viewAsBytes(values.values);
        // At an odd address of the caller's memory.
        const target = new Uint8Array(bytes.length + 9).fill(0xa5);
        await array.readInto(1, rows, target.subarray(3, 3 + bytes.length));
        expect(target.subarray(3, 3 + bytes.length), array.path).toEqual(bytes);
        expect([target[2], target[3 + bytes.length]]).toEqual([0xa5, 0xa5]);
        into++;
      }
      expect(into, name).toBeGreaterThan(4);
      await container.close();
    }
  });

  test("is not there for text and records", async () => {
    const types = await openFixture("types");
    for (const name of ["text", "fixed_nullpad", "record", "scalar", "null"]) {
      expect((await openArray(types, name)).readInto, name).toBeUndefined();
    }
    await types.close();
  });
});
