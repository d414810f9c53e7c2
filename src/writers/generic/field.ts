/** Converts fields to types that generic HDF5 and Zarr files support. */

import type { ArrowField } from "../../arrow/type.js";
import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { LossyContext } from "../context.js";

export interface FieldContext extends LossyContext {
  readonly container: ContainerWriter["kind"];
}

/**
 * Removes the field's details that the container does not support, with a warning. Enums exist only in HDF5, UTF-32
 * exists only in Zarr, and dictionaries exist in neither. The values do not change.
 */
export function toContainerField(field: ArrowField, element: string, cx: FieldContext): ArrowField {
  const { members, base, storage, ...metadata } = field.metadata ?? {};
  const isEnum = members !== undefined;
  if (field.type.id === "Dictionary" && (!isEnum || cx.container !== "hdf5")) {
    cx.warn(`${element}: ${isEnum ? "an enum" : "a dictionary"} (${field.name}) is written as its values`);
  }
  const ownEnum = isEnum && cx.container === "hdf5" ? { members, base } : {};
  const isUtf32 =
    typeof storage === "object" && storage !== null && "encoding" in storage && storage.encoding === "utf-32";
  const ownStorage = storage === undefined || (isUtf32 && cx.container === "hdf5") ? {} : { storage };
  return { ...field, metadata: { ...metadata, ...ownEnum, ...ownStorage } };
}
