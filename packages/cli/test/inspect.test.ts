import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

const PBMC = "examples/pbmc.h5ad";
beforeAll(ensureBuilt, 120_000);

describe("inspect", () => {
  test("shows tables to people", async () => {
    const { code, stdout } = await annarrow("inspect", PBMC);
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("examples/pbmc.h5ad: AnnData (encoding version 0.1.0) in HDF5, 2,700 cells x 800 genes");
    expect(lines.find((line) => line.startsWith("X "))).toMatch(
      /csr_matrix +[\d,]+ +[\d.]+ MiB +row: int32, col: int32/,
    );
  });

  test("tells programs all", async () => {
    const found = JSON.parse((await annarrow("inspect", PBMC, "--json")).stdout);
    expect(found).toMatchObject({ format: "anndata", container: "hdf5", shape: [2700, 800], failures: [] });
    const obs = found.tables.find(({ name }: { name: string }) => name === "obs");
    expect(obs).toMatchObject({ kind: "dataframe", rows: 2700, axis: "row", derived: false });
    expect(obs.columns[1]).toMatchObject({ name: "cell_type", type: "Dictionary<Int8, Utf8>" });
  });

  test("folds uns, and lists it when it is asked for, with the values of numbers and texts", async () => {
    const { stdout } = await annarrow("inspect", PBMC);
    expect(stdout).toMatch(/^uns\/… +11 tables +~?[\d.]+ K?i?B +cell_type_colors, log1p, neighbors, pca, title$/m);
    expect(stdout).not.toContain("uns/title");
    expect(stdout).toContain("--table uns lists what is in uns");
    const below = (await annarrow("inspect", PBMC, "--table", "uns")).stdout;
    // The values that examples/make_pbmc_sim.py gives.
    expect(below).toMatch(/^uns\/title .* = "Simulated peripheral blood"$/m);
    expect(below).toMatch(/^uns\/neighbors\/params\/metric .* = "euclidean"$/m);
    expect(below).toMatch(/^uns\/pca\/params\/n_comps .* = 20$/m);
    expect(below).toMatch(/^uns\/pca\/params\/zero_center .* = true$/m);
    expect(below).toMatch(/^uns\/cell_type_colors .*value: utf8$/m);
  });

  test("shows all columns of a table", async () => {
    const { stdout } = await annarrow("inspect", PBMC, "--table", "obs");
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^obs: dataframe, 2,700 rows, /);
    expect(lines).toHaveLength(3 + 12);
    expect(lines.find((line) => line.startsWith("quality "))).toMatch(/ Dictionary<Int8, Utf8, ordered> +possible$/);
    expect(lines.find((line) => line.startsWith("n_genes "))).toMatch(/ Int32 +none$/);
  });

  test("names what is alike where there is no such table, and refuses --json with --table", async () => {
    expect(await annarrow("inspect", PBMC, "--table", "ob")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no table "ob"; did you mean obs/),
    });
    expect(await annarrow("inspect", PBMC, "--table", "obs", "--json")).toMatchObject({
      code: 2,
      stderr: "annarrow: --json shows all tables: leave out --table\n",
    });
  });
});
