/** `writeLoom` into an HDF5 file in memory, which our own reader of HDF5 opens again. */

import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import { createHdf5 } from "../../../src/containers/hdf5/write/container.js";
import type { Container, Node } from "../../../src/containers/tree/container.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { createBytesTarget } from "../../../src/io/targets/memory.js";
import type { StoredType } from "../../../src/model/stored.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { type LoomOptions, writeLoom } from "../../../src/writers/loom/write.js";
import { flat, openArray, openPath, rowsOf } from "../../containers/hdf5/fixture.js";
import { inlineEncoder } from "../../containers/hdf5/write/inline-encoder.js";
import { floats, lists, table } from "../tables.js";

export async function writtenBytes(tables: readonly ColumnTable[], options: LoomOptions = {}) {
  const target = createBytesTarget("new.loom");
  const container = createHdf5(target, { encoder: inlineEncoder(), compression: { kind: "gzip", level: 2 } });
  const result = await writeLoom(container, new Map(tables.map((one) => [one.name, one])), options);
  await container.close();
  await target.commit();
  return { ...result, bytes: target.bytes() };
}

/** What is written of these tables. */
export async function written(tables: readonly ColumnTable[], options: LoomOptions = {}) {
  const { bytes, ...result } = await writtenBytes(tables, options);
  return { ...result, file: new LoomFile(await openHdf5(createBytesSource(bytes))) };
}

export class LoomFile {
  readonly #container: Container;

  constructor(container: Container) {
    this.#container = container;
  }

  node(path: string): Promise<Node> {
    return openPath(this.#container, path);
  }

  async names(path: string): Promise<readonly string[]> {
    const node = await this.node(path);
    if (node.kind !== "group") throw new Error(`${path} is no group`);
    return await node.keys();
  }

  async attributes(path: string): Promise<Record<string, unknown>> {
    return Object.fromEntries((await this.node(path)).attributes);
  }

  async type(path: string): Promise<StoredType> {
    return (await openArray(this.#container, path)).type;
  }

  async shape(path: string): Promise<readonly number[] | null> {
    return (await openArray(this.#container, path)).shape;
  }

  /** All values in C order; of records one list per field. */
  async values(path: string): Promise<unknown> {
    const array = await openArray(this.#container, path);
    return flat(array.type, await array.read(0, rowsOf(array)));
  }
}

/** `rows` x `cols` with the values 1, 2, 3 … */
export function matrix(rows: number, cols: number, name = "matrix"): ColumnTable {
  const values = Float32Array.from({ length: rows * cols }, (_, i) => i + 1);
  return table(name, [{ value: lists(cols, floats(values)) }]);
}
