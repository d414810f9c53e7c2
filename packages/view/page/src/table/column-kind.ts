/** Kind of a column for display, derived from its Arrow type as text, the only type information in the description. */

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

/** Parses the length and item type of a fixed-size list, shown as one column per item; null for other types. */
export function fixedListOf(type: string): { readonly length: number; readonly item: string } | null {
  const found = FIXED_LIST.exec(type);
  return found === null ? null : { length: Number(found[1]), item: found[2] ?? "" };
}

export interface GridColumn {
  readonly key: string;
  readonly label: string;
  /** Column of the table. */
  readonly field: string;
  /** Index into the lists of the field, if its items are shown as columns. */
  readonly item: number | null;
  readonly type: string;
  readonly kind: ColumnKind;
  /** Index of the column group that is read together. */
  readonly group: number;
}

/** Number of columns read together. */
export const GROUP = 24;
/** Maximum list length shown as separate columns: more columns cannot be scrolled. */
const MOST_ITEMS = 100_000;

/**
 * Returns the columns of a grid. Fixed-size lists become a column for each item.
 * @param itemName name of an item, such as the gene of a matrix column; null for its number.
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

/** Returns the initial width of a column in pixels. */
export function usualWidth({ kind, label, item }: GridColumn): number {
  const least = { number: 92, text: 150, category: 156, boolean: 86, time: 170, other: 180 }[kind];
  return Math.min(Math.max(item === null ? least : 78, label.length * 8 + 58), 240);
}
