/** What is taken from memory that a local file keeps is what is read of the same bytes elsewhere. */

import { readdirSync, readFileSync } from "node:fs";
import type { Data } from "apache-arrow";
import { expect, test } from "vitest";
import { type Dataset, open } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { Container, Group, Node, StoredArray } from "../../../src/containers/tree/container.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";

const FOLDER = "test/fixtures/data/matlab";
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".mat"));

/** Everything that a column consists of. */
function buffersOf({ type, length, nullCount, values, valueOffsets, nullBitmap, children, dictionary }: Data): unknown {
  return {
    ...{ type: String(type), length, nullCount, values, valueOffsets, nullBitmap },
    children: children.map(buffersOf),
    dictionary: dictionary?.data.map(buffersOf),
  };
}

async function told(dataset: Dataset): Promise<unknown> {
  const tables: unknown[] = [];
  for (const [name, table] of dataset.tables) {
    const { metadata, rows } = table;
    const values = await table.read().then(
      (read) => read.batches.map(({ data }) => buffersOf(data)),
      (error: Error) => error.message.replace(/^[^:]*\.mat: |^bytes: /, ""),
    );
    tables.push({ name, metadata, rows, fields: table.schema.fields.map(String), values });
  }
  const failures = [...dataset.failures].map(([name, { tag, problem }]) => [name, tag, problem]);
  return { tables, failures, warnings: dataset.warnings };
}

test.each(FILES)("the tables of %s", async (name) => {
  const path = `${FOLDER}/${name}`;
  const [local, elsewhere] = [await open(path), await open(new Uint8Array(readFileSync(path)))];
  expect(await told(local)).toEqual(await told(elsewhere));
  await local.close();
});

/** Every object by its path, opened by its name. */
async function objects(group: Group, seen = new Set<string>()): Promise<Node[]> {
  const found: Node[] = [];
  for (const key of await group.keys()) {
    const node = await group.open(key).catch(() => null);
    if (node === null || seen.has(node.id)) continue;
    seen.add(node.id);
    found.push(node);
    if (node.kind === "group") found.push(...(await objects(node, seen)));
  }
  return found;
}

const valuesOf = (array: StoredArray) =>
  array.read(0, array.shape?.[0] ?? 1).then(
    (values) => values,
    (error: Error) => error.constructor.name,
  );

function described(node: Node) {
  const common = { path: node.path, id: node.id, attributes: node.attributes };
  return node.kind === "group" ? common : { ...common, type: node.type, shape: node.shape, chunks: node.chunks };
}

function reference({ id }: Node) {
  return { kind: "reference", bytes: new Uint8Array(BigUint64Array.of(BigInt(id)).buffer) } as const;
}

test.each(FILES)("the objects of %s", async (name) => {
  const local: Container = await openHdf5(await openFileSource(`${FOLDER}/${name}`));
  const elsewhere = await openHdf5(createBytesSource(new Uint8Array(readFileSync(`${FOLDER}/${name}`))));
  const [ours, theirs] = [await objects(local.root), await objects(elsewhere.root)];
  expect(ours.map(described)).toEqual(theirs.map(described));
  let held = 0;
  for (const [i, node] of ours.entries()) {
    const other = theirs[i];
    if (node.kind === "group" || other.kind === "group") continue;
    const values = await valuesOf(other);
    expect(await valuesOf(node)).toEqual(values);
    const { inMemory } = node.capabilities ?? {};
    if (inMemory !== undefined) expect(inMemory()).toEqual(values);
    expect(elsewhere.dereferenceInMemory?.(reference(other)) ?? null).toBeNull();
    // Found once, it is at hand.
    await local.dereference(reference(node));
    const array = local.dereferenceInMemory?.(reference(node)) ?? null;
    if (array === null) continue;
    held++;
    expect(described(array)).toEqual(described(node));
    expect(array.capabilities?.inMemory?.() ?? (await valuesOf(array))).toEqual(values);
    if (array.shape === null) continue;
    const view = array.capabilities?.view?.({ form: "reversed", bool: false });
    const same = other.capabilities?.view?.({ form: "reversed", bool: false });
    if (view !== undefined && same !== undefined) expect(await valuesOf(view)).toEqual(await valuesOf(same));
    const target = new Uint8Array(4096);
    const bytes = values !== null && typeof values === "object" && values.kind === "fixed" ? values.values : null;
    if (array.readInto === undefined || bytes === null) continue;
    const part = target.subarray(0, bytes.byteLength);
    await array.readInto(0, array.shape[0] ?? 1, part);
    expect(part).toEqual(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  if (/arrays|structs|cells/.test(name)) expect(held).toBeGreaterThan(0);
  await local.close();
});
