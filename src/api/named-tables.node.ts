/** Opens several files with one table each, as elements with the given names. */

import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { toNamedElement } from "../tables/batch-table.js";
import { StoredTable } from "../tables/stored-table.js";
import type { OpenOptions } from "./open.js";
import { openStored } from "./open.node.js";

export interface OpenedTables {
  readonly tables: ReadonlyMap<string, DataTable>;
  close(): Promise<void>;
}

/**
 * Opens Parquet and Arrow files. `{ obs: "obs.parquet", X: "counts.arrow" }` gives the tables `obs` and `X`, which are
 * read on demand.
 * @throws {InvalidInputError} if a file does not contain exactly one table.
 */
export async function openNamedTables(
  files: Readonly<Record<string, string | undefined>>,
  options: Pick<OpenOptions, "signal" | "http"> = {},
): Promise<OpenedTables> {
  const tables = new Map<string, DataTable>();
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((dataset) => dataset.close()));
  };
  try {
    for (const [name, file] of Object.entries(files)) {
      if (file === undefined) continue;
      const dataset = await openStored(file, options);
      opened.push(dataset);
      const [table] = dataset.tables.values();
      if (
        dataset.format !== "tables" ||
        table === undefined ||
        table instanceof StoredTable ||
        dataset.tables.size > 1
      ) {
        throw new InvalidInputError(`a Parquet or Arrow file of one table is expected, this is ${dataset.format}`, {
          source: file,
          element: name,
        });
      }
      tables.set(name, toNamedElement(table, name));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { tables, close };
}
