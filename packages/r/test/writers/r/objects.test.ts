/** What R's own constructors have made (test/fixtures/r/make_r_written.R), read and written again, is equal to it. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { writeBytes } from "../../../../../src/api/write.js";
import type { StoreOptions } from "../../../../../src/formats/store-options.js";
import { open } from "../../../../published/src/index.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { plainValue } from "./values.js";

const made = (name: string) => new Uint8Array(readFileSync(`test/fixtures/data/r-written/${name}.rds`));

async function again(name: string, format: "sce.rds" | "seurat.rds", options: StoreOptions = {}): Promise<RValue> {
  const data = await open(made(name));
  return readRds(await writeBytes(format, data, options));
}

describe("a SingleCellExperiment", () => {
  test.each(["sce", "sce-dense", "sce-no-cells", "sce-no-genes", "sce-one-cell"])("%s", async (name) => {
    expect(plainValue(await again(name, "sce.rds"))).toEqual(plainValue(await readRds(made(name))));
  });
});

describe("a Seurat object", () => {
  test("of version 4", async () => {
    expect(plainValue(await again("seurat4", "seurat.rds"))).toEqual(plainValue(await readRds(made("seurat4"))));
  });

  test("of version 5", async () => {
    const written = await again("seurat5", "seurat.rds", { seurat: "v5" });
    expect(plainValue(written)).toEqual(plainValue(await readRds(made("seurat5"))));
  });
});

test("alternative experiments are modalities, and become alternative experiments again", async () => {
  expect(plainValue(await again("sce-altexp", "sce.rds"))).toEqual(plainValue(await readRds(made("sce-altexp"))));
});
