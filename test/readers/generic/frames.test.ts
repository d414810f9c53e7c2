/** Arrays of one group as one table: read, and written as arrays again. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { convert, open, write } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import { tableOf } from "../anndata/expected.js";

async function openFile(path: string, options: OpenOptions) {
  const data = await open(path, options);
  onTestFinished(() => data.close());
  return data;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "annarrow-frames-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const COLUMNS = { time: [0.5, 1.5, 2.5], name: ["a", "é", ""], count: [3, 4, 5] };

/** A file with arrays of one length in `run/data` and in the root, and a shorter one in `short`. */
async function made(): Promise<string> {
  const path = join(await folder(), "made.h5");
  const arrays = Object.entries(COLUMNS).map(([name, value]) => [`run/data/${name}`, { value }] as const);
  const others = { "run/data/deeper/x": { value: [1] }, top: { value: [1, 2] }, "short/a": { value: [1] } };
  const tables = { ...Object.fromEntries(arrays), ...others, "short/b": { value: [1, 2] } };
  await write(path, tables, { format: "hdf5" });
  return path;
}

const NETCDF = "test/fixtures/data/plain/netcdf4.nc";

describe("reading", () => {
  test("the arrays are columns under their names, and no tables of their own", async () => {
    const data = await openFile(await made(), { frame: ["/run/data/"] });
    expect([...data.tables.keys()].sort()).toEqual(
      ["/", "run/data", "run/data/deeper/x", "short/a", "short/b", "top"].sort(),
    );
    expect((await tableOf(data.table("run/data"))).columns).toEqual(COLUMNS);
    expect(data.table("run/data").metadata).toMatchObject({ kind: "frame", shape: [3] });
  });

  test("the root is the table frame", async () => {
    const data = await openFile(await made(), { frame: ["/"] });
    expect((await tableOf(data.table("frame"))).columns).toEqual({ top: [1, 2] });
  });

  test("columns keep dimensions, attributes and what the CF conventions decode", async () => {
    const data = await openFile(NETCDF, { frame: ["model"] });
    const { columns } = await tableOf(data.table("model"));
    expect(columns).toEqual({
      p: [
        [0, 1, 2],
        [3, 4, 5],
      ],
      y: [
        [0, 1, 2],
        [3, 4, 5],
      ],
    });
    const [p] = data.table("model").schema.fields;
    expect(JSON.parse(p.metadata.get("annarrow") ?? "{}")).toMatchObject({ dimensions: ["level", "lat"] });
  });

  test("arrays of different lengths, and a group that there is not, are errors with names", async () => {
    const path = await made();
    await expect(open(path, { frame: ["short"] })).rejects.toThrow(
      /the arrays of "short" are no frame, since their lengths differ: a 1, b 2/,
    );
    await expect(open(path, { frame: ["run"] })).rejects.toThrow(/the group "run" has no arrays for a frame/);
    await expect(open(path, { frame: ["run/dat"] })).rejects.toThrow(
      /no group "run\/dat" for a frame; is it run\/data/,
    );
    await expect(open("examples/pbmc.h5ad", { frame: ["obs"] })).rejects.toThrow(/option frame.*plain HDF5 and Zarr/);
  });
});

describe("writing", () => {
  test.each([["again.h5", "hdf5"] as const, ["again.plain.zarr", "plain.zarr"] as const])(
    "%s has the arrays again",
    async (name, format) => {
      const input = await made();
      const output = join(await folder(), name);
      await convert(input, output, { format, frame: ["run/data", "/"] });
      const data = await openFile(output, {});
      const first = await openFile(input, {});
      expect([...data.tables.keys()].sort()).toEqual([...first.tables.keys()].sort());
      for (const [path, table] of first.tables) {
        if (!table.derived) expect(await tableOf(data.table(path)), path).toEqual(await tableOf(table));
      }
    },
  );

  test("attributes of columns stay", async () => {
    const output = join(await folder(), "again.h5");
    await convert(NETCDF, output, { format: "hdf5", frame: ["model"] });
    const data = await openFile(output, {});
    expect((await tableOf(data.table("model/p"))).columns.value).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });
});
