/** The files of test/fixtures/make_loom.py, and what loompy and numpy say is in them. */

import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import type { Dataset } from "../../../src/model/dataset.js";
import type { ExpectedTable } from "../anndata/expected.js";

const FIXTURES = "test/fixtures/data/loom";

export function expectedOf(name: string): Readonly<Record<string, ExpectedTable>> {
  return JSON.parse(readFileSync(`${FIXTURES}/expected.json`, "utf8"))[name];
}

/** Opens a fixture until the test ends. */
export async function openFixture(name: string, options: OpenOptions = {}): Promise<Dataset> {
  const data = await open(`${FIXTURES}/${name}.loom`, options);
  onTestFinished(() => data.close());
  return data;
}

/** The fields of a table with their types, by name. */
export function typesOf(data: Dataset, table: string): Record<string, string> {
  return Object.fromEntries(data.table(table).schema.fields.map(({ name, type }) => [name, String(type)]));
}
