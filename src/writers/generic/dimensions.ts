/** Dimension names from the table metadata in generic files (key `dimensions`). */

import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { toWrittenAttributes } from "./attributes.js";
import type { FieldContext } from "./field.js";
import type { Scales } from "./scales.js";

export interface WrittenDimensions {
  readonly dimensionNames?: readonly (string | null)[];
  readonly attributes: ReadonlyMap<string, WrittenAttribute>;
}

/**
 * Determines how an array's dimension names are stored. Zarr has its own field for them, which xarray reads. HDF5 uses
 * scales, or labels if there is no scale.
 * @param rank the number of dimensions.
 */
export function planDimensions(
  element: string,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  rank: number,
  cx: FieldContext & { readonly scales: Scales | null },
): WrittenDimensions {
  const names = findDimensionNames(metadata, rank);
  if (cx.container !== "hdf5") {
    return { dimensionNames: names ?? undefined, attributes: new Map() };
  }
  const ties = cx.scales?.attributesOf(element) ?? new Map();
  if (names === null || rank === 0 || cx.scales?.isScaled(element)) return { attributes: ties };
  const labels = toWrittenAttributes(element, { DIMENSION_LABELS: names.map((name) => name ?? "") }, cx);
  return { attributes: new Map([...ties, ...labels]) };
}

/** Returns the dimension names in a table's or field's metadata; null if there are none for this rank. */
export function findDimensionNames(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  rank: number,
): readonly (string | null)[] | null {
  if (rank === 0) return [];
  const value = metadata?.dimensions;
  if (!Array.isArray(value) || value.length !== rank) return null;
  const names = value.map((name: unknown) => (typeof name === "string" ? name : null));
  return names.every((name) => name === null) ? null : names;
}
