/** MATLAB variables and fields by the elements that they become, matched by name or as the caller specifies. */

import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import type { FormatTables } from "../view/format-conversion.js";
import { formatNameList, type UnsupportedElements } from "../view/unsupported-elements.js";

type Tables = FormatTables["tables"];

/** A variable or field: a table, or a struct or cell that contains further variables. */
export interface MatlabVariable {
  /** Path of the variable or field, such as `s/field`. */
  readonly path: string;
  /** The variable's table; null for a struct or cell. */
  readonly table: ColumnTable | null;
  /** The tables below the variable, by their paths relative to it. */
  readonly below: ReadonlyMap<string, ColumnTable>;
  /** The derived table that lists the tables below the variable. */
  readonly listing: ColumnTable | null;
}

/** Elements whose fields become separate elements. */
const FIELDS = /^((?:layers|obsm|varm|obsp|varp|raw\/varm)\/[^/]+)/;
const ALONE = /^(X|obs|var|raw\/X|raw\/var|fragments|uns)(?:\/|$)/;

/**
 * Finds the variables that are named like AnnData elements (`X`, `obs`). The names of all other variables are added to
 * `losses`.
 * @throws {InvalidInputError} if no variable is named like an element.
 */
export function findNamedVariables(tables: Tables, losses: UnsupportedElements): ReadonlyMap<string, MatlabVariable> {
  const elements = new Map<string, MatlabVariable>();
  const others = new Set<string>();
  for (const [name, { derived }] of tables) {
    if (derived) continue;
    const element = FIELDS.exec(name)?.[1] ?? ALONE.exec(name)?.[1];
    if (element === undefined) others.add(name.split("/")[0]);
    else if (!elements.has(element)) elements.set(element, getVariableAt(tables, element));
  }
  if (elements.size === 0) {
    throw new InvalidInputError(
      `no variable X, obs, var or the like: say what is what (--X VARIABLE, --obs VARIABLE, --var VARIABLE, --element layers/counts=VARIABLE); there are ${variables(tables)}`,
    );
  }
  for (const name of others) losses.add(name);
  return elements;
}

/** Names of elements that a caller may specify. */
const ELEMENT = /^(X|obs|var|raw\/X|raw\/var|fragments|(layers|obsm|varm|obsp|varp|raw\/varm)\/[^/]+|uns\/.+)$/;

/**
 * Finds the variables that the caller specifies.
 * @throws {InvalidInputError} for names that are not names of elements, and for variables that do not exist.
 */
export function findGivenVariables(
  tables: Tables,
  wanted: Readonly<Record<string, string>>,
): ReadonlyMap<string, MatlabVariable> {
  const elements = new Map<string, MatlabVariable>();
  for (const [element, variable] of Object.entries(wanted)) {
    if (!ELEMENT.test(element)) {
      throw new InvalidInputError(
        "no element of an AnnData: X, obs, var, layers/NAME, obsm/NAME, varm/NAME, obsp/NAME, varp/NAME, uns/NAME, raw/X, raw/var",
        { element },
      );
    }
    // In MATLAB, a field is written as `s.field`; paths here have the form `s/field`.
    const path = tables.has(variable) || !variable.includes(".") ? variable : variable.replaceAll(".", "/");
    const part = getVariableAt(tables, path);
    if (part.table === null && part.below.size === 0) {
      throw new InvalidInputError(`no variable ${JSON.stringify(variable)}; there are ${variables(tables)}`, {
        element,
      });
    }
    elements.set(element, part);
  }
  return elements;
}

export function getVariableAt(tables: Tables, path: string): MatlabVariable {
  const own = tables.get(path) ?? null;
  const below = new Map<string, ColumnTable>();
  for (const [name, table] of tables) {
    if (name.startsWith(`${path}/`) && !table.derived) below.set(name.slice(path.length + 1), table);
  }
  return { path, table: own?.derived ? null : own, below, listing: own?.derived ? own : null };
}

/** Lists the variables with their sizes, for a message. */
function variables(tables: Tables): string {
  const all = new Map<string, string>();
  for (const [name, table] of tables) {
    const { derived } = table;
    const [top] = name.split("/");
    if (name === top && !derived) all.set(top, `${top} (${describeVariableSize(table)})`);
    else if (!all.has(top)) all.set(top, `${top} (struct)`);
  }
  return formatNameList([...all.values()]);
}

/** Returns size and class for a message, such as `300 x 2 double`. */
export function describeVariableSize({ metadata }: ColumnTable): string {
  const size = metadata?.size;
  return Array.isArray(size) ? `${size.join(" x ")} ${String(metadata?.class)}` : `a ${metadata?.kind ?? "table"}`;
}
