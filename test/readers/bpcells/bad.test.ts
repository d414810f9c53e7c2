import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { filesOf, numberFile, text, wordsOf } from "./stores.js";

type Files = Map<string, Uint8Array>;

/** Reads every table: the first error, whether it comes with the structure or with the values. */
async function readAll(files: Files): Promise<void> {
  const data = await open(files);
  for (const error of data.failures.values()) throw error;
  for (const table of data.tables.values()) await table.read();
}

const words = (files: Files, name: string) => wordsOf(files.get(name) ?? new Uint8Array(8));

function change(name: string, edit: (values: Uint32Array) => Uint32Array) {
  return (files: Files) => files.set(name, numberFile("UINT32v1", edit(words(files, name))));
}

const withWord = (at: number, value: (values: Uint32Array) => number) => (values: Uint32Array) => {
  values[at] = value(values);
  return values;
};

function pointers(edit: (values: BigUint64Array) => void) {
  return (files: Files) => {
    const values = new BigUint64Array((files.get("idxptr") ?? new Uint8Array(8)).slice(8).buffer);
    edit(values);
    files.set("idxptr", numberFile("UINT64v1", values));
  };
}

const without = (name: string) => (files: Files) => files.delete(name);
const withText = (name: string, content: string) => (files: Files) => files.set(name, text(content));
const cut = (name: string, bytes: number) => (files: Files) =>
  files.set(name, (files.get(name) ?? new Uint8Array(0)).slice(0, -bytes));

const CASES: readonly [what: string, store: string, edit: (files: Files) => unknown, message: RegExp][] = [
  ["an unknown header", "packed", withText("index_data", "UINT99v1"), /index_data: .*UINT99v1/],
  ["the header of another machine", "packed", withText("val_data", "TNIU1v23"), /big-endian/],
  ["a header that is cut off", "packed", withText("index_starts", "UINT3"), /index_starts: .*UINT3/],
  [
    "another type",
    "packed",
    (files) => files.set("shape", numberFile("FLOATSv1", new Float32Array(2))),
    /shape: float32/,
  ],
  ["half a value", "packed", cut("val_data", 3), /val_data: \d+ bytes are not whole values/],
  ["data that is cut off", "packed", cut("index_data", 16), /index: the last of 6 chunks ends at word/],
  ["plain values that are cut off", "unpacked-row", cut("val", 4), /val: 728 values, 729 are expected/],
  [
    "positions that go back",
    "packed",
    change(
      "index_idx",
      withWord(2, (idx) => idx[1] - 4),
    ),
    /index: chunk 1 has/,
  ],
  [
    "a width over 32",
    "packed",
    change(
      "index_idx",
      withWord(1, () => 200),
    ),
    /chunk 0 has 200 words/,
  ],
  [
    "no whole width",
    "packed",
    change(
      "index_idx",
      withWord(1, (idx) => idx[1] + 2),
    ),
    /multiple of 4/,
  ],
  [
    "positions that do not begin with 0",
    "packed",
    change(
      "val_idx",
      withWord(0, () => 4),
    ),
    /val: idx begins with 4/,
  ],
  ["too few positions", "packed", cut("index_idx", 4), /index: idx has 6 entries, 729 values have 7/],
  ["too few starts", "packed", cut("index_starts", 4), /index: starts has 5 entries, 729 values have 6/],
  [
    "offsets that do not end with the positions",
    "packed",
    (files) => files.set("val_idx_offsets", numberFile("UINT64v1", BigUint64Array.of(0n, 999n))),
    /val: idx_offsets end with 999, idx has 7/,
  ],
  [
    "more offsets than the data can have",
    "packed",
    (files) => files.set("val_idx_offsets", numberFile("UINT64v1", BigUint64Array.of(0n, 2n, 7n))),
    /val: 3 idx_offsets/,
  ],
  ["an array that is missing", "packed", without("val_idx"), /val_idx: no such file/],
  ["pointers that decrease", "packed", pointers((values) => values.fill(999n, 5, 6)), /idxptr: .*smaller than 999/],
  ["pointers that do not begin with 0", "packed", pointers((values) => values.fill(3n, 0, 1)), /idxptr: .*starts at 3/],
  ["2^60 values", "packed", pointers((values) => values.fill(2n ** 60n, -1)), /idxptr: .*more than 2\^53/],
  ["too few pointers", "packed", cut("idxptr", 8), /idxptr: 45 pointers, 46 are expected/],
  [
    "a column outside",
    "packed-row",
    change(
      "shape",
      withWord(1, () => 30),
    ),
    /index: .*outside 0 … 29/,
  ],
  [
    "a shape of 2^32 - 1 columns",
    "packed",
    change(
      "shape",
      withWord(1, () => 2 ** 32 - 1),
    ),
    /46 pointers, 4294967296/,
  ],
  ["a shape of three", "packed", change("shape", () => new Uint32Array(3)), /shape: 3 values, 2 are expected/],
  ["too few names", "packed", withText("row_names", "a\nb\n"), /row_names: 2 names for 60 rows/],
  ["no file of names", "packed", without("col_names"), /col_names: no such file/],
  ["an unknown version", "packed", withText("version", "packed-uint-matrix-v3\n"), /version "packed-uint-matrix-v3"/],
  [
    "a version of two lines",
    "packed",
    withText("version", "packed-uint-matrix-v2\nx\n"),
    /version: the file is not one line/,
  ],
  [
    "version 1 with arrays of version 2",
    "packed",
    withText("version", "packed-uint-matrix-v1\n"),
    /idxptr: uint64 values/,
  ],
  ["no order", "packed", without("storage_order"), /storage_order: no such file/],
  ["an unknown order", "packed", withText("storage_order", "diagonal\n"), /neither row nor col/],
];

describe("refused, with the array and what is wrong", () => {
  test.each(CASES)("%s", async (_, store, edit, message) => {
    const files = filesOf(store);
    edit(files);
    const error: unknown = await readAll(files).catch((thrown: unknown) => thrown);
    expect(isAnnarrowError(error)).toBe(true);
    expect(String(error)).toMatch(message);
  });
});

test("a folder with another file `version` is no store", async () => {
  const data = await open(new Map([["version", text("1.2.3\n")]]));
  expect(String(data.failures.get("matrix"))).toMatch(/version "1\.2\.3"/);
});
