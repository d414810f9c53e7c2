/** Statements that only choose columns and a range of rows of a matrix: they need no engine. */

export interface PlainSelect {
  /** Null for a table without a schema in front. */
  readonly schema: string | null;
  readonly table: string;
  /** Null for all. */
  readonly columns: readonly string[] | null;
  readonly limit: number | null;
  readonly offset: number;
}

const NAME = '"(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*';

/** The columns of a matrix's stored entries, which mean columns in quotes and without. */
const COLUMN = '"(?:row|col|value)"|row|col|value';

const PLAIN = new RegExp(
  `^\\s*select\\s+(\\*|(?:${COLUMN})(?:\\s*,\\s*(?:${COLUMN}))*)\\s+from\\s+(?:(${NAME})\\.)?(${NAME})` +
    "(?:\\s+limit\\s+(\\d{1,15}))?(?:\\s+offset\\s+(\\d{1,15}))?\\s*;?\\s*$",
  "i",
);

/** Reads such a statement; null for any other. */
export function plainSelect(sql: string): PlainSelect | null {
  const found = PLAIN.exec(sql);
  if (found === null) return null;
  const [, columns, schema, table, limit, offset] = found;
  const chosen = columns === "*" ? null : columns.split(",").map((column) => unquoted(column.trim()).toLowerCase());
  if (chosen !== null && new Set(chosen).size !== chosen.length) return null;
  return {
    schema: schema === undefined ? null : unquoted(schema),
    table: unquoted(table),
    columns: chosen,
    limit: limit === undefined ? null : Number(limit),
    offset: Number(offset ?? 0),
  };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}
