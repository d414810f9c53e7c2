/** MuData files, written again in every container: the same values, schemas, axis and order of modalities. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { convert, type Dataset, open, write, writeBytes } from "../../../packages/published/src/node.js";
import { tablesOf } from "../../readers/anndata/expected.js";
import { expectedOf, FIXTURES, modalitiesOf, openFixture } from "../../readers/mudata/fixtures.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-mudata-"));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;
const place = (extension: string) => join(folder, `${made++}${extension}`);

async function opened(path: string | Uint8Array): Promise<Dataset> {
  const data = await open(path);
  onTestFinished(() => data.close());
  return data;
}

/** Everything that a table says before its rows are read. */
function schemas(data: Dataset) {
  return Object.fromEntries(
    [...data.tables].map(([name, { metadata, rows, schema }]) => [
      name,
      { metadata, rows, fields: schema.fields.map((one) => [one.name, String(one.type), [...one.metadata]]) },
    ]),
  );
}

async function expectSame(data: Dataset, file: string): Promise<void> {
  const source = await openFixture(file);
  expect([data.format, data.version, data.shape]).toEqual(["mudata", "0.1.0", source.shape]);
  expect([data.failures.size, data.warnings]).toEqual([0, []]);
  expect(modalitiesOf(data)).toEqual(modalitiesOf(source));
  const expected = expectedOf(file.slice(0, file.indexOf(".")));
  const found = await tablesOf(data);
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, one] of Object.entries(expected)) expect(found[name], name).toEqual(one);
  expect(data.table("obs").metadata.axis).toBe(source.table("obs").metadata.axis ?? 0);
  if (!file.startsWith("legacy")) expect(schemas(data)).toEqual(schemas(source));
}

describe.each([
  [".h5mu", {}, "hdf5"],
  [".zarr", {}, "zarr2"],
  [".zarr", { zarrFormat: 3 }, "zarr3"],
  [".mudata.zarr.zip", {}, "zarr2"],
] as const)("to %s %o", (extension, options, container) => {
  test.each(["axis0.h5mu", "axis0.v2.zarr.zip", "axis0.v3.zarr.zip", "axis1.h5mu", "both.h5mu", "legacy.h5mu"])(
    "%s",
    async (file) => {
      const path = place(extension);
      const { warnings } = await convert(`${FIXTURES}/${file}`, path, options);
      expect(warnings).toEqual([]);
      const data = await opened(path);
      expect(data.container).toBe(container);
      await expectSame(data, file);
    },
  );
});

test("HDF5 to Zarr, to Parquet, and back to HDF5 behind a user block", async () => {
  const [zarr, tables, file] = [place(".zarr"), place(""), place(".h5mu")];
  await convert(`${FIXTURES}/axis1.h5mu`, zarr);
  await convert(zarr, tables, { format: "parquet" });
  const parquet = await opened(tables);
  expect(parquet.table("mod/new/obs").axis).toBe("row");
  await convert(tables, file);
  await expectSame(await opened(file), "axis1.h5mu");
  const head = readFileSync(file).subarray(0, 520);
  expect(head.subarray(0, 24).toString()).toBe("MuData (format-version=0");
  expect(head.subarray(100, 512).every((byte) => byte === 0)).toBe(true);
  expect(head.subarray(512).toString("latin1")).toBe("\x89HDF\r\n\x1a\n");
});

test("the order of modalities is that of the given tables", async () => {
  const data = await openFixture("axis0.h5mu");
  const names = [...data.tables.keys()].filter((name) => /^mod\/\w+\/(X|obs|var)$/.test(name)).reverse();
  const tables = Object.fromEntries(names.map((name) => [name, data.table(name)]));
  const bytes = await writeBytes("h5mu", tables);
  const again = await opened(bytes);
  expect(modalitiesOf(again)).toEqual(["prot", "rna"]);
  expect([...again.tables.keys()].filter((name) => !name.startsWith("mod/"))).toEqual(["uns"]);
  expect(await tablesOf(again)).toEqual(
    Object.fromEntries(Object.entries(expectedOf("axis0")).filter(([name]) => names.includes(name))),
  );
});

test("tables named as those of modalities are a MuData in Zarr, too", async () => {
  const data = await openFixture("both.h5mu");
  const names = ["mod/whole/X", "mod/whole/obs", "mod/whole/var"];
  const store = new Map<string, Uint8Array>();
  await write(store, new Map(names.map((name) => [name, data.table(name)])));
  const again = await open(store);
  onTestFinished(() => again.close());
  expect(again.format).toBe("mudata");
  expect([...again.tables.keys()]).toEqual(expect.arrayContaining(names));
});
