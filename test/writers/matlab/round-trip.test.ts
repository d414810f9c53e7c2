/** Files of MATLAB and of hdf5storage that are read and written again: the same classes, sizes and values. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { convert, type Dataset, open } from "../../../packages/published/src/node.js";
import { tablesOf } from "../../readers/anndata/expected.js";
import { openFixture } from "../../readers/matlab/fixtures.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-matlab-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a table says of itself. Logicals are marked as such where they were not. */
function said(data: Dataset) {
  return Object.fromEntries(
    [...data.tables].map(([name, { metadata, rows, schema }]) => [
      name,
      {
        ...{ rows, metadata: withoutMarks(metadata) },
        fields: schema.fields.map((one) => [
          one.name,
          String(one.type),
          withoutMarks(JSON.parse(one.metadata.get("annarrow") ?? "{}")),
        ]),
      },
    ]),
  );
}

function withoutMarks(metadata: object): unknown {
  return JSON.parse(JSON.stringify(metadata, (key, value) => (key === "int_decode" ? undefined : value)));
}

test.each(["arrays.mat", "containers.mat", "plain.h5", "python.mat"])("%s", async (file) => {
  const source = await openFixture(file);
  const path = join(folder, file.replace(/\.h5$/, ".mat"));
  const tables = [...source.tables.values()].filter((table) => !table.derived).map(({ name }) => name);
  const { tables: written } = await convert(`test/fixtures/data/matlab/${file}`, path, { lossy: true });
  expect(written.map(({ name }) => name).sort()).toEqual(tables.sort());
  const data = await open(path);
  onTestFinished(() => data.close());
  expect([...data.failures]).toEqual([]);
  expect(said(data)).toEqual(said(source));
  const [found, expected] = [await tablesOf(data), await tablesOf(source)];
  for (const [name, one] of Object.entries(expected)) expect(found[name], name).toEqual(one);
});
