/** Writes tables as a MATLAB file in version 7.3, in MATLAB's form or in hdf5storage's. */

import { runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { createWriterContext, type WriterOptions, type WrittenTables } from "../context.js";
import {
  createVariableDestination,
  type MatContainer,
  type MatlabWriterContext,
  type MatProfile,
  REFERENCES,
  References,
  type ValueDestination,
} from "./context.js";
import { ObjectCopier } from "./copy.js";
import { hasNoMatlabClass } from "./generic.js";
import { isFromMatlab } from "./metadata.js";
import { toVariableNames, VariableWriter } from "./node.js";
import { createValueTree, type ValueNode } from "./tree.js";
import { selectWrittenObjects } from "./written-objects.js";

/** Group that all objects in a file share. */
const SUBSYSTEM = "#subsystem#";

export interface MatlabOptions extends WriterOptions {
  /** Form of the file; "MATLAB" by default. */
  readonly profile?: MatProfile;
  /** [rows, columns] of coordinate matrices whose tables have no shape. */
  readonly shape?: readonly [number, number] | null;
}

/**
 * Writes the tables as variables below the root of `container`, which is not closed. There is one variable for each
 * name; tables whose name is a path become parts of structs and cells.
 * @throws {InvalidInputError} for names that MATLAB does not allow, and for values that MATLAB cannot represent, unless
 * losses are allowed.
 */
export async function writeMatlab(
  container: MatContainer,
  tables: ReadonlyMap<string, ColumnTable>,
  options: MatlabOptions = {},
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const cx: MatlabWriterContext = {
    ...createWriterContext(options, warnings),
    profile: options.profile ?? "MATLAB",
    references: new References(container),
  };
  const variables = await createValueTree(tables, cx);
  const keys = [...variables.keys()];
  const written: { name: string; rows: number }[] = [];
  const kept = selectWrittenObjects(variables, tables, cx);
  const copy = kept.objects === null ? null : new ObjectCopier(kept.objects, cx);
  const object = async (place: ValueDestination, node: ValueNode) => {
    const own = kept.nodes.get(node);
    if (own === undefined || copy === null) return false;
    await runWithLocation({ element: place.element }, () => copy.write(place, own));
    return true;
  };
  const writer = new VariableWriter({
    known: options.shape ?? null,
    written: (name: string, rows: number) => written.push({ name, rows }),
    object,
  });
  const stored = keys.filter((key) => isStored(key, tables));
  for (const key of keys) {
    if (key === REFERENCES || key === SUBSYSTEM) {
      throw new UnsupportedElementError("the name of what MATLAB keeps beside the variables: rename it", {
        element: key,
        table: key,
      });
    }
  }
  const others = keys.filter((key) => !stored.includes(key));
  const names = new Map(toVariableNames(others, cx).map((name, i) => [others[i], name]));
  for (const [key, node] of variables) {
    // A variable from MATLAB gets no Python attributes, because they would make hdf5storage read it with a different
    // shape.
    const own: MatlabWriterContext = names.has(key) ? cx : { ...cx, profile: "MATLAB" };
    await writer.write(createVariableDestination(own, container.root, names.get(key) ?? key), node);
  }
  if (kept.objects?.shared && copy !== null) {
    const { shared } = kept.objects;
    await runWithLocation({ element: SUBSYSTEM }, () =>
      copy.write(createVariableDestination(cx, container.root, SUBSYSTEM), shared),
    );
  }
  return { tables: written, warnings };
}

/** Whether a variable was read from a MATLAB file. If so, its name is not changed. */
function isStored(key: string, tables: ReadonlyMap<string, ColumnTable>): boolean {
  const own = tables.get(key);
  if (own !== undefined) return isFromMatlab(own.metadata);
  return [...tables].some(([name, { metadata }]) => name.startsWith(`${key}/`) && isFromMatlab(metadata));
}

/** Whether the file is intended for MATLAB. In other files, hdf5storage leaves the header empty. */
export function isForMatlab(tables: ReadonlyMap<string, ColumnTable>): boolean {
  const leaves = [...tables.values()].filter((table) => !table.derived);
  return (
    leaves.length === 0 ||
    leaves.some(
      ({ metadata }) => !isFromMatlab(metadata) || !(hasNoMatlabClass(metadata) || metadata.unclassed === true),
    )
  );
}

const TEXT = "MATLAB 7.3 MAT-file, Platform: annarrow, HDF5 schema 1.00 .";
const TEXT_BYTES = 116;
const BYTES = 512;

export function createUserBlock(): Uint8Array {
  const block = new Uint8Array(BYTES);
  block.fill(0x20, 0, TEXT_BYTES);
  block.set(new TextEncoder().encode(TEXT));
  block.set([0x00, 0x02, 0x49, 0x4d], 124);
  return block;
}

/** Returns the empty header of hdf5storage files that are not intended for MATLAB. */
export function emptyUserBlock(): Uint8Array {
  return new Uint8Array(BYTES);
}
