/**
 * Lists the dictionaries of a table by their schema ids. Nested dictionaries come before the column's own dictionary.
 */

import type { Column } from "../../arrow/column.js";
import type { ArrowField, ArrowType } from "../../arrow/type.js";
import { UnsupportedError } from "../../model/errors.js";
import { type EncodedMessage, encodeDictionaryMessage } from "./message.js";

/**
 * Yields the dictionary messages of a table.
 * @param readEmpty reads the table's columns without rows; called only if there is a dictionary.
 */
export async function* encodeDictionaries(
  fields: readonly ArrowField[],
  readEmpty: () => Promise<readonly Column[]>,
): AsyncGenerator<EncodedMessage> {
  if (!fields.some(hasDictionary)) return;
  for (const [id, values] of listDictionaries(await readEmpty()).entries()) yield encodeDictionaryMessage(id, values);
}

/**
 * @param element name of the table, for the error.
 * @throws {UnsupportedError} if the values of a dictionary are coded by another dictionary.
 */
export function checkDictionaries(fields: readonly ArrowField[], element: string): void {
  const nested = fields.find(hasNestedCodes);
  if (nested === undefined) return;
  const why = `the categories of ${nested.name} are themselves coded by categories, for which Arrow's format has no form`;
  throw new UnsupportedError(why, { element });
}

/** Returns the dictionaries of `columns`. Their indices are the ids that `addSchema` assigns in the schema. */
export function listDictionaries(columns: readonly Column[]): readonly Column[] {
  return columns.flatMap((column): readonly Column[] => {
    switch (column.layout) {
      case "null":
      case "primitive":
      case "variable":
        return [];
      case "list":
      case "fixed-size-list":
        return listDictionaries([column.child]);
      case "struct":
      case "union":
        return listDictionaries(column.children);
      case "dictionary":
        return [...listDictionaries([column.dictionary]), column.dictionary];
      default:
        return column satisfies never;
    }
  });
}

/** Whether a field or one of its children has a dictionary. */
function hasDictionary({ type }: ArrowField): boolean {
  return someType(type, ({ id }) => id === "Dictionary");
}

/** Whether the values of a dictionary are themselves dictionary-encoded, which the format does not support. */
export function hasNestedCodes({ type }: ArrowField): boolean {
  return someType(type, (one) => one.id === "Dictionary" && one.value.id === "Dictionary");
}

function someType(type: ArrowType, is: (type: ArrowType) => boolean): boolean {
  if (is(type)) return true;
  switch (type.id) {
    case "List":
    case "FixedSizeList":
      return someType(type.item.type, is);
    case "Struct":
    case "DenseUnion":
      return type.fields.some((field) => someType(field.type, is));
    case "Dictionary":
      return someType(type.value, is);
    default:
      return false;
  }
}
