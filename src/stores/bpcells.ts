/** BPCells in a directory, in HDF5, or as an R object. */

import type { ConvertedTables } from "../annotated/converted.js";
import { Losses, lose, shown } from "../annotated/losses.js";
import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { InvalidInputError, isAnnarrowError, NothingToWriteError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { bpcellsCompression } from "./compression.js";
import { byteTarget, keyValueTarget } from "./container-target.js";
import type { StoreOptions, StorePlace, StoreWriter } from "./write.js";

export const writeBpcellsStore: StoreWriter = async (place, { tables, shape }, options) => {
  const { signal, onProgress, packed, order, type, lossy = false } = options;
  const { objects, warnings } = objectsOf(tables, lossy);
  const placed = placedObjects(objects, place.format, options);
  const container = await containerOf(place, options);
  const { writeBpcells } = await import("../writers/bpcells/write.js");
  const { newSpill } = await import("#platform/spill");
  const named = new Map([...placed].map(([name, { table }]) => [name, table]));
  const result = await writeBpcells(container, named, {
    lossy,
    spill: newSpill(),
    ...(packed === undefined ? {} : { packed }),
    ...(order ? { order } : {}),
    ...(type ? { type } : {}),
    ...(shape ? { shape } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  }).catch((error: unknown) => {
    if (isAnnarrowError(error) && error.table !== undefined) error.table = placed.get(error.table)?.name ?? error.table;
    throw error;
  });
  await container.close();
  const written = result.tables.map(({ name, rows }) => ({ name: placed.get(name)?.name ?? name, rows }));
  return { tables: written, warnings: [...warnings, ...result.warnings] };
};

const ELEMENT = /^(?:(.*)\/)?(matrix|row_names|col_names|fragments)$/;

/** A matrix with its names, or fragments: what lies in one group. */
interface StoredObject {
  /** Path of the group in the given names, `""` for none. */
  readonly path: string;
  readonly content: "matrix" | "fragments";
  readonly tables: Map<string, { readonly name: string; readonly table: ColumnTable }>;
}

function objectsOf(tables: ConvertedTables["tables"], lossy: boolean) {
  const objects = new Map<string, StoredObject>();
  const losses = new Losses("BPCells");
  for (const [name, table] of tables) {
    const [, path = "", own] = ELEMENT.exec(name) ?? [];
    if (own === undefined) {
      if (!table.derived) lose(losses, name);
      continue;
    }
    const content = own === "fragments" ? own : "matrix";
    const key = `${content}:${path}`;
    const object = objects.get(key) ?? { path, content, tables: new Map() };
    objects.set(key, object);
    object.tables.set(own, { name, table });
  }
  for (const [key, { content, tables: own }] of objects) {
    if (own.has(content) || !lossy) continue;
    objects.delete(key);
    for (const { name } of own.values()) losses.add(name, "names without a matrix");
  }
  const warnings = losses.settle(lossy);
  for (const { path, content, tables: own } of objects.values()) {
    if (own.has(content)) continue;
    throw new InvalidInputError(`names without a matrix${path === "" ? "" : ` at ${path}`}`, {
      element: [...own.values()][0]?.name ?? path,
    });
  }
  if (objects.size === 0) throw new NothingToWriteError("neither a matrix nor fragments to write");
  return { objects: [...objects.values()], warnings };
}

/** The tables under the paths where they are written, which only HDF5 and lists of R objects have. */
function placedObjects(objects: readonly StoredObject[], format: StorePlace["format"], { group = "" }: StoreOptions) {
  const isOne = objects.length === 1;
  if (!isOne && format === "bpcells") {
    const names = objects.map(({ path, content }) => (path === "" ? content : `${path}/${content}`));
    throw new InvalidInputError(
      `${objects.length} objects (${shown(names)}), and a directory holds one: choose it (--table), or write .bpcells.h5`,
    );
  }
  const placed = new Map<string, { readonly name: string; readonly table: ColumnTable }>();
  for (const { path, content, tables } of objects) {
    const own = isOne ? ownPath(path, format, group) : [group, path === "" ? content : path].filter(Boolean).join("/");
    for (const [name, table] of tables) {
      const target = own === "" ? name : `${own}/${name}`;
      if (placed.has(target)) throw new InvalidInputError("two objects of this name", { element: target });
      placed.set(target, { ...table, table: { ...table.table, name: target } });
    }
  }
  return placed;
}

/** A single object needs no path: that of its source stays where the container has groups, unless another is given. */
function ownPath(path: string, format: StorePlace["format"], group: string): string {
  return format === "bpcells.h5" ? group || path : "";
}

async function containerOf({ format, target, encoder }: StorePlace, options: StoreOptions): Promise<ContainerWriter> {
  const compression = bpcellsCompression(options, format);
  switch (format) {
    case "bpcells.h5": {
      const { createHdf5 } = await import("../containers/hdf5/write/container.js");
      return createHdf5(byteTarget(target, "HDF5"), { encoder, compression, shuffle: "integers" });
    }
    case "bpcells.rds": {
      const { createRds } = await import("../containers/rds/write/container.js");
      const { signal } = options;
      return createRds(byteTarget(target, "an R object"), {
        compression: compression.kind,
        ...(signal ? { signal } : {}),
      });
    }
    default: {
      const { createArrays } = await import("../containers/arrays/write/container.js");
      return createArrays(keyValueTarget(target, "a directory of arrays"));
    }
  }
}
