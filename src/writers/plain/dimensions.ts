/** Names of dimensions, as tables of plain files remember them (`dimensions` of the metadata). */

import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { writtenAttributes } from "./attributes.js";
import type { FieldContext } from "./field.js";

export interface WrittenDimensions {
  readonly dimensionNames?: readonly (string | null)[];
  readonly attributes: ReadonlyMap<string, WrittenAttribute>;
}

/**
 * How the names of an array's dimensions are written: Zarr has a place for them, which xarray reads, HDF5 the attribute of
 * its labels.
 * @param rank the number of dimensions.
 */
export function writtenDimensions(
  element: string,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  rank: number,
  cx: FieldContext,
): WrittenDimensions {
  const names = namesIn(metadata?.dimensions, rank);
  if (names === null) return { attributes: new Map() };
  if (cx.container !== "hdf5") return { dimensionNames: names, attributes: new Map() };
  const labels = names.map((name) => name ?? "");
  return { attributes: rank === 0 ? new Map() : writtenAttributes(element, { DIMENSION_LABELS: labels }, cx) };
}

function namesIn(value: unknown, rank: number): readonly (string | null)[] | null {
  if (rank === 0) return [];
  if (!Array.isArray(value) || value.length !== rank) return null;
  const names = value.map((name: unknown) => (typeof name === "string" ? name : null));
  return names.every((name) => name === null) ? null : names;
}
