/** Tables as a MATLAB file, opened again: by this library, and as the HDF5 that it is. */

import { onTestFinished } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { Container, Group, Node, StoredArray } from "../../../src/containers/tree/container.js";
import type { AnyStoreOptions } from "../../../src/formats/store-options.js";
import { writeStore } from "../../../src/formats/write-store.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { createBytesTarget } from "../../../src/io/targets/memory.js";
import type { Dataset } from "../../../src/model/dataset.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";

export interface Written {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly data: Dataset;
  readonly file: Container;
}

export async function writeTables(tables: readonly ColumnTable[], options: AnyStoreOptions = {}): Promise<Written> {
  const target = createBytesTarget("new.mat");
  const named = { format: "tables", tables: new Map(tables.map((one) => [one.name, one])), shape: null } as const;
  const { warnings } = await writeStore(named, "mat", target, options);
  const bytes = target.bytes();
  const data = await open(bytes);
  onTestFinished(() => data.close());
  return { bytes, warnings, data, file: await openHdf5(createBytesSource(bytes)) };
}

/** The node at a path. */
export async function nodeAt({ file }: Written, path: string): Promise<Node> {
  let node: Node = file.root;
  for (const name of path.split("/")) {
    if (node.kind !== "group") throw new Error(`${name} below an array`);
    node = await node.open(name);
  }
  return node;
}

export async function arrayAt(written: Written, path: string): Promise<StoredArray> {
  const node = await nodeAt(written, path);
  if (node.kind !== "array") throw new Error(`${path} is a group`);
  return node;
}

export async function groupAt(written: Written, path: string): Promise<Group> {
  const node = await nodeAt(written, path);
  if (node.kind !== "group") throw new Error(`${path} is an array`);
  return node;
}

/** The shape and the values in the order of the file. */
export async function storedAt(written: Written, path: string) {
  const array = await arrayAt(written, path);
  const values = await array.read(0, array.shape?.[0] ?? 1);
  return { shape: array.shape, values: values.kind === "fixed" ? Array.from(values.values, Number) : [] };
}
