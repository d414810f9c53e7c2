/** `write` without a file system. Writes a dataset, or tables that the caller provides, as a store. */

import type { NamedTables } from "../formats/conversion/converted-tables.js";
import type { WriteResult } from "../formats/format.js";
import type { StoreFormat } from "../formats/output.js";
import { type AnyStoreOptions, STORE_OPTIONS, type StoreOptions } from "../formats/store-options.js";
import { writeStore } from "../formats/write-store.js";
import { isMap } from "../io/sources/key.js";
import type { WritableStore } from "../io/targets/store.js";
import type { ContainerTarget, KeyValueTarget } from "../io/targets/target.js";
import type { Dataset } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { checkOptions } from "../model/option-names.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { ColumnTableInput } from "../tables/given/arrow-column-table.js";
import type { AnyConvertOptions } from "./convert.js";
import { convertToStore, storeOptions } from "./convert-to-store.js";

/**
 * Input of `write`: a dataset, or tables by element name (`X`, `obs`, `obsm/X_pca`, or names that the format defines:
 * `matrix`, `row_names`, `fragments`). Each table is an apache-arrow `Table`, a stream of record batches, a dataset's
 * table, the bytes of an Arrow IPC stream or file, or an object of arrays by column name. `write` also accepts a
 * promise of any of these, such as the results of `concat` and `select`. If a dataset was passed as a promise, `write`
 * closes it at the end.
 */
export type WriteInput = Dataset | ReadonlyMap<string, ColumnTableInput> | Readonly<Record<string, ColumnTableInput>>;

/**
 * Writes a dataset or tables to `store`: a `Map` from keys to bytes (`obs/zarr.json`), a zarrita store (`Writable`), or
 * another object with `set(key, bytes)`. Keys begin with `/`, except in a `Map`. The conversion of tables to elements
 * is specified in `docs/mapping.md`, section 9.
 * @param data `X` has a row for each entry (`row`, `col`, `value`) or one list for each observation, `obs` has a row
 * for each observation, and `var` has a row for each variable.
 * @returns the written tables and their numbers of rows, and warnings.
 * @param options `format` is `zarr` (default), or `bpcells`, a directory of arrays.
 * @example
 * ```ts
 * const store = new Map<string, Uint8Array>();
 * await write(store, { X: counts, obs: cells, var: genes });
 * ```
 * @throws {InvalidInputError} if the tables do not fit together, or the store is not empty.
 * @throws {UnsupportedError} for elements that the format cannot store.
 */
export async function write(
  store: Map<string, Uint8Array> | WritableStore,
  data: WriteInput | Promise<WriteInput>,
  options: StoreOptions = {},
): Promise<WriteResult> {
  checkOptions(options, "write", STORE_OPTIONS);
  return withInput(data, (input) => writeToKeys(store, input, options));
}

/** Calls `action` with the input. If a dataset is given as a promise, closes it, because no one else can. */
export async function withInput<T>(
  data: WriteInput | Promise<WriteInput>,
  action: (input: WriteInput) => Promise<T>,
): Promise<T> {
  const input = await data;
  try {
    return await action(input);
  } finally {
    if (data !== input && isDataset(input)) await input.close();
  }
}

/** Writes to a key-value store with options for any format, and checks them against the store's format. */
export async function writeToKeys(
  store: Map<string, Uint8Array> | WritableStore,
  data: WriteInput,
  { format = "zarr", ...options }: AnyConvertOptions,
): Promise<WriteResult> {
  if (format !== "zarr" && format !== "bpcells") {
    throw new InvalidInputError(`a store of keys is zarr or bpcells, not ${JSON.stringify(format)}`);
  }
  return writeTo(await targetOf(store), format, data, storeOptions(options));
}

/** Stores that consist of a single file. */
export type FileFormat = Exclude<StoreFormat, "zarr" | "mudata.zarr" | "bpcells">;

/**
 * Builds an `.h5ad`, `.h5mu`, `.loom`, `.mat` or `.zarr.zip` file, or BPCells in HDF5 or as an R object, in memory, and
 * returns its bytes.
 * @param format the file extension, such as `h5ad`.
 * @example
 * ```ts
 * const bytes = await writeBytes("h5ad", { X: counts, obs: cells, var: genes });
 * const blob = new Blob([bytes]);
 * ```
 * @throws {InvalidInputError} if the tables do not fit together.
 * @throws {UnsupportedError} for elements that the format cannot store.
 */
export async function writeBytes(
  format: FileFormat,
  data: WriteInput | Promise<WriteInput>,
  options: StoreOptions = {},
): Promise<Uint8Array> {
  checkOptions(options, "writeBytes", STORE_OPTIONS);
  return withInput(data, async (input) => {
    const { createBytesTarget } = await import("../io/targets/memory.js");
    const bytes = createBytesTarget();
    const isZip = format?.endsWith("zarr.zip");
    const target = isZip ? (await import("../io/targets/zip.js")).zipTarget(bytes) : bytes;
    await writeTo(target, format, input, options);
    return bytes.bytes();
  });
}

/** Writes to any target. Either commits it or leaves nothing behind. */
export async function writeTo(
  target: ContainerTarget,
  format: StoreFormat,
  data: WriteInput,
  options: AnyStoreOptions,
): Promise<WriteResult> {
  if (isDataset(data)) return convertToStore(data, format, target, options);
  let tables: NamedTables;
  try {
    tables = await toNamedColumnTables(data);
  } catch (error) {
    await target.abort();
    throw error;
  }
  return writeStore(tables, format, target, options);
}

export function isDataset(data: WriteInput): data is Dataset {
  return "tables" in data && "format" in data && typeof data.format === "string" && typeof data.table === "function";
}

/** Returns a caller's tables as column tables. Their names determine which elements they become. */
export async function toNamedColumnTables(data: Exclude<WriteInput, Dataset>): Promise<NamedTables> {
  const [{ convertInputToColumns }, { withEntryLists }] = await Promise.all([
    import("../tables/given/arrow-column-table.js"),
    import("../tables/given/entry-lists.js"),
  ]);
  const tables = new Map<string, ColumnTable>();
  const entries = isMapOfTables(data) ? data.entries() : Object.entries(data);
  for (const [name, input] of entries) {
    tables.set(name, withEntryLists({ ...(await convertInputToColumns(input, { name })), name }));
  }
  if (tables.size === 0) throw new InvalidInputError("no table to write");
  return { format: "tables", tables, shape: null };
}

function isMapOfTables(data: Exclude<WriteInput, Dataset>): data is ReadonlyMap<string, ColumnTableInput> {
  return typeof data.entries === "function" && typeof data.get === "function";
}

async function targetOf(store: Map<string, Uint8Array> | WritableStore): Promise<KeyValueTarget> {
  // The Node.js types, which the browser entry shares, also allow paths.
  if (typeof store === "string") {
    throw new InvalidInputError("a path needs Node.js: in pages, write takes a store, and writeBytes makes a file");
  }
  if (isMap(store)) return (await import("../io/targets/memory.js")).mapTarget(store);
  return (await import("../io/targets/store.js")).storeTarget(store);
}
