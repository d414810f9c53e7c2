/** The files of test/fixtures/make_cellranger.py, and what scanpy says is in them. */

import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import type { Dataset } from "../../../src/model/dataset.js";
import type { ExpectedTable } from "../anndata/expected.js";

export const CELL_RANGER = "test/fixtures/data/cellranger";

const EXPECTED: Readonly<Record<string, Readonly<Record<string, ExpectedTable>>>> = JSON.parse(
  readFileSync(`${CELL_RANGER}/expected.json`, "utf8"),
);

/** `X`, `obs` and `var`; below the names of genomes, where there are several. */
export function expectedOf(name: string): Readonly<Record<string, ExpectedTable>> {
  return EXPECTED[name];
}

/** Opens a fixture until the test ends. */
export async function openMatrix(name: string, options: OpenOptions = {}): Promise<Dataset> {
  const data = await open(`${CELL_RANGER}/${name}.h5`, options);
  onTestFinished(() => data.close());
  return data;
}
