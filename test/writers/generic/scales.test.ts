/** Dimension scales that are written, as the attributes of the file. test/interop/test_plain.py reads them by other libraries. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { convert, open } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { AttributeValue, Container, Reference } from "../../../src/containers/tree/container.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { findScales, type NamedArray } from "../../../src/writers/generic/scales.js";
import { openArray } from "../../containers/hdf5/fixture.js";
import { FLOAT64, float64, reopened, written } from "../../containers/hdf5/write/written.js";
import { tableOf } from "../../readers/anndata/expected.js";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "annarrow-scales-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

function isReference(value: AttributeValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

/** The paths of the objects at which an attribute points, nested as stored. */
async function targets(container: Container, value: AttributeValue | undefined): Promise<unknown> {
  if (isReference(value)) return (await container.dereference(value)).path;
  if (Array.isArray(value)) return Promise.all(value.map((one: AttributeValue) => targets(container, one)));
  if (typeof value === "object" && value !== null && "dataset" in value && "dimension" in value) {
    return [await targets(container, value.dataset), value.dimension];
  }
  return value;
}

test("a file of NetCDF-4 keeps its dimensions and their names, with and without values", async () => {
  const input = "test/fixtures/data/plain/netcdf4.nc";
  const output = join(await folder(), "out.h5");
  await convert(input, output, { format: "hdf5" });
  await using first = await open(input);
  await using again = await open(output);
  const dimensions = (data: typeof first) =>
    [...data.tables].map(([name, table]) => [name, table.metadata.dimensions ?? null]);
  expect(dimensions(again)).toEqual(dimensions(first));
  expect(dimensions(first).filter(([, names]) => names !== null).length).toBeGreaterThan(5);
  const listed = async (data: typeof first) => {
    const { columns } = await tableOf(data.table("/"));
    return columns.path.flatMap((path, i) => (columns.kind[i] === "dimension" ? [[path, columns.shape[i]]] : []));
  };
  expect(await listed(again)).toEqual(await listed(first));
});

const array = (path: string, shape: readonly number[], ...names: (string | null)[]): NamedArray => ({
  ...{ path, shape, names, hasOwnNames: false },
});

test.each([
  ["in the group", [array("g/x", [3], "x"), array("x", [3], "x"), array("g/v", [3], "x")], "g/x"],
  ["above the group", [array("x", [3], "x"), array("a/b/v", [3], "x")], "x"],
  ["the only one elsewhere", [array("s/x", [3], "x"), array("a/v", [3], "x")], "s/x"],
  ["none of two elsewhere", [array("s/x", [3], "x"), array("t/x", [3], "x"), array("a/v", [3], "x")], "a/x"],
  ["none of another length", [array("x", [4], "x"), array("a/v", [3], "x")], "a/x"],
  ["none that another array is", [array("a/x", [4]), array("a/v", [3], "x")], null],
  ["no name of an object", [array("v", [3], "a/b")], null],
  ["no empty name", [array("v", [3], "")], null],
] as const)("the scale of a dimension: %s", (_, arrays, expected) => {
  const reserved: string[] = [];
  const taken = new Set(arrays.map(({ path }) => path));
  const reserve = (path: string) => BigInt(reserved.push(path));
  const scales = findScales(arrays, { taken, dimensions: new Map(), reserve });
  const { path } = arrays[arrays.length - 1];
  const list = scales.attributesOf(path).get("DIMENSION_LIST")?.values;
  const items = list?.kind === "sequence" && list.values.kind === "fixed" ? [...list.values.values] : [];
  expect(items.map((item) => reserved.findLastIndex((_, i) => BigInt(i + 1) === item)).map((i) => reserved[i])).toEqual(
    expected === null ? [] : [expected],
  );
  expect(scales.isScaled(path)).toBe(expected !== null);
  expect(scales.bare.has(expected ?? "")).toBe(expected !== null && !taken.has(expected));
});

test("scales and arrays point at each other, whichever is written first", async () => {
  const input = join(await folder(), "in.h5");
  const output = join(await folder(), "out.h5");
  const { readFile, writeFile } = await import("node:fs/promises");
  const labels = (...names: string[]) => ({
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const,
    shape: [names.length],
    values: {
      kind: "variable",
      offsets: Int32Array.from([0, ...names.map((_, i) => i + 1)]),
      bytes: new TextEncoder().encode(names.join("")),
    } as const,
  });
  const bytes = await written(async ({ root }) => {
    const one = async (name: string, shape: readonly [number, ...number[]], ...names: string[]) => {
      const made = await root.array(name, {
        ...{ type: FLOAT64, shape, attributes: new Map([["DIMENSION_LABELS", labels(...names)]]) },
      });
      const values = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i);
      await made.write(float64(...values), shape[0]);
      await made.close();
    };
    await one("a", [3], "x");
    await one("x", [3], "x");
    await one("z", [3, 2], "x", "y");
  });
  await writeFile(input, bytes);
  await convert(input, output, { format: "hdf5" });
  const container = await openHdf5(createBytesSource(new Uint8Array(await readFile(output)), "out.h5"));
  onTestFinished(() => container.close());
  const attributes = async (path: string) => (await openArray(container, path)).attributes;
  for (const [path, scales] of [["a", [["x"]]] as const, ["z", [["x"], ["y"]]] as const]) {
    expect(await targets(container, (await attributes(path)).get("DIMENSION_LIST"))).toEqual(scales);
  }
  const x = await attributes("x");
  expect([x.get("CLASS"), x.get("NAME")]).toEqual(["DIMENSION_SCALE", "x"]);
  expect(await targets(container, x.get("REFERENCE_LIST"))).toEqual([
    ["a", 0],
    ["z", 0],
  ]);
  const y = await openArray(container, "y");
  expect(y.shape).toEqual([2]);
  expect(y.attributes.get("NAME")).toBe("This is a netCDF dimension but not a netCDF variable.         2");
  expect(await targets(container, y.attributes.get("REFERENCE_LIST"))).toEqual([["z", 1]]);
});

test("an array that was referred to must be added", async () => {
  await expect(
    written(async (file) => {
      file.reserve("later");
    }),
  ).rejects.toThrow("later: the array was never added");
});

test("an array without values reads as zeros", async () => {
  const container = await reopened(async ({ root }) => {
    await (await root.array("none", { type: FLOAT64, shape: [2 ** 40], unwritten: true })).close();
  });
  const none = await openArray(container, "none");
  expect(none.shape).toEqual([2 ** 40]);
  expect(await none.read(5, 7)).toEqual(float64(0, 0));
});
