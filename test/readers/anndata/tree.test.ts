import { expect, test } from "vitest";
import type { Container, Group, Node } from "../../../src/containers/tree/container.js";
import { WalkLimit } from "../../../src/containers/tree/walk-limit.js";
import { openMappingChild } from "../../../src/readers/anndata/open-element.js";
import { ConcurrencyLimit } from "../../../src/readers/concurrency.js";
import type { ReaderContext } from "../../../src/readers/reader.js";
import { FoundElements, walkMapping } from "../../../src/readers/tree.js";
import { memoryArray } from "../../stored-array.js";

/** A group whose children are known by name; nothing else is in it. */
function group(id: string, children: Readonly<Record<string, Node>>): Group {
  return {
    kind: "group",
    path: id,
    id,
    attributes: new Map(),
    keys: async () => Object.keys(children),
    open: async (name) => children[name],
  };
}

async function walked(root: Group) {
  const container: Container = {
    kind: "hdf5",
    name: "memory",
    root,
    dereference: async () => root,
    close: async () => undefined,
  };
  const found = new FoundElements();
  const reading = { options: {}, concurrency: new ConcurrencyLimit(), walkLimit: new WalkLimit() };
  const cx: ReaderContext = { container, text: "error", ...reading, warn: () => undefined };
  const nodes = await walkMapping("uns", root, found, cx, openMappingChild);
  return { nodes, found };
}

test("groups to which two links lead stand under both names", async () => {
  const inner = group("inner", { leaf: group("leaf", {}) });
  const { nodes, found } = await walked(group("root", { a: inner, b: inner }));
  expect(nodes.map(({ path }) => path)).toEqual(["uns/a", "uns/a/leaf", "uns/b", "uns/b/leaf"]);
  expect(found.failures.size).toBe(0);
});

test("thirty groups to which two links lead each are not 2^30 elements", async () => {
  let inner = group("0", {});
  for (let i = 1; i <= 30; i++) inner = group(String(i), { a: inner, b: inner });
  const { nodes, found } = await walked(inner);
  expect(nodes.length).toBeLessThan(11_000);
  expect(found.failures.size).toBeGreaterThan(0);
  for (const failure of found.failures.values()) expect(failure.message).toMatch(/the same groups again and again/);
});

test("arrays of many empty rows are listed without their values", async () => {
  const empty = (shape: readonly number[]) =>
    memoryArray({ kind: "int", bits: 32, signed: true }, shape, { kind: "fixed", values: new Int32Array(0) });
  const { nodes } = await walked(
    group("root", { few: empty([3, 0]), wide: empty([0, 2 ** 40]), many: empty([2 ** 31 + 10, 0]) }),
  );
  const valued = nodes.filter(({ value }) => value !== null).map(({ path }) => path);
  expect(valued).toEqual(["uns/few", "uns/wide"]);
});
