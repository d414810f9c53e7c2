/** Stores of every age, written again: anndata's own values, and the same schemas and metadata as before. */

import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openStored } from "../../../src/api/open.node.js";
import { createHdf5 } from "../../../src/containers/hdf5/write/container.js";
import type { ContainerWriter } from "../../../src/containers/tree/container-writer.js";
import { createZarr } from "../../../src/containers/zarr/write/container.js";
import { createBytesTarget, mapTarget } from "../../../src/io/targets/memory.js";
import { createChunkEncoder } from "../../../src/jobs/workers/chunk-encoder.js";
import type { Dataset } from "../../../src/model/dataset.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { toStoredColumnTable } from "../../../src/tables/given/table-forms.js";
import { StoredTable } from "../../../src/tables/stored-table.js";
import { writeAnnData } from "../../../src/writers/anndata/write.js";
import { expectedOf, FIXTURES, openFixture, tablesOf } from "../../readers/anndata/expected.js";
import { asOpened, ints, table } from "../tables.js";
import { frames } from "./write.js";

const FILES = [
  "modern.h5ad",
  "modern.v2.zarr.zip",
  "modern.v3s.zarr.zip",
  "plain.h5ad",
  "plain.v3.zarr.zip",
  "empty.h5ad",
  "empty.v2.zarr.zip",
];
const LEGACY = [
  "legacy_0_4_csr.h5ad",
  "legacy_0_4_names.h5ad",
  "legacy_0_6.h5ad",
  "legacy_0_7.h5ad",
  "legacy_0_7.v2.zarr.zip",
];
const TARGETS = ["hdf5", "zarr2", "zarr3"] as const;

/** A fixture, written to memory in another container and opened from there. */
async function rewritten(file: string, kind: (typeof TARGETS)[number]): Promise<Dataset> {
  const source = await openStored(`${FIXTURES}/${file}`);
  const encoder = createChunkEncoder();
  onTestFinished(async () => {
    encoder.close();
    await source.close();
  });
  const bytes = createBytesTarget();
  const store = new Map<string, Uint8Array>();
  const keys = mapTarget(store);
  const target = kind === "hdf5" ? bytes : keys;
  const container: ContainerWriter =
    kind === "hdf5"
      ? createHdf5(bytes, { encoder, compression: { kind: "gzip", level: 1 } })
      : createZarr(keys, {
          version: kind === "zarr2" ? 2 : 3,
          encoder,
          compression: { kind: "gzip", level: 1 },
        });
  const tables = new Map<string, ColumnTable>();
  for (const [name, table] of source.tables) {
    if (!(table instanceof StoredTable)) throw new TypeError("stores have stored tables");
    tables.set(name, toStoredColumnTable(table));
  }
  const { warnings } = await writeAnnData(container, tables, {
    profile: "portable",
    lossy: false,
    shape: source.shape,
  });
  expect(warnings).toEqual([]);
  await container.close();
  await target.commit();
  const data = await open(kind === "hdf5" ? bytes.bytes() : store);
  onTestFinished(() => data.close());
  return data;
}

/** Everything that a table says before its rows are read, but for the width of text in records, which Zarr alone has. */
function schemas(data: Dataset) {
  return Object.fromEntries(
    [...data.tables].map(([name, table]) => [
      name,
      {
        rows: table.rows,
        metadata: table.metadata,
        fields: table.schema.fields.map((field) => [
          field.name,
          String(field.type),
          field.nullable,
          withoutWidth(field.metadata),
        ]),
      },
    ]),
  );
}

function withoutWidth(metadata: ReadonlyMap<string, string>): object {
  const { storage: _, ...rest } = JSON.parse(metadata.get("annarrow") ?? "{}");
  return rest;
}

describe.each(TARGETS)("to %s", (kind) => {
  test.each(FILES)("%s", async (file) => {
    const [data, source] = [await rewritten(file, kind), await openFixture(file)];
    expect(Object.fromEntries(data.failures)).toEqual({});
    expect([data.container, data.version, data.shape]).toEqual([kind, "0.1.0", source.shape]);
    const expected = expectedOf(file.slice(0, file.indexOf(".")));
    const found = await tablesOf(data);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, one] of Object.entries(expected)) expect(found[name], name).toEqual(one);
    expect(schemas(data)).toEqual(schemas(source));
  });

  test.each(LEGACY)("%s, in its newest form", async (file) => {
    const data = await rewritten(file, kind);
    expect(Object.fromEntries(data.failures)).toEqual({});
    expect(data.version).toBe("0.1.0");
    const expected = expectedOf(file.slice(0, file.indexOf(".")));
    const found = await tablesOf(data);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, one] of Object.entries(expected)) expect(found[name], name).toEqual(one);
  });
});

test("mappings that are not there, and scalars stored as arrays of one, stay so", async () => {
  const metadata = { kind: "dataframe", index: "_index", absent: ["varm", "varp", "uns"] };
  const obs = { ...frames(2, 1)[0], metadata };
  const scalar = {
    kind: "numeric-scalar",
    shape: [],
    dims: [1],
    encoding: { type: "numeric-scalar", version: "0.2.0" },
  };
  const one = asOpened(table("extra/n", [{ value: ints(Int32Array.of(7)) }], { metadata: scalar }), "anndata");
  const tables = new Map([obs, frames(2, 1)[1], one].map((each) => [each.name, each]));
  const bytes = createBytesTarget();
  const encoder = createChunkEncoder();
  onTestFinished(() => encoder.close());
  const container = createHdf5(bytes, { encoder, compression: { kind: "none" } });
  await writeAnnData(container, tables, { profile: "portable", lossy: false, shape: null });
  await container.close();
  await bytes.commit();
  const data = await open(bytes.bytes());
  onTestFinished(() => data.close());
  expect(data.table("obs").metadata.absent).toEqual(["varm", "varp", "uns"]);
  expect(data.table("extra/n").metadata).toEqual(scalar);
});
