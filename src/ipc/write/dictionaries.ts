/** Lists the dictionaries of a table by their ids in its schema: dictionaries within a column come before its own. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField, ArrowType } from "../../arrow/type.js";

/** The dictionaries of `columns`. Their positions are the ids that `addSchema` gives in the schema of these columns. */
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

/** Whether the values of a dictionary are coded by another dictionary, for which the format has no form. */
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
