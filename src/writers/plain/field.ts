/** Fields in the forms that plain containers have. */

import type { ArrowField } from "../../arrow/type.js";
import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { LossContext } from "../context.js";

export interface FieldContext extends LossContext {
  readonly container: ContainerWriter["kind"];
}

/**
 * The field without what the container has no form for, with a warning: enums exist in HDF5 alone, UTF-32 in Zarr alone,
 * and dictionaries nowhere. Their values are the same.
 */
export function plainField(field: ArrowField, element: string, cx: FieldContext): ArrowField {
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
