import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { convert, open } from "../../../packages/published/src/node.js";
import { type ExpectedTable, tableOf } from "../anndata/expected.js";
import { CELL_RANGER, expectedOf } from "./matrices.js";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "annarrow-10x-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function opened(path: string) {
  const data = await open(path);
  onTestFinished(() => data.close());
  return data;
}

/** `[cell, feature, count]`, sorted. */
function entries({ columns }: ExpectedTable, cell: string, feature: string): number[][] {
  const all = columns[cell].map((one, i) => [one, columns[feature][i], columns.value[i]].map(Number));
  return all.sort(([a, b], [c, d]) => a - c || b - d);
}

const FILES = ["v2", "v2-bare", "v3", "v3-features", "probes", "empty"];

describe("conversion of a matrix of Cell Ranger", () => {
  test.each(FILES)("%s to AnnData and to tables keeps all", async (name) => {
    const out = await folder();
    for (const path of [join(out, "out.h5ad"), join(out, "out.zarr"), `${join(out, "tables")}/`]) {
      const { warnings } = await convert(
        `${CELL_RANGER}/${name}.h5`,
        path,
        path.endsWith("/") ? { format: "parquet" } : {},
      );
      expect(warnings).toEqual([]);
      const data = await opened(path);
      expect(data.failures).toEqual(new Map());
      for (const [table, expected] of Object.entries(expectedOf(name))) {
        expect(await tableOf(data.table(table)), `${path}: ${table}`).toEqual(expected);
      }
      const stored = await opened(`${CELL_RANGER}/${name}.h5`);
      for (const table of [...stored.tables.values()].filter((one) => !one.derived && one.name.startsWith("uns/"))) {
        expect((await tableOf(data.table(table.name))).columns, table.name).toEqual((await tableOf(table)).columns);
      }
    }
  });

  test.each(FILES)("%s to BPCells keeps the entries, turned, and the names", async (name) => {
    const path = join(await folder(), "out");
    const { warnings } = await convert(`${CELL_RANGER}/${name}.h5`, path, { format: "bpcells", tables: ["X"] });
    expect(warnings).toEqual([]);
    const data = await opened(path);
    const { X, obs, var: vars } = expectedOf(name);
    const matrix = await tableOf(data.table("matrix"));
    expect(matrix.kind).toBe("csc_matrix");
    // BPCells has the entries of a column in the order of rows.
    expect(entries(matrix, "col", "row")).toEqual(entries(X, "row", "col"));
    const names = async (table: string) =>
      data.tables.has(table) ? (await tableOf(data.table(table))).columns.value : [];
    expect(await names("col_names")).toEqual(obs.columns._index);
    expect(await names("row_names")).toEqual(vars.columns._index);
  });

  test("what BPCells has no place for is an error that names it", async () => {
    const path = join(await folder(), "out");
    const converting = convert(`${CELL_RANGER}/v3.h5`, path, { format: "bpcells" });
    await expect(converting).rejects.toThrow(/var: BPCells has no place for its columns \(gene_ids, .*, nor for uns/);
  });
});

describe("several genomes", () => {
  const source = `${CELL_RANGER}/v2-two-genomes.h5`;

  test("one is chosen by its path", async () => {
    const path = join(await folder(), "out.h5ad");
    const message = /each genome is a dataset of its own: open one by its path \(--path hg19\); hg19, mm10/;
    await expect(convert(source, path)).rejects.toThrow(message);
    await convert(source, path, { path: "mm10" });
    const written = await opened(path);
    expect(await tableOf(written.table("X"))).toEqual(expectedOf("v2-two-genomes")["mm10/X"]);
  });

  test("all are tables", async () => {
    const path = `${await folder()}/tables/`;
    await convert(source, path, { format: "arrow" });
    const data = await opened(path);
    expect(data).toMatchObject({ format: "10x", version: "2", shape: null });
    for (const [name, expected] of Object.entries(expectedOf("v2-two-genomes"))) {
      expect(await tableOf(data.table(name))).toEqual(expected);
    }
  });
});

test("a matrix is no text of fragments", async () => {
  const path = join(await folder(), "fragments.tsv");
  await expect(convert(`${CELL_RANGER}/v3.h5`, path)).rejects.toMatchObject({ tag: "InvalidInputError" });
  await expect(convert(`${CELL_RANGER}/v3.h5`, path)).rejects.toThrow(/no table of fragments/);
});
