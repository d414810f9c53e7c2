/** Writes BPCells stores to any container that BPCells supports. */

import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { isAnnarrowError } from "../model/errors.js";
import type { bpcells } from "../model/formats/bpcells.js";
import type { OptionValues } from "../model/formats/option-table.js";
import type { BpcellsOptions } from "../writers/bpcells/write.js";
import type { ConvertedTables } from "./conversion/converted-tables.js";
import type { CommonStoreOptions, StoreDestination, WriteResult } from "./format.js";
import { createWriterOptions } from "./store-container.js";

type BpcellsStoreOptions = CommonStoreOptions & OptionValues<typeof bpcells.options>;

/**
 * Writes tables to a container that `createContainer` creates once the tables are known to be BPCells tables.
 * @param createGroups creates the groups for the stores, if the container has its own kind of groups.
 */
export async function writeBpcellsTables(
  place: StoreDestination,
  { tables, shape }: ConvertedTables,
  options: BpcellsStoreOptions,
  createContainer: (place: StoreDestination, options: BpcellsStoreOptions) => Promise<ContainerWriter>,
  createGroups?: BpcellsOptions["createGroups"],
): Promise<WriteResult> {
  const { packed, order, type, group = "", lossy = false } = options;
  const { toBpcellsObjects, assignObjectPaths } = await import("./conversion/bpcells/objects.js");
  const { objects, warnings } = toBpcellsObjects(tables, lossy);
  const placed = assignObjectPaths(objects, place.store, group);
  const container = await createContainer(place, options);
  const { writeBpcells } = await import("../writers/bpcells/write.js");
  const named = new Map([...placed].map(([name, { table }]) => [name, table]));
  const result = await writeBpcells(container, named, {
    ...(await createWriterOptions(options)),
    packed,
    order,
    type,
    shape: shape ?? undefined,
    createGroups,
  }).catch((error: unknown) => {
    if (!isAnnarrowError(error) || error.table === undefined) throw error;
    error.table = placed.get(error.table)?.name ?? error.table;
    throw error;
  });
  await container.close();
  const written = result.tables.map(({ name, rows }) => ({ name: placed.get(name)?.name ?? name, rows }));
  return { tables: written, warnings: [...warnings, ...result.warnings] };
}
