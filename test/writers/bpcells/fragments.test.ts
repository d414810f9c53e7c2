import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { Column } from "../../../src/arrow/column.js";
import { createArrays } from "../../../src/containers/arrays/write/container.js";
import { mapTarget } from "../../../src/io/targets/memory.js";
import type { Spill } from "../../../src/jobs/external-sort/spill.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { convertInputToColumns } from "../../../src/tables/given/arrow-column-table.js";
import { type FragmentsOptions, writeFragments } from "../../../src/writers/bpcells/fragments.js";
import { draws } from "../../draws.js";
import { memorySpill } from "../../jobs/external-sort/coordinate-batches.js";
import { columnsOf, expected, FRAGMENTS, fragmentFiles } from "../../readers/bpcells/fragment-stores.js";
import { wordsOf } from "../../readers/bpcells/stores.js";
import {
  anyFragments,
  CELL_NAMES,
  CHR_NAMES,
  type Fragment,
  type FragmentTableOptions,
  firsts,
  fragmentTable,
  sorted,
} from "../fragment-tables.js";
import { Recorder } from "../recorder.js";
import { dictionary, floats, ints, table, text } from "../tables.js";

const fixture: Fragment[] = expected.chr.map((chr, i) => ({
  chr,
  start: expected.start[i],
  end: expected.end[i],
  cell: expected.cell_id[i],
}));

/** The files of the store that `table` becomes. */
async function written(table: ColumnTable, options: Partial<FragmentsOptions> = {}): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const target = mapTarget(files);
  const container = createArrays(target);
  await writeFragments(container.root, table, { spill: null, ...options });
  await container.close();
  await target.commit();
  return files;
}

async function rows(files: Map<string, Uint8Array>): Promise<Fragment[]> {
  const data = await open(files);
  const { chr, start, end, cell_id } = columnsOf(await data.table("fragments").read());
  await data.close();
  return chr.map((name, i) => ({
    chr: String(name),
    start: Number(start[i]),
    end: Number(end[i]),
    cell: String(cell_id[i]),
  }));
}

const lines = (names: readonly string[]) => names.map((name) => `${name}\n`).join("");
const textOf = (files: Map<string, Uint8Array>, name: string) => new TextDecoder().decode(files.get(name));

describe("the bytes of a store", () => {
  test.each<[string, FragmentTableOptions]>([
    ["columns of text", {}],
    [
      "dictionaries, in small batches",
      { chrNames: firsts(expected.chr), cellNames: firsts(expected.cell_id), size: 50 },
    ],
    ["a stream in order", { stream: true, counted: false }],
  ])("are those of BPCells' own import, from %s", async (_, options) => {
    expect(await written(fragmentTable(fixture, options))).toEqual(fragmentFiles("packed"));
  });

  test.each(["packed", "unpacked", "renumbered", "empty"])("are what was read: %s", async (store) => {
    const data = await open(`${FRAGMENTS}/${store}`);
    const table = await convertInputToColumns(data.table("fragments"));
    expect(await written(table, { packed: store !== "unpacked" })).toEqual(fragmentFiles(store));
    await data.close();
  });

  test("of version 1 become those of version 2", async () => {
    const data = await open(`${FRAGMENTS}/packed-v1`);
    expect(await written(await convertInputToColumns(data.table("fragments")))).toEqual(fragmentFiles("packed"));
    await data.close();
  });
});

describe("fragments in any order", () => {
  test("come back sorted, with the names of dictionaries as they are", async () => {
    await fc.assert(
      fc.asyncProperty(anyFragments, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (all, size, packed) => {
        const given = fragmentTable(all, { chrNames: CHR_NAMES, cellNames: CELL_NAMES, size });
        const files = await written(given, { packed });
        expect(await rows(files)).toEqual(sorted(all, CHR_NAMES));
        expect(textOf(files, "chr_names")).toBe(lines(CHR_NAMES));
        expect(textOf(files, "cell_names")).toBe(lines(CELL_NAMES));
        expect(words(files, "end_max")).toEqual(endMaxima(sorted(all, CHR_NAMES)));
      }),
      draws(40),
    );
  });

  test("come back sorted through a spill, their chromosomes in the order in which they came", async () => {
    await fc.assert(
      fc.asyncProperty(anyFragments, async (all) => {
        const spill = memorySpill();
        const options = { spill, budgetBytes: 6000 };
        const files = await written(fragmentTable(all, { stream: true, counted: false, size: 70 }), options);
        const order = firsts(all.map(({ chr }) => chr));
        expect(await rows(files)).toEqual(sorted(all, order));
        expect(textOf(files, "chr_names")).toBe(lines(order));
        expect(textOf(files, "cell_names")).toBe(lines(firsts(all.map(({ cell }) => cell))));
        expect(spill.removed).toBe(spill.appended > 0 ? 1 : 0);
      }),
      draws(15),
    );
  });

  test("take more memory than is allowed where there is no spill", async () => {
    const table = fragmentTable([...fixture].reverse());
    await expect(written(table, { budgetBytes: 2000 })).rejects.toMatchObject({ tag: "UnsupportedError" });
  });
});

