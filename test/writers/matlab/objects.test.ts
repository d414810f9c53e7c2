/** Objects of MATLAB that are written back as they are stored, or refused. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { convert, type Dataset, open, write } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { AttributeValue, Container, Node } from "../../../src/containers/tree/container.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { tablesOf } from "../../readers/anndata/expected.js";
import { openFixture } from "../../readers/matlab/fixtures.js";

const FIXTURES = "test/fixtures/data/matlab";
const folder = mkdtempSync(join(tmpdir(), "annarrow-objects-"));
afterAll(() => rmSync(folder, { recursive: true }));
async function opened(path: string): Promise<Dataset> {
  const data = await open(path);
  onTestFinished(() => data.close());
  return data;
}

/** All that a file has, references followed; each object once, by its place in the order of visits. */
async function stored(path: string): Promise<unknown> {
  const container = await openHdf5(await openFileSource(path));
  onTestFinished(() => container.close());
  const seen = new Map<string, number>();
  const { root } = container;
  const keys = (await root.keys()).filter((key) => key !== "#refs#");
  const members: unknown[] = [];
  for (const key of keys) members.push([key, await nodeOf(await root.open(key), container, seen)]);
  return members;
}

async function nodeOf(node: Node, container: Container, seen: Map<string, number>): Promise<unknown> {
  const known = seen.get(node.id);
  if (known !== undefined) return known;
  seen.set(node.id, seen.size);
  // The names in #refs# are others.
  const attributes = [...node.attributes].filter(([name]) => name !== "H5PATH").sort(([a], [b]) => (a < b ? -1 : 1));
  const own = { attributes: attributes.map(([name, value]) => [name, plainValue(value)]) };
  if (node.kind === "group") {
    const members: unknown[] = [];
    for (const key of await node.keys()) members.push([key, await nodeOf(await node.open(key), container, seen)]);
    return { ...own, members };
  }
  const { type, shape } = node;
  const values = await node.read(0, shape?.[0] ?? 1);
  if (values.kind === "fixed" && type.kind === "reference") {
    const items: unknown[] = [];
    for (const address of values.values) {
      const bytes = new Uint8Array(new BigUint64Array([BigInt(address)]).buffer);
      items.push(await nodeOf(await container.dereference({ kind: "reference", bytes }), container, seen));
    }
    return { ...own, shape, items };
  }
  return {
    ...own,
    type,
    shape,
    values: JSON.stringify(values, (_, one) => (typeof one === "bigint" ? `${one}` : one)),
  };
}

/** Names of fields as text, whichever way they are listed. */
function plainValue(value: AttributeValue): AttributeValue {
  return Array.isArray(value) ? value.map((one) => (Array.isArray(one) ? one.join("") : one)) : value;
}

describe("objects as they were read", () => {
  test.each(["classes.mat", "objects.mat", "bad_objects.mat"])("%s", async (file) => {
    const path = join(folder, file);
    await convert(`${FIXTURES}/${file}`, path, { lossy: file === "bad_objects.mat" });
    const [source, data] = [await openFixture(file), await opened(path)];
    expect([...data.failures.keys()]).toEqual([...source.failures.keys()]);
    expect([...data.tables.keys()]).toEqual([...source.tables.keys()]);
    for (const [name, { metadata, schema }] of source.tables) {
      expect(data.table(name).metadata, name).toEqual(metadata);
      expect(String(data.table(name).schema), name).toEqual(String(schema));
    }
    expect(await stored(path)).toEqual(await stored(`${FIXTURES}/${file}`));
  });

  test("a dataset, or all its tables by name, one of them renamed", async () => {
    const source = await openFixture("objects.mat");
    const [whole, single] = [join(folder, "whole.mat"), join(folder, "single.mat")];
    await write(whole, source);
    const { times, ...rest } = Object.fromEntries(source.tables);
    await write(single, { ...rest, renamed: times });
    expect(await tablesOf(await opened(whole))).toEqual(await tablesOf(source));
    const data = await opened(single);
    expect(data.table("renamed").metadata).toEqual(times.metadata);
    expect(await tablesOf(data)).toMatchObject({ renamed: (await tablesOf(source)).times });
  });

  test("variables that are none go without the store", async () => {
    const path = join(folder, "plain.mat");
    await convert(`${FIXTURES}/classes.mat`, path, { tables: ["plain"] });
    expect(await stored(path)).toEqual([["plain", expect.anything()]]);
  });

  test("each table is said to be written, with its rows", async () => {
    const { tables } = await convert(`${FIXTURES}/classes.mat`, join(folder, "rows.mat"));
    const source = await openFixture("classes.mat");
    const leaves = [...source.tables.values()].filter((table) => !table.derived);
    expect(new Map(tables.map(({ name, rows }) => [name, rows]))).toEqual(
      new Map(leaves.map(({ name, rows }) => [name, rows])),
    );
  });
});

describe("objects that are not written", () => {
  const file = `${FIXTURES}/objects.mat`;
  const path = join(folder, "refused.mat");
  afterEach(() => rmSync(path, { force: true }));

  test("where others of the file are left out", async () => {
    const options = { tables: ["strings"] };
    await expect(convert(file, path, options)).rejects.toThrow(
      /strings: objects that share their store with those of frame, which is left out or not as it was read; write frame/,
    );
    const { warnings } = await convert(file, path, { ...options, lossy: true });
    expect(warnings.join()).toMatch(
      /none of them is written as an object.*string objects, which are written back only/s,
    );
    expect(await tablesOf(await opened(path))).toMatchObject({
      strings: {
        columns: {
          value: [
            ["a", "bé😀"],
            ["", "d"],
          ],
        },
      },
    });
  });

  test("where a property of one is left out", async () => {
    const source = await openFixture("classes.mat");
    const { "point/x": _, ...rest } = Object.fromEntries(source.tables);
    await expect(write(path, rest)).rejects.toThrow(/share their store with those of point, which is left out/);
  });

  test("where a table may have been changed", async () => {
    const source = await openFixture("objects.mat");
    const tables = { ...Object.fromEntries(source.tables), times: await source.table("times").read() };
    await expect(write(path, tables)).rejects.toThrow(/share their store with those of times/);
    await expect(write(path, { times: tables.times })).rejects.toThrow(
      /times: datetime objects, which are written back only from the open file that they were read from, all and unchanged; convert/,
    );
    const changed = { ...source.table("times"), batches: (options?: object) => source.table("times").batches(options) };
    const { name, schema, rows, metadata, derived, axis, layouts } = source.table("times");
    const given = { ...changed, name, schema, rows, metadata, derived, axis, layouts };
    await expect(write(path, { ...Object.fromEntries(source.tables), times: given })).rejects.toThrow(/those of times/);
  });

  test("where they come from two files", async () => {
    const [one, other] = [await openFixture("objects.mat"), await openFixture("classes.mat")];
    const tables = { ...Object.fromEntries(one.tables), calendar: other.table("calendar") };
    await expect(write(path, tables)).rejects.toThrow(
      /calendar: objects of another file than those of .*, and a file has one store of objects; write each/,
    );
  });

  test("where tables lay in files of their own in between", async () => {
    const directory = join(folder, "tables");
    await convert(file, directory, { format: "arrow" });
    await expect(convert(directory, path)).rejects.toThrow(/objects, which are written back only from the open file/);
    const { warnings } = await convert(directory, path, { lossy: true });
    expect(warnings.length).toBeGreaterThan(0);
    expect((await opened(path)).failures.size).toBe(0);
  });
});
