/** Plain files behind the server, with values by the CF conventions as netCDF4 reads them (test/fixtures/hdf5/make_plain_libraries.py). */

import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
});
