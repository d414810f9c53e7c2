/** The dictionaries of a table in the order of their numbers in its schema: those within a column before its own. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField, ArrowType } from "../../arrow/type.js";

/** The dictionaries of `columns`, numbered by their places, as `addSchema` numbers those of the columns' types. */
export function dictionariesOf(columns: readonly Column[]): readonly Column[] {
  return columns.flatMap((column): readonly Column[] => {
    switch (column.layout) {
      case "null":
      case "primitive":
      case "variable":
        return [];
      case "list":
      case "fixed-size-list":
        return dictionariesOf([column.child]);
      case "struct":
      case "union":
        return dictionariesOf(column.children);
      case "dictionary":
        return [...dictionariesOf([column.dictionary]), column.dictionary];
      default:
        return column satisfies never;
    }
  });
}

/** Whether a field has a dictionary, or a child has one. */
export function hasDictionary({ type }: ArrowField): boolean {
  return someType(type, ({ id }) => id === "Dictionary");
}

/** Whether values of a dictionary are themselves coded by one, for which the format has no form. */
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