/** The greatest end of the chromosome so far, or of one that has ended since the entry before. */
function endMaxima(fragments: readonly Fragment[]): Uint32Array {
  const out: number[] = [];
  let [current, ended] = [0, 0];
  fragments.forEach(({ chr, end }, i) => {
    if (i > 0 && chr !== fragments[i - 1].chr) [current, ended] = [0, Math.max(current, ended)];
    current = Math.max(current, end);
    if ((i + 1) % 128 !== 0 && i + 1 < fragments.length) return;
    out.push(Math.max(current, ended));
    ended = 0;
  });
  return Uint32Array.from(out);
}

function words(files: Map<string, Uint8Array>, name: string): Uint32Array {
  return wordsOf(files.get(name) ?? new Uint8Array(0));
}

/** The low words of `chr_ptr`. */
function pointers(files: Map<string, Uint8Array>): number[] {
  return [...words(files, "chr_ptr")].filter((_, i) => i % 2 === 0);
}

describe("the arrays", () => {
  const two = [
    { chr: "b", start: 5, end: 9, cell: "x" },
    { chr: "d", start: 1, end: 2, cell: "y" },
  ];

  test("of chromosomes without fragments have the place where these would stand", async () => {
    const files = await written(fragmentTable(two, { chrNames: ["a", "b", "c", "d", "e"], cellNames: ["y", "x"] }));
    expect(pointers(files)).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
  });

  test("keep the stored order of a table that was stored", async () => {
    const options = { chrNames: ["a", "d", "b", "e"], cellNames: ["y", "x"], metadata: { kind: "fragments" } };
    const files = await written(fragmentTable(two, options), { packed: false });
    expect(pointers(files)).toEqual([0, 0, 1, 2, 0, 1, 2, 2]);
    expect(words(files, "start")).toEqual(Uint32Array.of(5, 1));
  });

  test("go to any container, each once, and no more than are stored are open", async () => {
    const recorder = new Recorder();
    const result = await writeFragments(recorder.root, fragmentTable(two), { spill: null });
    await recorder.close();
    expect(result).toEqual({ rows: 2, warnings: [] });
    expect(recorder.at("").attributes).toEqual({ version: "packed-fragments-v2" });
    expect(recorder.at("start_starts")).toMatchObject({ type: "uint32", values: [5] });
    expect(recorder.at("end_idx_offsets")).toMatchObject({ type: "uint64", values: [0n, 2n] });
    expect(recorder.at("cell_names")).toMatchObject({ type: "text", values: ["x", "y"] });
    expect(recorder.below("").length).toBe(15);
  });

  test("are of integers of any width", async () => {
    const cells = dictionary([0, 0], text("x"));
    const plain = await written(fragmentTable(two.map((one) => ({ ...one, chr: "c", start: 1, end: 9, cell: "x" }))));
    for (const values of [Int8Array, Uint16Array, Int32Array]) {
      const batch = { end: ints(values.of(9, 9)), cell_id: cells, chr: text("c", "c"), start: ints(values.of(1, 1)) };
      expect(await written(table("fragments", [batch]))).toEqual(plain);
    }
    const wide = { end: ints(BigInt64Array.of(9n, 9n)), start: ints(BigUint64Array.of(1n, 1n)) };
    expect(await written(table("fragments", [{ ...wide, chr: text("c", "c"), cell_id: cells }]))).toEqual(plain);
  });
});

