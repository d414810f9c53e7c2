/** The files of test/fixtures/anndata/make_mudata.py, and what anndata and mudata say is in them. */

import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import type { Dataset } from "../../../src/model/dataset.js";
import type { ExpectedTable } from "../anndata/expected.js";

export const FIXTURES = "test/fixtures/data/mudata";

export function expectedOf(name: string): Readonly<Record<string, ExpectedTable>> {
  return JSON.parse(readFileSync(`${FIXTURES}/${name}.expected.json`, "utf8"));
}

/** Opens a fixture until the test ends. */
export async function openFixture(file: string, options: OpenOptions = {}): Promise<Dataset> {
  const data = await open(`${FIXTURES}/${file}`, options);
  onTestFinished(() => data.close());
  return data;
}

/** The modalities in the order of their tables. */
export function modalitiesOf(data: Dataset): string[] {
  return [...new Set([...data.tables.keys()].flatMap((name) => /^mod\/([^/]+)/.exec(name)?.[1] ?? []))];
}
