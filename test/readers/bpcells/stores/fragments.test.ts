import type { Table } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open } from "../../../../packages/published/src/node.js";
import { openStored } from "../../../../src/api/open.node.js";
import { isAnnarrowError } from "../../../../src/model/errors.js";
import { encodeTable } from "../../../../src/sinks/directory/encode.js";
import { toDataTable } from "../../../../src/tables/given/table-forms.js";
import { StoredTable } from "../../../../src/tables/stored-table.js";
import { columnsOf, expected, FRAGMENTS, fragmentFiles, makeStore } from "../fragment-stores.js";
import { numberFile, text, wordsOf } from "../stores.js";

const { count: _, ...rows } = expected;

/** The values of a dictionary column's dictionary. */
function namesOf(table: Table, column: string): unknown[] {
  return [...(table.getChild(column)?.data[0].dictionary ?? [])];
}

const firsts = (names: readonly string[]) => [...new Set(names)];

describe("a store of fragments", () => {
  test.each(["packed", "unpacked", "packed-v1", "unpacked-v1"])("%s", async (store) => {
    const data = await open(`${FRAGMENTS}/${store}`);
    expect(data).toMatchObject({ format: "bpcells", container: "directory", shape: null });
    expect([...data.tables.keys()]).toEqual(["fragments"]);
    const table = data.table("fragments");
    expect(table).toMatchObject({ rows: 777, metadata: { kind: "fragments", shape: [777] }, layouts: [], axis: null });
    const read = await table.read();
    expect(read.schema.fields.map(String)).toEqual([
      "chr: Dictionary<Int32, Utf8>",
      "start: Uint32",
      "end: Uint32",
      "cell_id: Dictionary<Int32, Utf8>",
    ]);
    expect(columnsOf(read)).toEqual(rows);
    expect(namesOf(read, "chr")).toEqual(firsts(expected.chr));
    expect(namesOf(read, "cell_id")).toEqual(firsts(expected.cell_id));
    await data.close();
  });

  test.each(["packed", "plain"])("%s in an HDF5 file", async (group) => {
    const data = await open(`${FRAGMENTS}/stores.h5`);
    expect([...data.tables.keys()]).toEqual(["packed/fragments", "plain/fragments"]);
    expect(columnsOf(await data.table(`${group}/fragments`).read())).toEqual(rows);
    await data.close();
  });

  test("chromosomes in another order than their numbers, and some without fragments", async () => {
    const data = await open(`${FRAGMENTS}/renumbered`);
    const read = await data.table("fragments").read();
    expect(columnsOf(read)).toEqual(rows);
    expect(namesOf(read, "chr")).toEqual(["chrX", "none", "chr1", "chr2", "chr10", "never"]);
    await data.close();
  });

  test("without fragments: one batch, whose dictionaries are there", async () => {
    const data = await open(`${FRAGMENTS}/empty`);
    const batches = [];
    for await (const batch of data.table("fragments").batches()) batches.push(batch.numRows);
    expect(batches).toEqual([0]);
    await data.close();
  });

  test("ends that are before their starts, as they are stored", async () => {
    const chromosome = { start: [10, 4_000_000_000], end: [3, 4_294_967_295], cell: [0, 0] };
    for (const packed of [true, false]) {
      const read = await (await open(makeStore([chromosome], 1, packed))).table("fragments").read();
      expect(columnsOf(read)).toMatchObject({ start: chromosome.start, end: chromosome.end });
    }
  });

  test("names that are alike", async () => {
    const files = fragmentFiles("packed").set("chr_names", text("a\na\nb\n\n"));
    const table = (await open(files)).table("fragments");
    expect(namesOf(await table.read(), "chr")).toEqual(["a", "a", "b", ""]);
    expect((await table.read({ fragments: { chr: ["a"] } })).numRows).toBe(446);
  });
});

describe("parts of it", () => {
  test.each(["packed", "unpacked"])("rows and columns of %s", async (store) => {
    const data = await open(`${FRAGMENTS}/${store}`);
    const table = data.table("fragments");
    for (const [from, to] of [
      [0, 0],
      [0, 128],
      [100, 460],
      [446, 447],
      [700, 777],
    ] as const) {
      const read = await table.read({ rows: [from, to], columns: ["end", "chr"] });
      expect(columnsOf(read)).toEqual({ end: rows.end.slice(from, to), chr: rows.chr.slice(from, to) });
    }
    for (const reuse of [false, true]) {
      let at = 0;
      for await (const batch of table.batches({ batchBytes: 16 * 50, reuse })) {
        const to = at + batch.numRows;
        expect(batch.numRows).toBeLessThanOrEqual(50);
        expect(columnsOf(batch)).toEqual(
          Object.fromEntries(Object.entries(rows).map(([name, values]) => [name, values.slice(at, to)])),
        );
        at = to;
      }
      expect(at).toBe(777);
    }
    await data.close();
  });

  test.each(["packed", "unpacked"])("%s as Arrow and Parquet files, and read again", async (store) => {
    const data = await openStored(`${FRAGMENTS}/${store}`);
    const table = data.table("fragments");
    if (!(table instanceof StoredTable)) throw new TypeError("a stored table is expected");
    for (const format of ["arrow", "parquet"] as const) {
      for (const one of [table, await toDataTable(table)]) {
        const parts: Uint8Array[] = [];
        for await (const part of encodeTable(one, format)) parts.push(part);
        const again = await open(Uint8Array.from(parts.flatMap((part) => [...part])));
        const [name] = again.tables.keys();
        expect(columnsOf(await again.table(name).read())).toEqual(rows);
      }
    }
    await data.close();
  });
});

