import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { convert, open } from "../../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-h5seurat-"));
const made = (name: string) => `test/fixtures/data/h5seurat/${name}.h5seurat`;

async function rows(path: string, name: string): Promise<string> {
  const data = await open(path);
  const text = JSON.stringify((await data.table(name).read()).toArray(), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  await data.close();
  return text;
}

describe("an h5Seurat file becomes", () => {
  test.each(["h5ad", "zarr"])("an AnnData: .%s", async (end) => {
    const output = join(folder, `object.${end}`);
    await convert(made("object"), output, { lossy: true });
    const names = ["X", "layers/counts", "obsm/X_pca", "obsm/scale.data", "varm/pca", "obsp/RNA_snn", "uns/misc/note"];
    for (const name of names) expect(await rows(output, name), name).toBe(await rows(made("object"), name));
  });

  test("an AnnData without a warning, where nothing is missing", async () => {
    const output = join(folder, "dense.h5ad");
    expect((await convert(made("dense"), output)).warnings).toEqual([]);
    for (const name of ["X", "layers/scale.data", "obs", "var"]) {
      expect(await rows(output, name), name).toBe(await rows(made("dense"), name));
    }
  });

  test("a MuData, or an AnnData of one of its assays", async () => {
    const whole = join(folder, "assays.h5mu");
    await convert(made("assays"), whole, { lossy: true });
    for (const name of ["mod/RNA/X", "mod/ADT/X", "mod/SCT/layers/counts", "mod/ADT/obsm/X_apca"]) {
      expect(await rows(whole, name), name).toBe(await rows(made("assays"), name));
    }
    await expect(convert(made("assays"), join(folder, "none.h5ad"), { lossy: true })).rejects.toThrow(
      "choose one (--modality ADT)",
    );
  });

  test("a folder of tables that knows its format", async () => {
    const output = join(folder, "tables");
    await convert(made("dense"), output, { format: "parquet" });
    const data = await open(output);
    expect(data.format).toBe("h5seurat");
    expect(await rows(output, "X")).toBe(await rows(made("dense"), "X"));
    await data.close();
  });
});
