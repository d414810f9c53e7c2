import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { createChunkEncoder } from "../../../src/jobs/workers/chunk-encoder.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { convertInputToColumns } from "../../../src/tables/given/arrow-column-table.js";
import { encodeFragmentsText, type FragmentsTextOptions } from "../../../src/writers/fragments-tsv/write.js";
import { memorySpill } from "../../jobs/external-sort/coordinate-batches.js";
import { FRAGMENTS } from "../../readers/bpcells/fragment-stores.js";
import { anyFragments, CELL_NAMES, CHR_NAMES, type Fragment, fragmentTable, sorted } from "../fragment-tables.js";
import { ints, table, text } from "../tables.js";

async function written(
  table: ColumnTable,
  { gzip = false, ...options }: Partial<FragmentsTextOptions> & { gzip?: boolean } = {},
) {
  const encoder = gzip ? createChunkEncoder() : null;
  const out = await encodeFragmentsText(table, { spill: null, encoder, ...options });
  const parts: Uint8Array[] = [];
  for await (const part of out.bytes) parts.push(part);
  encoder?.close();
  return { bytes: Buffer.concat(parts), ...out.result() };
}

const linesOf = (fragments: readonly Fragment[]) =>
  fragments.map(({ chr, start, end, cell }) => `${chr}\t${start}\t${end}\t${cell}\n`).join("");