type Files = Map<string, Uint8Array>;

const without = (name: string) => (files: Files) => files.delete(name);
const cut = (name: string, bytes: number) => (files: Files) =>
  files.set(name, (files.get(name) ?? new Uint8Array(0)).slice(0, -bytes));

function pointers(edit: (values: BigUint64Array) => void) {
  return (files: Files) => {
    const values = new BigUint64Array((files.get("chr_ptr") ?? new Uint8Array(8)).slice(8).buffer);
    edit(values);
    files.set("chr_ptr", numberFile("UINT64v1", values));
  };
}

function word(name: string, at: number, value: number) {
  return (files: Files) => {
    const values = wordsOf(files.get(name) ?? new Uint8Array(8));
    values[at] = value;
    files.set(name, numberFile("UINT32v1", values));
  };
}

const CASES: readonly [what: string, store: string, edit: (files: Files) => unknown, message: RegExp][] = [
  [
    "ranges that share fragments",
    "packed",
    pointers((values) => values.fill(100n, 2, 3)),
    /chr_ptr: chromosome 1 begins at fragment 100, .* ends at 256/,
  ],
  [
    "a gap between ranges",
    "packed",
    pointers((values) => values.fill(300n, 2, 3)),
    /chr_ptr: chromosome 1 begins at fragment 300/,
  ],
  [
    "fragments in front of the first range",
    "packed",
    pointers((values) => values.fill(3n, 0, 1)),
    /chr_ptr: chromosome 0 begins at fragment 3, .* ends at 0/,
  ],
  [
    "a range that ends before it begins",
    "packed",
    pointers((values) => values.fill(500n, 2, 3)),
    /chr_ptr: chromosome 1 reaches from fragment 500 to 446/,
  ],
  [
    "a range behind the last fragment",
    "packed",
    pointers((values) => values.fill(10n ** 6n, 7)),
    /end_max: 7 values, 7813 are expected/,
  ],
  [
    "2^60 fragments",
    "unpacked",
    pointers((values) => values.fill(2n ** 60n, 7)),
    /chr_ptr: chromosome 3 reaches from fragment 447 to Infinity/,
  ],
  ["too few ranges", "packed", cut("chr_ptr", 16), /chr_ptr: 6 values, 8 are expected/],
  ["too many ranges", "packed", (files) => files.set("chr_names", text("chr2\n")), /chr_ptr: 8 values, 2 are expected/],
  [
    "cells without a name",
    "packed",
    (files) => files.set("cell_names", text("a\nb\n")),
    /cell: .* is \d+, outside 0 … 1/,
  ],
  [
    "cells without a name, plain",
    "unpacked",
    word("cell", 300, 40),
    /cell: fragment 300 is of cell 40, there are names for 40/,
  ],
  [
    "a start before the one in front of it",
    "unpacked",
    word("start", 5, 0),
    /start: fragment 5 begins at 0, the one before it on the same chromosome at \d+/,
  ],
  ["packed starts that go back", "packed", word("start_starts", 1, 0), /start: fragment 128 begins at 0/],
  ["end_max that is cut off", "packed", cut("end_max", 4), /end_max: 6 values, 7 are expected/],
  ["starts that are cut off", "unpacked", cut("start", 4), /start: 776 values, 777 are expected/],
  ["packed ends that are cut off", "packed", cut("end_data", 16), /end: the last of 7 chunks ends at word/],
  ["a width over 32", "packed", word("cell_idx", 1, 200), /cell: chunk 0 has 200 words/],
  ["too few first starts", "packed", cut("start_starts", 4), /start: starts has 6 entries/],
  ["no end_max", "packed", without("end_max"), /end_max: no such file/],
  ["no names of cells", "unpacked", without("cell_names"), /cell_names: no such file/],
  ["no cells", "packed", without("cell_data"), /cell_data: no such file/],
  [
    "version 1 with arrays of version 2",
    "packed",
    (files) => files.set("version", text("packed-fragments-v1\n")),
    /chr_ptr: uint64 values, uint32 is expected/,
  ],
  [
    "an unknown version",
    "packed",
    (files) => files.set("version", text("packed-fragments-v3\n")),
    /version "packed-fragments-v3"/,
  ],
];

describe("refused, with the array and what is wrong", () => {
  test.each(CASES)("%s", async (_, store, edit, message) => {
    const files = fragmentFiles(store);
    edit(files);
    const data = await open(files);
    const read = async () => {
      for (const error of data.failures.values()) throw error;
      await data.table("fragments").read();
    };
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(isAnnarrowError(error)).toBe(true);
    expect(String(error)).toMatch(message);
  });

  test("a start that goes back exactly where a batch begins", async () => {
    const start = Array.from({ length: 300 }, (_, i) => (i < 128 ? 1000 + i : i));
    const files = makeStore([{ start, end: start, cell: start.map(() => 0) }], 1, true);
    const table = (await open(files)).table("fragments");
    const problem = /fragment 128 begins at 128, the one before it on the same chromosome at 1127/;
    await expect(table.read({ batchBytes: 16 * 128 })).rejects.toThrow(problem);
    await expect(table.read({ rows: [128, 200] })).rejects.toThrow(problem);
  });
});
