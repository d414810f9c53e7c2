/** The texts within values of any type: those of an array, or of the fields of a record, in their order. */

import type { StoredType, StoredValues, TextStorage, VariableValues } from "../../model/stored.js";

/** How each text of the type is stored. */
export function textStorages(type: StoredType): readonly TextStorage[] {
  if (type.kind === "record") return type.fields.flatMap((field) => textStorages(field.type));
  return type.kind === "text" ? [type.storage] : [];
}

/** The type with its texts stored otherwise. */
export function withTextStorages(type: StoredType, storages: readonly TextStorage[]): StoredType {
  let next = 0;
  const changed = (one: StoredType): StoredType => {
    if (one.kind === "text") return { ...one, storage: storages[next++] };
    if (one.kind !== "record") return one;
    return { ...one, fields: one.fields.map((field) => ({ ...field, type: changed(field.type) })) };
  };
  return changed(type);
}

/** The values with each of their texts changed; `text` is the number of the text in the type. */
export function changedTexts(
  type: StoredType,
  values: StoredValues,
  change: (values: VariableValues, text: number) => VariableValues,
): StoredValues {
  let next = 0;
  const changed = (one: StoredType, own: StoredValues): StoredValues => {
    if (one.kind === "text" && own.kind === "variable") return change(own, next++);
    if (one.kind !== "record" || own.kind !== "record") return own;
    return { ...own, fields: one.fields.map((field, i) => changed(field.type, own.fields[i])) };
  };
  return changed(type, values);
}
