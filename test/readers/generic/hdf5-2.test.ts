/** A file of HDF5 2.0, of `test/fixtures/hdf5/make_hdf5_2.py`: its new types have the values that HDF5 converts. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";

const EXPECTED: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync("test/fixtures/data/hdf5/hdf5_2.json", "utf8"),
);

test.each(Object.keys(EXPECTED))("%s", async (name) => {
  const data = await open("test/fixtures/data/hdf5/hdf5_2.h5");
  const table = await data.table(name).read();
  // JSON has no infinity, which HDF5 makes of what is too large for the type.
  expect(JSON.parse(JSON.stringify(table.toArray().map((row) => row.toJSON().value)))).toEqual(EXPECTED[name]);
  await data.close();
});

test("complex numbers of half floats are refused alone", async () => {
  const { failures } = await open("test/fixtures/data/hdf5/hdf5_2.h5");
  expect([...failures].map(([name, error]) => [name, error.tag])).toEqual([["complex32", "UnsupportedError"]]);
});
