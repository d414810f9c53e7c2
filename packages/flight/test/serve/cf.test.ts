/** Plain files behind the server, with frames, and with values by the CF conventions as netCDF4 reads them (test/fixtures/hdf5/make_plain_libraries.py). */

import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { write } from "../../../published/src/node.js";
import { served } from "./served.js";

test.each([
  [true, 4],
  [false, 5],
])("with cf %s", { timeout: 120_000 }, async (cf, present) => {
  const it = await served({ cf });
  onTestFinished(() => it.close());
  await copyFile("test/fixtures/data/plain/netcdf4.nc", join(it.folder, "climate.nc"));
  const table = await fetch(`${it.http}/climate.nc/hours?format=json`);
  expect(table.status).toBe(200);
  const text = await table.text();
  expect(text.includes("1900-01-01")).toBe(cf);
  const sql = encodeURIComponent("select count(value) as n from big");
  const own = await fetch(`${it.http}/climate.nc?sql=${sql}&format=json`);
  expect(await own.text()).toContain(`"n":${present}`);
  const times = encodeURIComponent("select count(value) as n from hours");
  const counted = await fetch(`${it.http}/climate.nc?sql=${times}&format=json`);
  expect(await counted.text()).toContain(`"n":${present}`);
  // An annotated matrix beside the plain file has its own tables.
  const cells = encodeURIComponent("select count(*) as n from obs");
  expect(await (await fetch(`${it.http}/pbmc.h5ad?sql=${cells}&format=json`)).text()).toContain('"n":2700');
});

test("the arrays of a group as one table, for reading and for statements", { timeout: 120_000 }, async () => {
  const it = await served({ frame: ["runs"] });
  onTestFinished(() => it.close());
  const tables = { "runs/id": { value: [1, 2, 3] }, "runs/depth": { value: [0.5, 1.5, 2.5] }, other: { value: [1] } };
  await write(join(it.folder, "runs.h5"), tables, { format: "hdf5" });
  await write(join(it.folder, "none.h5"), { other: { value: [1] } }, { format: "hdf5" });
  const table = await fetch(`${it.http}/runs.h5/runs?format=json`);
  const lines = (await table.text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { depth: 0.5, id: 1 },
    { depth: 1.5, id: 2 },
    { depth: 2.5, id: 3 },
  ]);
  const sql = encodeURIComponent("select sum(depth * id) as s from runs");
  expect(await (await fetch(`${it.http}/runs.h5?sql=${sql}&format=json`)).text()).toContain('"s":11');
  const without = await fetch(`${it.http}/none.h5/other?format=json`);
  expect(without.status).toBe(400);
  expect(JSON.parse(await without.text()).message).toContain('no group "runs" for a frame');
  // An annotated matrix has its own tables.
  expect((await fetch(`${it.http}/pbmc.h5ad/obs?format=json`)).status).toBe(200);
});
