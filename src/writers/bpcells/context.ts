/** Code shared by the writers of matrices and fragments: the context, and the types of arrays. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { TableMetadata } from "../../model/dataset.js";
import { runWithLocation } from "../../model/errors.js";
import type { NumberArray, StoredType } from "../../model/stored.js";
import type { ColumnSink } from "../column-sink.js";
import type { WriterContext } from "../context.js";
import { GroupsByPath } from "../groups.js";

/** The groups in which a dataset's matrices and fragments are written. */
export interface StoreGroups {
  /** Returns the group of the store at `path`. @param metadata the metadata of the store's matrix or fragments. */
  at(path: string, metadata: TableMetadata | null): Promise<GroupWriter>;
  /** Begins a store of this version in its group. Returns the group for the store's arrays. */
  begin(group: GroupWriter, version: string): Promise<GroupWriter>;
  /** Completes the groups after all stores have been written. */
  close(): void;
}

/** Creates a group for each segment of a path. */
export function createPathGroups(root: GroupWriter): StoreGroups {
  const groups = new GroupsByPath(root);
  return { at: (path) => groups.at(path), begin: async (group) => group, close: () => undefined };
}

export interface BpcellsWriterContext extends WriterContext {
  readonly groups: StoreGroups;
  readonly packed: boolean;
  /** Storage order of the entries, and type of the values; null to use the table's own. */
  readonly order: "row" | "column" | null;
  readonly type: ValueType | null;
  /** [rows, columns] for matrices whose tables have no shape. */
  readonly shape: readonly [number, number] | null;
}

/** The type of a matrix's values, by its name in `version`. */
export type ValueType = "uint" | "float" | "double";

export const UINT32 = { kind: "int", bits: 32, signed: false } as const;
export const UINT64 = { kind: "int", bits: 64, signed: false } as const;
export const FLOAT32 = { kind: "float", bits: 32 } as const;
export const FLOAT64 = { kind: "float", bits: 64 } as const;

/** Name of an array for error messages. */
export function getArrayPath({ path }: GroupWriter, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** Opens an array that is not packed. Once values are written, the caller may reuse their memory. */
export async function openNumbers(
  group: GroupWriter,
  name: string,
  type: StoredType,
): Promise<ColumnSink<void, NumberArray>> {
  const element = getArrayPath(group, name);
  const array = await runWithLocation({ element }, () => group.array(name, { type, shape: [null] }));
  return {
    async write(values) {
      if (values.length > 0)
        await runWithLocation({ element }, () => array.write({ kind: "fixed", values }, values.length));
    },
    close: () => runWithLocation({ element }, () => array.close()),
  };
}
