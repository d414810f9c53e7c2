import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { listFiles } from "./architecture/import-graph.js";
import { ensureBuilt } from "./build.js";

interface Expected {
  readonly shape: readonly number[];
  readonly nonzeros: Record<string, number>;
  readonly cellsPerType: Record<string, number>;
  readonly meanOfAllCells: Record<string, Record<string, number>>;
  readonly mostCells: Record<string, { readonly cell_type: string; readonly cells: number }>;
  readonly topGenes: Record<string, number>;
}

/** Computed by examples/make_pbmc_sim.py with pandas and scipy. */
const expected: Expected = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));

async function run(example: string, ...args: string[]): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)("node", [`examples/${example}`, ...args]);
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

const byExample = {
  "tables.mjs": async () => {
    const [head, ...lines] = await run("tables.mjs");
    expect(head).toBe("anndata 0.1.0 in hdf5, 2700 x 800");
    expect(lines).toContain(`X (${expected.nonzeros.X} rows) row: Int32, col: Int32, value: Float32`);
    expect(lines).toContain("obsm/X_umap (2700 rows) value: FixedSizeList[2]<Float32>");
    expect(lines.find((line) => line.startsWith("obs "))).toContain("cell_type: Dictionary<Int8, Utf8>");
    expect((await run("tables.mjs", "examples/pbmc.zarr.zip"))[0]).toBe("anndata 0.1.0 in zarr3, 2700 x 800");
  },
  "one-column.mjs": async () => {
    const lines = Object.entries(expected.cellsPerType).map(([name, cells]) => `${name}\t${cells}`);
    expect(await run("one-column.mjs")).toEqual(lines);
  },
  "stream.mjs": async () => {
    const [head, ...lines] = await run("stream.mjs");
    expect(head).toMatch(new RegExp(`^${expected.nonzeros["layers/counts"]} values in [2-9] batches$`));
    expect(lines).toEqual(Object.entries(expected.topGenes).map(([symbol, total]) => `${symbol}\t${total}`));
  },
  "duckdb.mjs": async () => {
    const lines = Object.entries(expected.mostCells).map(([symbol, { cell_type, cells }]) => {
      const mean = expected.meanOfAllCells[symbol][cell_type];
      return `${symbol}\t${cell_type}\t${cells}\t${mean.toFixed(3)}`;
    });
    expect(await run("duckdb.mjs")).toEqual(lines);
  },
  "parquet.mjs": async () => {
    const folder = await mkdtemp(join(tmpdir(), "annarrow-examples-"));
    try {
      const [written] = await run("parquet.mjs", "examples/pbmc.h5ad", join(folder, "tables"));
      const manifest: { tables: { name: string; file: string; rows: number }[] } = JSON.parse(
        readFileSync(join(written, "manifest.json"), "utf8"),
      );
      const rows = Object.fromEntries(manifest.tables.map((table) => [table.name, table.rows]));
      expect(rows).toMatchObject({ obs: 2700, var: 800, ...expected.nonzeros });
      expect(manifest.tables.filter((table) => !existsSync(join(written, table.file)))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

describe("examples", () => {
  beforeAll(ensureBuilt, 120_000);

  test.each(Object.entries(byExample))("%s", (_, check) => check());

  test("all have a test", () => {
    expect(listFiles("examples", /\.mjs$/)).toEqual(Object.keys(byExample).sort());
  });
});
