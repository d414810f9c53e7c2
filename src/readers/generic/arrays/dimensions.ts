/**
 * The names of array dimensions: HDF5's dimension scales and labels, as written by NetCDF-4 and h5py, and the dimension
 * names that xarray writes in Zarr.
 */

import type { AttributeValue, Reference, StoredArray } from "../../../containers/tree/container.js";
import { getTextAttribute } from "../../attributes.js";
import type { GenericContext } from "./context.js";

/** The attribute that xarray writes in Zarr v2. */
const ARRAY_DIMENSIONS = "_ARRAY_DIMENSIONS";

/** Attributes of a scale, besides CLASS, that link the scale to the arrays that use its dimension. */
const OF_SCALES = ["CLASS", "NAME", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"];

/** Attributes that link an array to scales. */
const OF_ARRAYS = ["DIMENSION_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates"];

/** The name of each dimension; null if a dimension has no name. */
export type DimensionNames = readonly (string | null)[];

/** Names of NetCDF-4 dimensions, by their ids in the file. */
export type NumberedDimensions = ReadonlyMap<number, string>;

/** Maps the NetCDF-4 ids of scales to the names of their dimensions. */
export function listNumberedDimensions(arrays: Iterable<StoredArray>): NumberedDimensions {
  const numbered = new Map<number, string>();
  for (const array of arrays) {
    const number = array.attributes.get("_Netcdf4Dimid");
    if (isScale(array) && typeof number === "number") numbered.set(number, nameOf(array.path));
  }
  return numbered;
}

/**
 * Returns the names of an array's dimensions; null if they have no names.
 * @param cx contains all paths, so the whole file must have been visited.
 */
export function findArrayDimensions(
  array: StoredArray,
  numbered: NumberedDimensions,
  cx: Pick<GenericContext, "paths" | "warn">,
): DimensionNames | null {
  const rank = array.shape?.length ?? 0;
  if (rank === 0) return null;
  const names = array.dimensionNames ?? xarrayNames(array) ?? hdf5Names(array, rank, numbered, cx);
  return names.length === rank && names.some((name) => name !== null) ? names : null;
}

/**
 * Returns the attributes that only describe dimensions. The table's metadata contain the names of the dimensions
 * instead.
 */
export function listDimensionAttributes(array: StoredArray): ReadonlySet<string> {
  if (isScale(array)) return new Set([...OF_SCALES, ...OF_ARRAYS]);
  if (xarrayNames(array) !== null) return new Set([ARRAY_DIMENSIONS]);
  return new Set(OF_ARRAYS);
}

/** Adds the missing value to the attributes. In Zarr v2, xarray stores it only as the fill value of the array. */
export function getAttributesWithFill({ attributes, fillValue }: StoredArray): StoredArray["attributes"] {
  if (fillValue === undefined || !attributes.has(ARRAY_DIMENSIONS) || attributes.has("_FillValue")) return attributes;
  return new Map([...attributes, ["_FillValue", fillValue]]);
}

/** Whether the array is a scale: the coordinates of one dimension. */
function isScale(array: StoredArray): boolean {
  return getTextAttribute(array, "CLASS") === "DIMENSION_SCALE";
}

function xarrayNames({ attributes }: StoredArray): DimensionNames | null {
  const names = attributes.get(ARRAY_DIMENSIONS);
  return isList(names) && names.every((name) => typeof name === "string") ? names : null;
}

function hdf5Names(
  array: StoredArray,
  rank: number,
  numbered: NumberedDimensions,
  { paths, warn }: Pick<GenericContext, "paths" | "warn">,
): DimensionNames {
  const lists = array.attributes.get("DIMENSION_LIST");
  const labels = array.attributes.get("DIMENSION_LABELS");
  const numbers = array.attributes.get("_Netcdf4Coordinates");
  return Array.from({ length: rank }, (_, axis) => {
    const label = itemOf(labels, axis);
    if (typeof label === "string" && label !== "") return label;
    const scales = listOf(itemOf(lists, axis)).filter(isReference);
    const [scale] = scales;
    if (scales.length > 1) {
      const all = scales.map((one) => paths.of(one)).join(", ");
      warn(
        `${array.path}: dimension ${axis} has the scales ${all}: it is called by the first, and not tied to the others`,
      );
    }
    if (scale !== undefined) {
      const path = paths.of(scale);
      if (path !== "" && !path.startsWith("#")) return nameOf(path);
    }
    const number = itemOf(numbers, axis);
    const name = typeof number === "number" ? numbered.get(number) : undefined;
    return name ?? (rank === 1 && isScale(array) ? nameOf(array.path) : null);
  });
}

function itemOf(value: AttributeValue | undefined, at: number): AttributeValue | undefined {
  return listOf(value)[at];
}

function listOf(value: AttributeValue | undefined): readonly AttributeValue[] {
  return isList(value) ? value : value === undefined || value === null ? [] : [value];
}

function isList(value: AttributeValue | undefined): value is readonly AttributeValue[] {
  return Array.isArray(value);
}

function isReference(value: AttributeValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
