/** Row filters, and their conversion to SQL. */

export type Filter =
  | { readonly by: "contains"; readonly column: string; readonly text: string }
  /** Null means the missing value. */
  | { readonly by: "values"; readonly column: string; readonly values: readonly (string | null)[] }
  /** The range includes both ends; null means unlimited. */
  | {
      readonly by: "range";
      readonly column: string;
      readonly least: number | null;
      readonly most: number | null;
    };

export interface RowConditions {
  readonly filters: readonly Filter[];
  /** SQL condition; empty for none. */
  readonly sql: string;
}

/** Combines all conditions to one in SQL; null if there are none. */
export function sqlOfConditions({ filters, sql }: RowConditions): string | null {
  const parts = filters.map(sqlOfFilter);
  // A trailing comment in the user's condition must not hide the parenthesis.
  if (sql.trim() !== "") parts.push(parts.length === 0 ? sql.trim() : `(${sql.trim()}\n)`);
  return parts.length === 0 ? null : parts.join(" and ");
}

export function sqlOfFilter(filter: Filter): string {
  const column = quoted(filter.column);
  switch (filter.by) {
    case "contains":
      return `contains(lower(${column}), lower(${literal(filter.text)}))`;
    case "values": {
      const texts = filter.values.filter((value) => value !== null);
      const isMissing = filter.values.includes(null) ? [`${column} is null`] : [];
      const isOneOf = texts.length === 0 ? [] : [`${column} in (${texts.map(literal).join(", ")})`];
      const parts = [...isOneOf, ...isMissing];
      return parts.length === 0 ? "false" : parts.length === 1 ? parts[0] : `(${parts.join(" or ")})`;
    }
    case "range": {
      const { least, most } = filter;
      // DuckDB sorts NaN above all numbers, so a range without limits includes it.
      if (least === null && most === null) return `${column} is not null`;
      if (least === null) return `${column} <= ${most}`;
      if (most === null) return `${column} >= ${least}`;
      return `${column} between ${least} and ${most}`;
    }
    default:
      return filter satisfies never;
  }
}

/** Describes a filter in words. */
export function wordsOfFilter(filter: Filter): string {
  switch (filter.by) {
    case "contains":
      return `${filter.column} contains “${filter.text}”`;
    case "values": {
      const values = filter.values.map((value) => value ?? "null");
      const shown =
        values.length > 3 ? `${values.slice(0, 2).join(", ")} and ${values.length - 2} more` : values.join(", ");
      return `${filter.column}: ${shown}`;
    }
    case "range":
      return `${filter.least ?? "…"} ≤ ${filter.column} ≤ ${filter.most ?? "…"}`;
    default:
      return filter satisfies never;
  }
}

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Validates a filter from an address, which anyone may have written; null if it is invalid. */
export function checkFilter(value: unknown): Filter | null {
  if (typeof value !== "object" || value === null) return null;
  const found: { by?: unknown; column?: unknown; text?: unknown; values?: unknown; least?: unknown; most?: unknown } =
    value;
  const { by, column, text, values, least, most } = found;
  if (typeof column !== "string") return null;
  if (by === "contains" && typeof text === "string") return { by, column, text };
  if (by === "range" && isEnd(least) && isEnd(most)) return { by, column, least, most };
  if (by === "values" && Array.isArray(values)) {
    const known = values.filter((one): one is string | null => one === null || typeof one === "string");
    return known.length === values.length ? { by, column, values: known } : null;
  }
  return null;
}

function isEnd(value: unknown): value is number | null {
  return value === null || (typeof value === "number" && Number.isFinite(value));
}
