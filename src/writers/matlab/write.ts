/** Tables -> a MATLAB file of version 7.3, or one as hdf5storage writes it. */

import type { Spill } from "../../external-sort/spill.js";
import type { Progress } from "../../model/dataset.js";
import { located, RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { MatlabWriterContext, MatProfile } from "./context.js";
import { Copy } from "./copy.js";
import { variableNames, writeNode } from "./node.js";
import { type ValuePlace, variablePlace } from "./place.js";
import { isPlain } from "./plain.js";
import { type MatContainer, REFERENCES, References } from "./references.js";
import { keptObjects } from "./tree/kept-objects.js";
import { isOwn } from "./tree/metadata.js";
import { type TreeNode, treeOf } from "./tree/tree.js";

/** What the objects of a file share. */
const SUBSYSTEM = "#subsystem#";

export interface MatlabOptions {
  readonly profile?: MatProfile;
  /** Write what MATLAB has no form for in another, or leave it out, with a warning, instead of stopping. */
  readonly lossy?: boolean;
  /** [rows, columns] of matrices of coordinates that do not tell. */
  readonly shape?: readonly [number, number] | null;
  /** Where a sort puts what does not fit into memory. */
  readonly spill?: Spill | null;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface WrittenMatlab {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/**
 * Writes the tables as variables below the root of `container`, which is not closed: one for each name, structs and
 * cells of those with a path.
 * @throws {InvalidInputError} for names that MATLAB has not, values that it has no form for, unless losses are allowed.
 */
export async function writeMatlab(
  container: MatContainer,
  tables: ReadonlyMap<string, ColumnTable>,
  options: MatlabOptions = {},
): Promise<WrittenMatlab> {
  const warnings: string[] = [];
  const cx: MatlabWriterContext = {
    profile: options.profile ?? "MATLAB",
    lossy: options.lossy ?? false,
    references: new References(container),
    spill: options.spill ?? null,
    signal: options.signal,
    warn: (message) => warnings.push(message),
    progress: (element, done, total) => options.onProgress?.({ element, done, total, unit: "rows" }),
  };
  const variables = await treeOf(tables, cx);
  const keys = [...variables.keys()];
  const written: { name: string; rows: number }[] = [];
  const kept = keptObjects(variables, tables, cx);
  const copy = kept.objects === null ? null : new Copy(kept.objects, cx);
  const object = async (place: ValuePlace, node: TreeNode) => {
    const own = kept.nodes.get(node);
    if (own === undefined || copy === null) return false;
    await located({ element: place.element }, () => copy.write(place, own));
    return true;
  };
  const report = {
    known: options.shape ?? null,
    written: (name: string, rows: number) => written.push({ name, rows }),
    object,
  };
  const stored = keys.filter((key) => isStored(key, tables));
  for (const key of keys) {
    if (key === REFERENCES || key === SUBSYSTEM) {
      throw new RefusedError("the name of what MATLAB keeps beside the variables: rename it", {
        element: key,
        table: key,
      });
    }
  }
  const others = keys.filter((key) => !stored.includes(key));
  const names = new Map(variableNames(others, cx).map((name, i) => [others[i], name]));
  for (const [key, node] of variables) {
    // What MATLAB wrote has no types of Python: with some, hdf5storage would give it another shape than it had.
    const own: MatlabWriterContext = names.has(key) ? cx : { ...cx, profile: "MATLAB" };
    await writeNode(variablePlace(container.root, names.get(key) ?? key), node, report, own);
  }
  if (kept.objects?.shared && copy !== null) {
    const { shared } = kept.objects;
    await located({ element: SUBSYSTEM }, () => copy.write(variablePlace(container.root, SUBSYSTEM), shared));
  }
  return { tables: written, warnings };
}

/** Whether a variable was read from a MATLAB file: its name is taken as it is. */
function isStored(key: string, tables: ReadonlyMap<string, ColumnTable>): boolean {
  const own = tables.get(key);
  if (own !== undefined) return isOwn(own.metadata);
  return [...tables].some(([name, { metadata }]) => name.startsWith(`${key}/`) && isOwn(metadata));
}

/** Whether the file is for others than MATLAB: hdf5storage leaves the header of such files empty. */
export function isForMatlab(tables: ReadonlyMap<string, ColumnTable>): boolean {
  const leaves = [...tables.values()].filter((table) => !table.derived);
  return (
    leaves.length === 0 ||
    leaves.some(({ metadata }) => !isOwn(metadata) || !(isPlain(metadata) || metadata.unclassed === true))
  );
}
