import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openStored } from "../../../src/api/open.node.js";
import { encodeTable } from "../../../src/sinks/directory/encode.js";
import { columnsOf, expected, FRAGMENTS } from "../bpcells/fragment-stores.js";
import { text } from "../bpcells/stores.js";

const { count: _, ...plain } = expected;

async function read(content: string | Uint8Array) {
  const data = await open(typeof content === "string" ? text(content) : content);
  return columnsOf(await data.table("fragments").read());
}

describe("a file of fragments", () => {
  test.each([
    ["fragments.tsv", plain],
    ["fragments.tsv.gz", expected],
    ["plain.tsv.gz", expected],
  ])("%s", async (file, rows) => {
    const data = await open(`${FRAGMENTS}/${file}`);
    expect(data).toMatchObject({ format: "10x", container: "tsv", version: "", shape: null, warnings: [] });
    const table = data.table("fragments");
    expect(table).toMatchObject({ rows: null, metadata: { kind: "fragments" } });
    const all = await table.read();
    expect(columnsOf(all)).toEqual(rows);
    expect(String(all.schema.fields[4]?.type ?? "none")).toBe(file === "fragments.tsv" ? "none" : "Uint32");
    expect([...(all.getChild("chr")?.data[0].dictionary ?? [])]).toEqual(["chr2", "chr10", "chrX", "chr1"]);
    await data.close();
  });

  test("rows, columns and small batches, which share their dictionaries", async () => {
    const data = await open(`${FRAGMENTS}/fragments.tsv.gz`);
    const table = data.table("fragments");
    const some = await table.read({ rows: [250, 460], columns: ["count", "chr"] });
    expect(columnsOf(some)).toEqual({ count: expected.count.slice(250, 460), chr: expected.chr.slice(250, 460) });
    expect((await table.read({ rows: [0, 0] })).numRows).toBe(0);
    const sizes: number[] = [];
    const dictionaries = new Set<unknown>();
    for await (const batch of table.batches({ batchBytes: 20 * 100 })) {
      sizes.push(batch.numRows);
      dictionaries.add(batch.getChild("cell_id")?.data[0].dictionary);
    }
    expect(sizes).toEqual([100, 100, 100, 100, 100, 100, 100, 77]);
    expect(dictionaries.size).toBe(1);
    await data.close();
  });

  test("chromosomes, ranges and cells, as of a store", async () => {
    const [data, store] = await Promise.all([open(`${FRAGMENTS}/fragments.tsv`), open(`${FRAGMENTS}/packed`)]);
    for (const fragments of [
      { chr: ["chr1", "chr2"] },
      { range: [10_000, 20_000] },
      { cell: ["BC07-1", "BC12-1"] },
      { chr: ["chr10"], range: [0, 40_000], cell: ["BC00-1"] },
      { range: [5, 5] },
    ] as const) {
      const [found, stored] = await Promise.all([data, store].map((one) => one.table("fragments").read({ fragments })));
      expect(columnsOf(found)).toEqual(columnsOf(stored));
    }
    await expect(data.table("fragments").read({ fragments: { chr: ["chr3"] } })).rejects.toThrow(
      /no chromosome "chr3"/,
    );
    await Promise.all([data.close(), store.close()]);
  });

  test("as a Parquet file, without Arrow objects", async () => {
    const data = await openStored(`${FRAGMENTS}/fragments.tsv.gz`);
    const parts: Uint8Array[] = [];
    for await (const part of encodeTable(data.table("fragments"), "parquet")) parts.push(part);
    const again = await open(Uint8Array.from(parts.flatMap((part) => [...part])));
    const [name] = again.tables.keys();
    expect(columnsOf(await again.table(name).read())).toEqual(expected);
    await data.close();
  });
});

