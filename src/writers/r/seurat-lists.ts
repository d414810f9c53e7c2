/** The lists of a Seurat object: `misc`, and what reductions have of `uns`. */

import type { ColumnBatch } from "../../arrow/column.js";
import { textColumnOf, textValues } from "../../arrow/text.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";

/** The mapping that a reader of Seurat makes of `misc`. */
const MISC = "misc/";

/** Scaled values of some features, and the names of these. */
const [SCALED, SCALED_FEATURES] = ["obsm/scale.data", "uns/scale.data.features"];

type Named = readonly (readonly [key: string, table: ColumnTable])[];

/**
 * The elements of `misc`: those of `uns/misc`, and beside them all others of `uns`.
 * @throws {InvalidInputError} for two elements of one name.
 */
export function miscOf(tables: ReadonlyMap<string, ColumnTable>): {
  readonly misc: Named;
  readonly listings: readonly ColumnTable[];
  /** Standard deviations along the axes of a reduction, by its name. */
  readonly stdev: ReadonlyMap<string, ColumnTable>;
  /** The features of `obsm/scale.data`, where the reader has noted them. */
  readonly scaled: ColumnTable | null;
  /** Whether all of `uns` lies in the list, with nothing that a reader of Seurat had found in `misc`. */
  readonly isAll: boolean;
} {
  const misc = new Map<string, ColumnTable>();
  const stdev = new Map<string, ColumnTable>();
  for (const [name, table] of tables) {
    if (!name.startsWith("uns/") || table.derived) continue;
    const [reduction, key, ...rest] = name.slice("uns/".length).split("/");
    if (key === "stdev" && rest.length === 0 && isReduction(reduction, tables) && isReals(table)) {
      stdev.set(reduction, table);
      continue;
    }
    if (name === SCALED_FEATURES && tables.has(SCALED)) continue;
    const own = inMisc(name.slice("uns/".length));
    if (misc.has(own)) throw new InvalidInputError(`two elements become misc$${own}: rename one`, { element: name });
    misc.set(own, table);
  }
  const listing = tables.get("uns");
  const scaled = tables.has(SCALED) ? (tables.get(SCALED_FEATURES) ?? null) : null;
  const rest =
    listing === undefined || scaled === null ? listing : withoutPaths(listing, (path) => path === SCALED_FEATURES);
  const isAll = misc.size > 0 && ![...tables.keys()].some((name) => /^uns\/misc(\/|$)/.test(name));
  return { misc: [...misc], listings: rest === undefined ? [] : [hoisted(rest)], stdev, scaled, isAll };
}

function isReduction(name: string, tables: ReadonlyMap<string, ColumnTable>): boolean {
  return tables.has(`obsm/X_${name}`);
}

function isReals({ fields, metadata }: ColumnTable): boolean {
  return fields.length === 1 && fields[0].type.id === "Float" && metadata?.shape?.length === 1;
}

function inMisc(key: string): string {
  return key.startsWith(MISC) ? key.slice(MISC.length) : key;
}

/** The listing with the paths that elements have in `misc`. */
function hoisted(listing: ColumnTable): ColumnTable {
  return withPaths(listing, (path) => (path === "uns/misc" ? null : path.replace(/^uns\/misc\//, "uns/")));
}

/** The listing without some paths. */
export function withoutPaths(listing: ColumnTable, isLeft: (path: string) => boolean): ColumnTable {
  return withPaths(listing, (path) => (isLeft(path) ? null : path));
}

function withPaths(listing: ColumnTable, change: (path: string) => string | null): ColumnTable {
  const place = listing.fields.findIndex(({ name }) => name === "path");
  if (place < 0) return listing;
  return {
    ...listing,
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const batch of listing.batches(options)) {
        const columns = batch.columns.map((column, i) =>
          i !== place || column.layout !== "variable"
            ? column
            : textColumnOf(textValues(column).map((path) => (path === null ? null : change(path)))),
        );
        yield { ...batch, columns };
      }
    },
  };
}
