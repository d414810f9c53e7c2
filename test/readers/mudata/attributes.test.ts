import { expect, test } from "vitest";
import type { AttributeValue, Container, Group, Node } from "../../../src/containers/tree/container.js";
import { readAnnData } from "../../../src/readers/anndata/read.js";
import { createMuDataReader } from "../../../src/readers/mudata/read.js";
import { readPlans } from "../../../src/readers/reader.js";
import { memoryArray } from "../../stored-array.js";

type Attributes = Readonly<Record<string, AttributeValue>>;

function group(path: string, children: Readonly<Record<string, Node>>, attributes: Attributes = {}): Group {
  return {
    ...{ kind: "group", path, id: path, attributes: new Map(Object.entries(attributes)) },
    keys: async () => Object.keys(children),
    open: async (name) => children[name],
  };
}

function frame(path: string): Group {
  const texts = { kind: "variable", offsets: Int32Array.of(0, 1), bytes: Uint8Array.of(97) } as const;
  const storage = { form: "variable", encoding: "utf-8" } as const;
  const index = memoryArray({ kind: "text", storage }, [1], texts, { path: `${path}/_index` });
  const tag = { "encoding-type": "dataframe", "encoding-version": "0.2.0" };
  return group(path, { _index: index }, { ...tag, _index: "_index", "column-order": [] });
}

/** What is read of a MuData with these modalities. */
async function read(names: readonly string[], own: Attributes, order?: AttributeValue, mod?: Node) {
  const modality = (name: string): [string, Group] => {
    const path = `mod/${name}`;
    return [name, group(path, { obs: frame(`${path}/obs`), var: frame(`${path}/var`) })];
  };
  const modalities = Object.fromEntries(names.map(modality));
  const attributes: Attributes = order === undefined ? {} : { "mod-order": order };
  const root = group("", { mod: mod ?? group("mod", modalities, attributes), obs: frame("obs") }, own);
  const container: Container = {
    ...{ kind: "hdf5", name: "memory", root },
    dereference: async () => root,
    close: async () => undefined,
  };
  const { tables, failures, warnings } = await readPlans(createMuDataReader(readAnnData), container, root, {
    text: "error",
  });
  return {
    names: tables.map(({ name }) => name).filter((name) => name.endsWith("/obs")),
    ...{
      axis: tables[0]?.metadata.axis,
      failures: [...failures].map(([name, { problem }]) => [name, problem]),
      warnings,
    },
  };
}

test.each<[AttributeValue, unknown]>([
  [0, 0],
  [1n, 1],
  [-1, -1],
  [[1], 1],
])("axis %s", async (axis, expected) => {
  expect(await read(["a"], { axis })).toMatchObject({ axis: expected, warnings: [] });
});

test.each<[AttributeValue]>([[2], [null], [""], ["0"], [[0, 1]], [false], [0.5]])("axis %j is none", async (axis) => {
  const { axis: found, warnings } = await read(["a"], { axis });
  expect(found).toBeUndefined();
  expect(warnings).toEqual([`axis is ${JSON.stringify(axis)}, which is none of 0, 1 and -1; it is taken for 0`]);
});

test.each<[AttributeValue | undefined, readonly string[], number]>([
  [undefined, ["a", "b"], 0],
  [[], ["a", "b"], 0],
  [["b", "a"], ["b", "a"], 0],
  [["b"], ["b", "a"], 1],
  ["b", ["b", "a"], 1],
  [["b", "x"], ["a", "b"], 1],
  [[1, 2], ["a", "b"], 1],
  [7, ["a", "b"], 1],
])("mod-order %j", async (order, expected, notes) => {
  const { names, warnings } = await read(["a", "b"], {}, order);
  expect(names).toEqual(expected.map((name) => `mod/${name}/obs`));
  expect(warnings).toHaveLength(notes);
});

test("more modalities than any file has, and none", async () => {
  const many = Array.from({ length: 1001 }, (_, i) => `m${i}`);
  expect(await read(many, {})).toMatchObject({ names: [], failures: [["mod", "1001 modalities, more than 1000"]] });
  const array = memoryArray({ kind: "int", bits: 32, signed: true }, [1], {
    kind: "fixed",
    values: Int32Array.of(1),
  });
  const { failures } = await read([], { "encoding-type": "MuData" }, undefined, array);
  expect(failures).toEqual([["mod", "an array, the group of the modalities is needed"]]);
});