describe("refused", () => {
  const columns = {
    chr: text("c", "c"),
    start: ints(Uint32Array.of(1, 2)),
    end: ints(Uint32Array.of(3, 4)),
    cell_id: text("x", "y"),
  };
  const bad: [string, Readonly<Record<string, Column>>, RegExp][] = [
    ["a null position", { ...columns, start: ints(Uint32Array.of(1, 2), 1) }, /column start has 1 nulls in 2 rows/],
    ["a null name", { ...columns, cell_id: text("x", null) }, /column cell_id has 1 nulls in 2 rows/],
    ["a null in a dictionary", { ...columns, chr: dictionary([0, 1], text("c", null)) }, /column chr has a name at 1/],
    ["an index without a name", { ...columns, chr: dictionary([0, 7], text("c")) }, /column chr has the index 7 at 1/],
    ["a negative index", { ...columns, chr: dictionary([0, -1], text("c")) }, /column chr has the index -1 at 1/],
    ["a negative start", { ...columns, start: ints(Int32Array.of(1, -2)) }, /column start is -2 at 1, outside/],
    ["more than 32 bits", { ...columns, end: ints(BigInt64Array.of(3n, 2n ** 32n)) }, /end is 4294967296 at 1/],
    ["a negative wide end", { ...columns, end: ints(BigInt64Array.of(-3n, 4n)) }, /column end is -3 at 0/],
    ["positions with a fraction", { ...columns, start: floats(Float64Array.of(1, 2)) }, /start is Float64/],
    ["names that are numbers", { ...columns, chr: ints(Int32Array.of(1, 1)) }, /column chr is Int32, names are text/],
    [
      "an end before its start",
      { ...columns, end: ints(Uint32Array.of(3, 1)) },
      /fragment 1 of "c" starts at 2 and ends at 1/,
    ],
    ["a newline in a name", { ...columns, chr: text("c\n", "c\n") }, /"c\\n", one of chr_names, has a newline/],
    ["a NUL in a name", { ...columns, cell_id: text("x", "\0") }, /one of cell_names, has a NUL/],
    ["a column too many", { ...columns, strand: text("+", "-") }, /have no column strand; leave it out/],
    ["a missing column", { chr: columns.chr, start: columns.start, cell_id: columns.cell_id }, /no column end;/],
  ];
  test.each(bad)("%s", async (_, batch, message) => {
    const error = await written(table("atac", [batch])).then(
      () => null,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ tag: "InvalidInputError", element: "atac", message: expect.stringMatching(message) });
  });

  test("fragments out of the order that the table promises", async () => {
    const promise = { metadata: { kind: "fragments" }, chrNames: ["c", "d"], cellNames: ["x"] };
    const at = (chr: string, start: number) => ({ chr, start, end: start + 1, cell: "x" });
    await expect(written(fragmentTable([at("c", 5), at("c", 4)], promise))).rejects.toThrow(
      'fragments: fragment 1 starts at 4 in "c", after one at 5',
    );
    await expect(written(fragmentTable([at("c", 5), at("d", 4), at("c", 6)], promise))).rejects.toThrow(
      'fragment 2 is of the chromosome "c", which came before',
    );
  });

  test("no column too many, and nothing that was stored, where losses are allowed", async () => {
    const group = new Recorder().root;
    const lossy = { spill: null, lossy: true };
    const counted = table("atac", [{ ...columns, count: ints(Int32Array.of(1, 2)) }]);
    expect((await writeFragments(group, counted, lossy)).warnings).toEqual([
      "atac: fragments of BPCells have no column count; left out",
    ]);
    const backwards = fragmentTable([{ chr: "c", start: 7, end: 2, cell: "x" }], { metadata: { kind: "fragments" } });
    expect((await writeFragments(new Recorder().root, backwards, { spill: null })).warnings).toEqual([
      "fragments: 1 fragments end before they start, as they were stored",
    ]);
  });
});

test("a signal ends the writing", async () => {
  const stop = new AbortController();
  const progress = (done: number) => {
    if (done >= 200) stop.abort(new Error("enough"));
  };
  const spill: Spill | null = null;
  await expect(
    written(fragmentTable(fixture, { size: 100, metadata: { kind: "fragments" } }), {
      spill,
      progress,
      signal: stop.signal,
    }),
  ).rejects.toThrow("enough");
});