describe("text", () => {
  test("carriage returns, and no last newline", async () => {
    expect(await read("# made\r\nchr1\t0\t5\tA\r\nchr2\t4294967295\t7\té 1")).toEqual({
      chr: ["chr1", "chr2"],
      start: [0, 4_294_967_295],
      end: [5, 7],
      cell_id: ["A", "é 1"],
    });
  });

  test("fragments in no order", async () => {
    expect((await read("b\t9\t10\tx\na\t3\t4\tx\nb\t1\t2\ty\n")).start).toEqual([9, 3, 1]);
  });

  test("any lines, however they are compressed and cut", async () => {
    const name = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }).filter((one) => !/\p{Cc}/u.test(one));
    const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            name.filter((one) => !one.startsWith("#")),
            number,
            number,
            name,
            number,
          ),
          { minLength: 1, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (rows, copies, gzip) => {
          const all = Array.from({ length: copies }, () => rows).flat();
          const content = text(all.map((row) => `${row.join("\t")}\n`).join(""));
          // Two gzip members one after the other are one file.
          const half = content.length >> 1;
          const bytes = gzip
            ? Buffer.concat([gzipSync(content.subarray(0, half)), gzipSync(content.subarray(half))])
            : content;
          const [chr, start, end, cell_id, count] = [0, 1, 2, 3, 4].map((field) => all.map((row) => row[field]));
          expect(await read(new Uint8Array(bytes))).toEqual({ chr, start, end, cell_id, count });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("more lines than are parsed at once", async () => {
    const lines = Array.from({ length: 150_000 }, (_, i) => `chr${i % 3}\t${i}\t${i + 1}\tcell-${i % 70_000}\n`);
    const { start, cell_id, chr } = await read(lines.join(""));
    expect(start.every((value, i) => value === i)).toBe(true);
    expect(cell_id.every((value, i) => value === `cell-${i % 70_000}`)).toBe(true);
    expect(chr[149_999]).toBe("chr2");
  });
});

const GOOD = "chr1\t10\t20\tA\n";

describe("refused, with the number of the line", () => {
  test.each([
    ["too few columns", `# c\n${GOOD}chr1\t10\t20\n`, /line 3, "chr1\\t10\\t20": 3 columns, 4 are expected/],
    ["too many columns", `${GOOD}chr1\t10\t20\tA\t1\n`, /line 2, .*: 5 columns, 4 are expected/],
    ["no number", `${GOOD}${GOOD}chr1\tx\t20\tA\n`, /line 3, .*two positions/],
    ["a negative number", `${GOOD}chr1\t-1\t20\tA\n`, /line 2, /],
    ["a fraction", `${GOOD}chr1\t1.5\t20\tA\n`, /line 2, /],
    ["a number of 33 bits", `${GOOD}chr1\t4294967296\t20\tA\n`, /line 2, .*below 2\^32/],
    ["an empty number", `${GOOD}chr1\t\t20\tA\n`, /line 2, /],
    ["no chromosome", `${GOOD}\t1\t20\tA\n`, /line 2, /],
    ["no barcode", `${GOOD}chr1\t1\t20\t\n`, /line 2, /],
    ["an empty line", `${GOOD}\n${GOOD}`, /line 2, "": 1 columns, 4 are expected/],
    ["a comment among fragments", `${GOOD}# c\n${GOOD}`, /line 2, "# c": 1 columns/],
    ["a count that is none", "chr1\t10\t20\tA\t1\nchr1\t10\t20\tA\tx\n", /line 2, .*a count/],
    ["a line without an end", `${GOOD}${"x".repeat(2 ** 17)}`, /a line of more than 65536 bytes/],
  ])("%s", async (_, content, message) => {
    const data = await open(text(content));
    await expect(data.table("fragments").read()).rejects.toThrow(message);
    // As often as it is tried.
    await expect(data.table("fragments").read()).rejects.toThrow(message);
  });

  test("six columns, when it is opened", async () => {
    await expect(open(text("chr1\t10\t20\tA\t1\t+\n"))).rejects.toThrow(/6 columns; at most 5 are read/);
  });

  test("gzip that is cut off, or changed", async () => {
    for (const file of ["fragments.tsv.gz", "plain.tsv.gz"]) {
      const bytes = new Uint8Array(readFileSync(`${FRAGMENTS}/${file}`));
      const named = async (content: Uint8Array<ArrayBuffer>) => {
        const data = await open(new File([content], "fragments.tsv.gz"));
        return data.table("fragments").read();
      };
      await expect(named(bytes.slice(0, -40))).rejects.toThrow(/fragments.tsv.gz: .*(gzip|deflate|end of file)/);
      bytes[4000] ^= 0x55;
      await expect(named(bytes)).rejects.toThrow(/fragments.tsv.gz: .*(gzip|deflate|CRC|line)/);
    }
  });

  test("comments alone are fragments where the name says so", async () => {
    const data = await open(new File(["# a\n# b\n"], "x_fragments.tsv"));
    expect((await data.table("fragments").read()).numRows).toBe(0);
    await expect(open(text("# a\n# b\n"))).rejects.toThrow();
  });

  test("what is no file of fragments", async () => {
    for (const content of ["", "gene\tcount\n", "chr\tstart\tend\tcell\n", "a\t1\tb\tc\n"]) {
      await expect(open(text(content))).rejects.toThrow();
      await expect(open(new Uint8Array(gzipSync(content)))).rejects.toThrow();
    }
  });

  test("a signal", async () => {
    const data = await open(`${FRAGMENTS}/fragments.tsv.gz`);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(data.table("fragments").read({ signal })).rejects.toThrow("enough");
    expect((await data.table("fragments").read()).numRows).toBe(777);
    await data.close();
  });
});
