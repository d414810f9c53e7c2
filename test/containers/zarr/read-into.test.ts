import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Node, StoredArray } from "../../../src/containers/tree/container.js";
import { createZarrArray } from "../../../src/containers/zarr/array.js";
import { parseJson } from "../../../src/containers/zarr/metadata/json.js";
import { parseArrayV2 } from "../../../src/containers/zarr/metadata/metadata-v2.js";
import { parseNodeV3 } from "../../../src/containers/zarr/metadata/metadata-v3.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { mapSource } from "../../../src/io/sources/map.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import { viewAsBytes } from "../../../src/model/stored.js";
import { arrayAt, expectedArrays, storeEntries, type Version, zipStore } from "./stores.js";

const versions: Version[] = ["v2", "v3"];

/** Values of one size, which `read` gives as one typed array. */
async function fixedArrays(): Promise<{ path: string; array: StoredArray; rows: number }[]> {
  const found: { path: string; array: StoredArray; rows: number }[] = [];
  for (const version of versions) {
    const store = await openZarr(await zipStore(version));
    for (const [path] of expectedArrays(version)) {
      const array = await arrayAt(store, path);
      if (array.readInto !== undefined) found.push({ path, array, rows: array.shape?.[0] ?? 1 });
    }
  }
  return found;
}

async function readBytes(array: StoredArray, start: number, end: number): Promise<Uint8Array> {
  const values = await array.read(start, end);
  if (values.kind !== "fixed") throw new Error(`${array.path} is not fixed`);
  return viewAsBytes(values.values);
}

describe("readInto", () => {
  it("gives the bytes of read, wherever the memory lies and whatever was in it", async () => {
    const arrays = await fixedArrays();
    expect(arrays.length).toBeGreaterThan(150);
    for (const { array, rows } of arrays) await check(array, 0, rows, 0);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...arrays), fc.nat(), fc.nat(), fc.nat(9), ({ array, rows }, a, b, offset) => {
        const [start, end] = [a % (rows + 1), b % (rows + 1)].sort((x, y) => x - y);
        return check(array, start, end, offset);
      }),
      { numRuns: 400 },
    );
  });

  async function check(array: StoredArray, start: number, end: number, offset: number): Promise<void> {
    const wanted = await readBytes(array, start, end);
    const memory = new Uint8Array(wanted.length + offset + 3).fill(0xa5);
    await array.readInto?.(start, end, memory.subarray(offset, offset + wanted.length));
    expect(Buffer.compare(memory.subarray(offset, offset + wanted.length), wanted), array.path).toBe(0);
    expect([...memory.subarray(0, offset), ...memory.subarray(offset + wanted.length)].every((b) => b === 0xa5)).toBe(
      true,
    );
  }

  it("is absent for text and records", async () => {
    const store = await openZarr(await zipStore("v2"));
    for (const [path, { kind }] of expectedArrays("v2")) {
      if (kind !== "fixed") expect((await arrayAt(store, path)).readInto).toBeUndefined();
    }
  });

  it("refuses memory of another size, and rows that are not there", async () => {
    const array = await arrayAt(await openZarr(await zipStore("v3")), "sharded");
    await expect(array.readInto?.(0, 10, new Uint8Array(39))).rejects.toThrow(InvalidInputError);
    await expect(array.readInto?.(0, 1001, new Uint8Array(4004))).rejects.toThrow(InvalidInputError);
  });
});

/** Counts what is asked of a store. */
async function counted(version: Version, path: string) {
  const source = await zipStore(version);
  const asked: string[] = [];
  const counter: KeyValueSource = {
    kind: "keys",
    name: "counter",
    get: (key, options) => {
      asked.push(key);
      return source.get(key, options);
    },
    getRanges: (key, ranges, options) => {
      for (const range of ranges) asked.push(`${key} ${JSON.stringify(range)}`);
      return source.getRanges(key, ranges, options);
    },
    list: (prefix) => source.list(prefix),
    close: () => source.close(),
  };
  const array = await arrayAt(await openZarr(counter), path);
  asked.length = 0;
  return { array, asked };
}

describe("rows read one range after the other", () => {
  it.each([
    ["v3", "sharded"],
    ["v3", "sharded_2d"],
    ["v2", "blosc_lz4_1"],
    ["v2", "codec_zlib"],
  ] as const)("ask for no chunk twice: %s %s", async (version, path) => {
    const { array, asked } = await counted(version, path);
    const rows = array.shape?.[0] ?? 0;
    const rowBytes = (await readBytes(array, 0, rows)).length / rows;
    asked.length = 0;
    for (let start = 0; start < rows; start += 7) {
      const end = Math.min(start + 7, rows);
      await array.readInto?.(start, end, new Uint8Array((end - start) * rowBytes));
    }
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe("an array's metadata", () => {
  it("is plain data, from which the array can be opened again", async () => {
    for (const version of versions) {
      const entries = await storeEntries(version);
      for (const [path] of expectedArrays(version)) {
        const document = parseJson(
          entries.get(`${path}/${version === "v2" ? ".zarray" : "zarr.json"}`) ?? new Uint8Array(),
        );
        const node = version === "v2" ? { metadata: parseArrayV2(document, undefined) } : parseNodeV3(document);
        if (!("metadata" in node) || !("codecs" in node.metadata)) throw new Error(`${path} is no array`);
        const copy = structuredClone(node.metadata);
        expect(copy).toEqual(node.metadata);
        const source = mapSource(entries);
        const again: Node = createZarrArray(source, path, copy);
        const array = await arrayAt(await openZarr(await zipStore(version)), path);
        const rows = array.shape?.[0] ?? 1;
        expect(await again.read(0, rows)).toEqual(await array.read(0, rows));
      }
    }
  });
});