/** The lines of a file without its comments. */
const uncommented = (bytes: Buffer) => bytes.toString().replace(/^(#.*\n)*/, "");

describe("the text", () => {
  test.each([
    ["fragments.tsv", (bytes: Buffer) => bytes],
    ["fragments.tsv.gz", gunzipSync],
  ])("of %s is what was read", async (name, plain) => {
    const data = await open(`${FRAGMENTS}/${name}`);
    const { bytes, rows, warnings } = await written(await convertInputToColumns(data.table("fragments")));
    expect(bytes.toString()).toBe(uncommented(plain(readFileSync(`${FRAGMENTS}/${name}`))));
    expect([rows, warnings]).toEqual([777, []]);
    await data.close();
  });

  test("of a store is that from which BPCells made it", async () => {
    const data = await open(`${FRAGMENTS}/packed`);
    const { bytes } = await written(await convertInputToColumns(data.table("fragments")));
    expect(bytes.toString()).toBe(uncommented(readFileSync(`${FRAGMENTS}/fragments.tsv`)));
    await data.close();
  });

  test("is sorted, whatever the numbers", async () => {
    const names = CHR_NAMES.map((name) => name || "chr9");
    await fc.assert(
      fc.asyncProperty(anyFragments, fc.boolean(), async (all, stream) => {
        const given = all.map((one) => ({ ...one, chr: one.chr || "chr9" }));
        const made = fragmentTable(given, {
          stream,
          counted: !stream,
          chrNames: names,
          cellNames: CELL_NAMES,
          size: 90,
        });
        const { bytes } = await written(made, { spill: memorySpill(), budgetBytes: 9000 });
        expect(bytes.toString()).toBe(linesOf(sorted(given, names)));
      }),
      { numRuns: 20 },
    );
  });

  test("has numbers of all lengths, and counts", async () => {
    const numbers = Array.from({ length: 10 }, (_, i) => [10 ** i, Math.min(10 ** (i + 1) - 1, 2 ** 32 - 1)]).flat();
    const all = [0, ...numbers];
    const columns = {
      count: ints(Uint32Array.from(all)),
      start: ints(Uint32Array.from(all)),
      chr: text(...all.map(() => "c")),
      end: ints(Uint32Array.from(all)),
      cell_id: text(...all.map((n) => `é${n}`)),
    };
    const { bytes } = await written(table("atac", [columns]));
    expect(bytes.toString()).toBe(all.map((n) => `c\t${n}\t${n}\té${n}\t${n}\n`).join(""));
  });
});

test("lines with long names are made some at a time", async () => {
  const all = Array.from({ length: 40 }, (_, i) => ({
    chr: "c",
    start: i,
    end: i + 1,
    cell: "x".repeat(i * 10_000 + 1),
  }));
  const out = await encodeFragmentsText(fragmentTable(all), { spill: null, encoder: null });
  const parts: number[] = [];
  const bytes: Uint8Array[] = [];
  for await (const part of out.bytes) {
    parts.push(part.length);
    bytes.push(part);
  }
  expect(parts.length).toBe(4);
  expect(Buffer.concat(bytes).toString()).toBe(linesOf(all));
});

describe("block gzip", () => {
  test("has blocks that say their sizes, and an empty one at the end", async () => {
    const all = Array.from({ length: 9000 }, (_, i) => ({ chr: "chr1", start: i, end: i + 7, cell: `cell${i % 999}` }));
    const { bytes } = await written(fragmentTable(all), { gzip: true });
    expect(gunzipSync(bytes).toString()).toBe(linesOf(all));
    const sizes: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      expect(bytes.subarray(at, at + 4).toString("hex")).toBe("1f8b0804");
      expect(bytes.subarray(at + 10, at + 16).toString("hex")).toBe("060042430200");
      const end = at + bytes.readUInt16LE(at + 16) + 1;
      sizes.push(gunzipSync(bytes.subarray(at, end)).length);
      at = end;
    }
    const total = linesOf(all).length;
    expect(sizes).toEqual([65280, 65280, 65280, total - 3 * 65280, 0]);
    expect(bytes.subarray(-28).toString("hex")).toBe("1f8b08040000000000ff0600424302001b0003000000000000000000");
  });

  test("of no fragments is the empty block alone", async () => {
    expect((await written(fragmentTable([]), { gzip: true })).bytes.length).toBe(28);
  });

  test("is read as it was written", async () => {
    const data = await open(`${FRAGMENTS}/fragments.tsv.gz`);
    const { bytes } = await written(await convertInputToColumns(data.table("fragments")), { gzip: true });
    const again = await open(new Uint8Array(bytes));
    expect((await again.table("fragments").read()).toString()).toBe((await data.table("fragments").read()).toString());
    await data.close();
  });
});

test("what has no place in the text is said", async () => {
  const one = [{ chr: "b", start: 7, end: 2, cell: "x" }];
  const options = { chrNames: ["a", "b"], cellNames: ["x", "y", "z"], metadata: { kind: "fragments" } };
  expect((await written(fragmentTable(one, options))).warnings).toEqual([
    "fragments: 1 fragments end before they start, as they were stored",
    "fragments: 1 chromosomes and 2 cells without fragments, which have no place in the text",
  ]);
});

test.each([
  ["a tab", { chr: "c", cell: "x\ty" }, 'the cell "x\\ty" cannot stand in a line'],
  ["a newline", { chr: "c\n", cell: "x" }, 'the chromosome "c\\n" cannot stand'],
  ["a carriage return", { chr: "c", cell: "x\r" }, "cannot stand"],
  ["nothing", { chr: "c", cell: "" }, 'the cell "" cannot stand'],
  ["what begins a comment", { chr: "#c", cell: "x" }, 'the chromosome "#c" cannot stand'],
])("a name with %s is refused", async (_, names, message) => {
  const promise = written(fragmentTable([{ start: 1, end: 2, ...names }]));
  await expect(promise).rejects.toMatchObject({ tag: "InvalidInputError", message: expect.stringContaining(message) });
});

test("a column that fragments do not have is refused, or left out", async () => {
  const columns = { chr: text("c"), start: ints(Uint8Array.of(1)), end: ints(Uint8Array.of(2)), cell_id: text("x") };
  const strand = table("atac", [{ ...columns, strand: text("+") }]);
  await expect(written(strand)).rejects.toThrow("atac: fragments as text have no column strand");
  expect(await written(strand, { lossy: true })).toMatchObject({
    bytes: Buffer.from("c\t1\t2\tx\n"),
    warnings: ["atac: fragments as text have no column strand; left out"],
  });
});
