/**
 * Functions with which other packages' formats read and write elements: an AnnData in any group, and tables beside it.
 */

import type { Node } from "../containers/tree/container.js";
import type { ContainerWriter, GroupWriter } from "../containers/tree/container-writer.js";
import { InvalidDataError } from "../model/errors.js";
import type { TableElement } from "../readers/element.js";
import type { DatasetPlans, ReaderContext } from "../readers/reader.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { WrittenTables } from "../writers/context.js";
import { createElementContainer, toAnnDataOptions } from "./anndata.js";
import type { CommonStoreOptions, StoreDestination } from "./format.js";

/**
 * Reads the elements of the AnnData in a group, and adds tables from other parts of the file.
 * @param others tables by their names, which must differ from the names of all elements of the AnnData.
 * @throws {InvalidDataError} if the group is an array.
 */
export async function readElements(
  group: Node,
  cx: ReaderContext,
  others: ReadonlyMap<string, TableElement> = new Map(),
): Promise<DatasetPlans> {
  if (group.kind === "array") throw new InvalidDataError("an array, no group", { element: group.path });
  const [{ readAnnData }, { createAnnotatedPlans }, { FoundElements }] = await Promise.all([
    import("../readers/anndata/read.js"),
    import("../readers/annotated-plans.js"),
    import("../readers/tree.js"),
  ]);
  const plans = await readAnnData(group, cx);
  if (others.size === 0) return plans;
  const found = new FoundElements();
  for (const [name, table] of others) found.tables.set(name, table);
  const { tables } = createAnnotatedPlans(found, cx);
  return { ...plans, tables: [...plans.tables, ...tables], failures: new Map([...plans.failures, ...found.failures]) };
}

/** Creates the container of a store: Zarr if the store's name ends with `zarr` or `zarr.zip`, else HDF5. */
export function createStore(place: StoreDestination, options: CommonStoreOptions): Promise<ContainerWriter> {
  return createElementContainer(place, options, new Map());
}

/** Writes tables that have AnnData's names as the elements of an AnnData in a group. */
export async function writeElements(
  { kind }: Pick<ContainerWriter, "kind">,
  group: GroupWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  options: CommonStoreOptions,
): Promise<WrittenTables> {
  const { writeAnnData } = await import("../writers/anndata/write.js");
  return writeAnnData({ kind, root: group }, tables, await toAnnDataOptions(options, options.shape ?? null));
}
