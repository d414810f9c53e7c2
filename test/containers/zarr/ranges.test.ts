import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openZarr } from "../../../src/containers/zarr/open.js";
import type { KeyRange, KeyValueSource } from "../../../src/io/sources/source.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import {
  arrayAt,
  describeValues,
  expectedArrays,
  readAll,
  type Values,
  type Version,
  wantedValues,
  zipStore,
} from "./stores.js";

/** Rows [start, end) of expected values of `rows` rows. */
function slice(values: Values, rows: number, start: number, end: number): Values {
  switch (values.kind) {
    case "fixed": {
      const bytes = Buffer.from(values.bytes, "base64");
      const row = bytes.length / rows;
      return { kind: "fixed", bytes: bytes.subarray(start * row, end * row).toString("base64") };
    }
    case "variable": {
      const row = values.items.length / rows;
      return { kind: "variable", items: values.items.slice(start * row, end * row) };
    }
    case "record":
      return { kind: "record", fields: values.fields.map((field) => slice(field, rows, start, end)) };
    default:
      return values satisfies never;
  }
}

const versions: Version[] = ["v2", "v3"];
const cases = versions.flatMap((version) =>
  expectedArrays(version)
    .filter(([, { shape }]) => shape.length > 0 && shape[0] > 0)
    .map(([path, expected]) => [version, path, expected] as const),
);

describe("rows of an array", () => {
  it("are those of the whole, whatever the range", async () => {
    const stores = { v2: await openZarr(await zipStore("v2")), v3: await openZarr(await zipStore("v3")) };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.nat(1000),
        fc.nat(1000),
        async ([version, path, expected], a, b) => {
          const rows = expected.shape[0];
          const [start, end] = [a % (rows + 1), b % (rows + 1)].sort((x, y) => x - y);
          const array = await arrayAt(stores[version], path);
          const found = describeValues(await array.read(start, end));
          expect(found).toEqual(slice(wantedValues(expected), rows, start, end));
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([
    [-1, 2],
    [0, 1001],
    [5, 4],
    [0.5, 2],
  ])("[%d, %d) are refused", async (start, end) => {
    const array = await arrayAt(await openZarr(await zipStore("v3")), "sharded");
    await expect(array.read(start, end)).rejects.toThrow(InvalidInputError);
  });

  it("are not read once cancelled", async () => {
    const array = await arrayAt(await openZarr(await zipStore("v3")), "sharded");
    const signal = AbortSignal.abort();
    await expect(array.read(0, 10, { signal })).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  });
});

describe("sharded arrays", () => {
  async function recorded(path: string) {
    const source = await zipStore("v3");
    const calls: { key: string; ranges: readonly KeyRange[] }[] = [];
    const recorder: KeyValueSource = {
      kind: "keys",
      name: "recorder",
      get: (key, options) => source.get(key, options),
      getRanges: (key, ranges, options) => {
        calls.push({ key, ranges });
        return source.getRanges(key, ranges, options);
      },
      list: (prefix) => source.list(prefix),
      close: () => source.close(),
    };
    return { array: await arrayAt(await openZarr(recorder), path), calls };
  }

  it("have inner chunks as their chunks", async () => {
    const { array } = await recorded("sharded_2d");
    expect(array.chunks).toEqual([2, 3]);
  });

  it("are read by the index, once, and the inner chunks that are needed", async () => {
    const { array, calls } = await recorded("sharded");
    await array.read(60, 140);
    expect(calls.map(({ key, ranges }) => [key, ranges.length])).toEqual([
      ["sharded/c/0", 1],
      // Both inner chunks, which lie side by side.
      ["sharded/c/0", 1],
    ]);
    // Seven inner chunks of 16 bytes, and a checksum.
    expect(calls[0].ranges).toEqual([{ suffix: 7 * 16 + 4 }]);
    await array.read(0, 10);
    expect(calls).toHaveLength(3);
  });

  it("have their index in front where the metadata says so", async () => {
    const { array, calls } = await recorded("sharded_start");
    await readAll(array);
    expect(calls[0].ranges).toEqual([{ start: 0, end: 7 * 16 }]);
  });
});
