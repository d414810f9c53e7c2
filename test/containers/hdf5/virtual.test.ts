/** Virtual datasets: libhdf5 puts them together, from datasets of the same file alone. */

import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { StoredValues } from "../../../src/model/stored.js";
import { bytesSource, fixtureBytes, openArray, openFixture, rowsOf, type Way } from "./fixture.js";

/** What h5py reads. */
const expected: Readonly<Record<string, { readonly shape: readonly number[]; readonly values: readonly number[] }>> =
  JSON.parse(readFileSync("test/fixtures/data/hdf5/virtual.json", "utf8"));

function numbers(values: StoredValues): number[] {
  if (values.kind !== "fixed") throw new Error("no numbers");
  return [...values.values].map(Number);
}

describe.each(["in memory", "in place"] satisfies Way[])("%s", (way) => {
  test.each(Object.entries(expected))("%s has h5py's values", async (name, { shape, values }) => {
    const container = await openFixture("virtual", way);
    const array = await openArray(container, name);
    expect(array.shape).toEqual(shape);
    expect(array.plan).toBeUndefined();
    expect(numbers(await array.read(0, rowsOf(array)))).toEqual(values);
    expect(numbers(await array.read(1, 3))).toEqual(values.slice(shape[1], 3 * shape[1]));
    await container.close();
  });

  test("the dimensions in reverse order", async () => {
    const container = await openFixture("virtual", way);
    const { shape, values } = expected.columns;
    const turned = (await openArray(container, "columns")).capabilities?.view?.({ form: "reversed", bool: false });
    if (turned === undefined) throw new Error("no view");
    expect(turned.shape).toEqual([...shape].reverse());
    const [rows, columns] = shape;
    const wanted = Array.from(
      { length: rows * columns },
      (_, i) => values[(i % rows) * columns + Math.floor(i / rows)],
    );
    expect(numbers(await turned.read(0, columns))).toEqual(wanted);
    await container.close();
  });

  test.each([
    ["other_file", "virtual dataset: the values lie in the file virtual_other.h5"],
    ["other_link", "external link to /a in the file other.h5"],
    ["of_virtual", "virtual dataset of the virtual dataset /rows"],
    ["of_itself", "virtual dataset of the virtual dataset /of_itself"],
    ["of_lzf", "virtual dataset of /lzf, which has the HDF5 filter 32000 (lzf)"],
  ])("%s is refused before any value is read", async (name, message) => {
    const container = await openFixture("virtual", way);
    await expect(container.root.open(name)).rejects.toMatchObject({
      tag: "UnsupportedError",
      element: name,
      message: expect.stringContaining(message),
    });
    await container.close();
  });

  test("what no source stores is counted before it is made", async () => {
    const container = await openFixture("virtual", way);
    const told: number[] = [];
    const onUnwritten = (bytes: number) => {
      told.push(bytes);
      if (bytes > 2 ** 20) throw new Error("too many");
    };
    const huge = await openArray(container, "huge");
    await expect(huge.read(0, 2 ** 20, { onUnwritten })).rejects.toThrow("too many");
    expect(numbers(await huge.read(5, 7, { onUnwritten }))).toEqual([20, 21, 22, 23, 3, 3, 3, 3]);
    // 20 rows, of which one source stores 6.
    told.length = 0;
    const gaps = await openArray(container, "gaps");
    await gaps.read(0, 20, { onUnwritten });
    expect(told.reduce((sum, bytes) => sum + bytes)).toBeCloseTo(14 * 16, 6);
    await container.close();
  });
});

test("a file beside it is not opened, though it is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-virtual-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["virtual.h5", "virtual_other.h5", "other.h5"]) {
    copyFileSync("test/fixtures/data/hdf5/virtual.h5", join(folder, name));
  }
  const container = await openHdf5(bytesSource(fixtureBytes("virtual")), join(folder, "virtual.h5"));
  for (const name of ["other_file", "other_link"]) {
    await expect(container.root.open(name)).rejects.toMatchObject({ tag: "UnsupportedError" });
  }
  await container.close();
});
