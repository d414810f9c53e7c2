/** What a column is to the reader of a table, by its Arrow type as text: the description has no more than this text. */

export type ColumnKind = "number" | "text" | "category" | "boolean" | "time" | "other";

const NUMBERS = /^(?:U?[iI]nt\d+|Float\d+|Decimal)/;
const TIMES = /^(?:Timestamp|Date|Time|Duration|Interval)/;
const FIXED_LIST = /^FixedSizeList\[(\d+)\]<(.*)>$/;

export function columnKind(type: string): ColumnKind {
  if (NUMBERS.test(type)) return "number";
  if (type.startsWith("Dictionary<")) {
    const values = type.slice(type.indexOf(",") + 1).trim();
    return NUMBERS.test(values) || TIMES.test(values) ? "other" : "category";
  }
  if (/^(?:Large)?Utf8/.test(type)) return "text";
  if (type === "Bool") return "boolean";
  return TIMES.test(type) ? "time" : "other";
}

/** Length and type of the items of a list of fixed length, which is shown as so many columns; null for other types. */
export function fixedListOf(type: string): { readonly length: number; readonly item: string } | null {
  const found = FIXED_LIST.exec(type);
  return found === null ? null : { length: Number(found[1]), item: found[2] ?? "" };
}

/** A column as the grid shows it. */
export interface GridColumn {
  readonly key: string;
  readonly label: string;
  /** Column of the table. */
  readonly field: string;
  /** Place in the lists of the field, where they are shown as columns. */
  readonly item: number | null;
  readonly type: string;
  readonly kind: ColumnKind;
  /** Group of columns that are read together. */
  readonly group: number;
}

/** Columns of a table that are read at once. */
export const GROUP = 24;
/** Lists with more items stay one column: so many columns cannot be scrolled. */
const MOST_ITEMS = 100_000;

/**
 * The columns of a grid: lists of a fixed length become a column for each item.
 * @param itemName name of an item, as the gene of a column of a matrix; null for its number.
 */
export function gridColumns(
  fields: readonly { readonly name: string; readonly type: string }[],
  itemName: (item: number) => string | null = () => null,
): readonly GridColumn[] {
  return fields.flatMap(({ name, type }, index): GridColumn[] => {
    const group = Math.floor(index / GROUP);
    const list = fixedListOf(type);
    if (list === null || columnKind(list.item) !== "number" || list.length > MOST_ITEMS) {
      return [{ key: name, label: name, field: name, item: null, type, kind: columnKind(type), group }];
    }
    return Array.from({ length: list.length }, (_, item) => ({
      key: `${name}[${item}]`,
      label: itemName(item) ?? (fields.length === 1 ? String(item) : `${name} ${item}`),
      ...{ field: name, item, type: list.item, kind: "number" as const, group },
    }));
  });
}

/** Pixels of a column at first. */
export function usualWidth({ kind, label, item }: GridColumn): number {
  const least = { number: 92, text: 150, category: 156, boolean: 86, time: 170, other: 180 }[kind];
  return Math.min(Math.max(item === null ? least : 78, label.length * 8 + 58), 240);
}
