/** The stored tables of a directory: one file each, in Parquet with the categories of its columns beside it. */

import type { Column } from "../../arrow/column.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { StoredTable } from "../../tables/stored-table.js";
import { storedIpcFile } from "../ipc/stored-ipc.js";
import { columnParquet, storedParquet } from "../parquet/plain-parquet.js";
import { prefetch } from "../prefetch.js";
import type { SinkOptions } from "../stream.js";
import type { Writing } from "./table-files.js";

/** Begins to encode the table, whose categories go to files of their own, all of them, in order. */
export function beginStoredTable(table: StoredTable, compression: Codec, options: SinkOptions): Writing {
  let rows = 0;
  const counted: SinkOptions["onProgress"] = (progress) => {
    rows = progress.done;
    options.onProgress?.(progress);
  };
  const { chunks, close } = prefetch(storedParquet(table, { ...options, compression, onProgress: counted }));
  return {
    async write(file, names, target) {
      await target.write(file, chunks);
      const categories: Record<string, string> = {};
      for (const [name, values] of await dictionaries(table, options)) {
        const place = names.file([...`${table.name}.categories`.split("/"), name], ".parquet");
        await target.write(place, columnParquet(values, compression));
        Object.defineProperty(categories, name, { value: place, enumerable: true });
      }
      return { rows, categories };
    },
    close,
  };
}

/** Begins to encode the table as an IPC file, which has its dictionaries. */
export function beginStoredIpc(table: StoredTable, options: SinkOptions): Writing {
  let rows = 0;
  const onProgress: SinkOptions["onProgress"] = (progress) => {
    rows = progress.done;
    options.onProgress?.(progress);
  };
  const { chunks, close } = prefetch(storedIpcFile(table, { ...options, onProgress }));
  return {
    async write(file, _names, target) {
      await target.write(file, chunks);
      return { rows, categories: {} };
    },
    close,
  };
}

/** The dictionaries of the table's columns, by name: they come with a batch without rows. */
async function dictionaries(
  table: StoredTable,
  { signal }: SinkOptions,
): Promise<readonly (readonly [string, Column])[]> {
  const fields = table.fields.flatMap(({ type }, i) => (type.id === "Dictionary" ? [i] : []));
  if (fields.length === 0) return [];
  const columns = await table.noRows({ fields, ...(signal ? { signal } : {}) });
  return columns.flatMap((column, i) =>
    column.layout === "dictionary" ? [[table.fields[fields[i]].name, column.dictionary] as const] : [],
  );
}
