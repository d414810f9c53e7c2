/** What Tab completes in the shell of `annarrow query`: names of tables and columns, words of SQL, commands. */

/** A table with the names of its columns. */
export interface KnownTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const WORDS =
  "select from where group by order by having limit offset join left join using on as with distinct count avg sum min max case when then else end and or not in is null like between union all describe summarize show tables copy to desc asc gene cells".split(
    " ",
  );

/**
 * The texts that may stand in the place of the end of a line, and this end.
 * @param statement the lines of the statement before.
 */
export function completions(
  line: string,
  { statement, tables, commands }: { statement: string; tables: readonly KnownTable[]; commands: readonly string[] },
): [readonly string[], string] {
  if (statement === "" && /^\.\w*$/.test(line)) return [commands.filter((name) => name.startsWith(line)), line];
  const end = /"[^"]*$|[\p{L}\p{N}_./]*$/u.exec(line)?.[0] ?? "";
  const text = `${statement} ${line}`.toLowerCase();
  const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
  const columns = (named.length > 0 ? named : tables).flatMap((table) => table.columns);
  const isTable = /\b(from|join|describe|summarize|desc|table)\s+$/i.test(line.slice(0, line.length - end.length));
  const names = [...tables.map(({ name }) => name), ...(isTable ? [] : columns)].map(written);
  const plain = end.replaceAll('"', "").toLowerCase();
  const matching = [...new Set([...names, ...(isTable || end.startsWith('"') ? [] : WORDS)])].filter((name) =>
    name.replaceAll('"', "").toLowerCase().startsWith(plain),
  );
  return [matching.sort(), end];
}

/** A name as a statement has it. */
function written(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)?$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
