/** Dataframes: the names of their rows, and their columns as vectors. */

import type { RList, RValue } from "../../containers/rds/model/value.js";
import { NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import { located, RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { frameIndex, textIndex, textsOf } from "../../tables/frame-index.js";
import { rowsOf } from "../../tables/rows.js";
import { vectorSink } from "./column.js";
import { characters, classAttribute, integers, listOf, namedList, type RWriterContext, s4 } from "./context.js";

export interface WrittenFrame {
  readonly rows: number;
  /** Row names; null if the rows have only positions. */
  readonly names: readonly string[] | null;
  readonly columns: ReadonlyMap<string, RValue>;
}

/**
 * Reads a dataframe.
 * @param index the index column, if the caller specifies it.
 * @param hasNames whether row names are read; a missing name is then an error.
 * @throws {RefusedError} for columns without an R vector type; the error names the column.
 */
export async function readFrame(
  table: ColumnTable,
  index: string | undefined,
  cx: RWriterContext,
  hasNames = true,
): Promise<WrittenFrame> {
  const own = frameIndex(table, index);
  const fields = table.fields;
  const source = !hasNames || (own.field === null && own.guessed && own.range[1] === 1) ? null : textIndex(own, table);
  const places = fields.flatMap((_, i) => (i === own.field ? [] : [i]));
  const sinks = await Promise.all(
    places.map((i) => located({ column: i }, () => ({ place: i, sink: vectorSink(cx, fields[i]) }))),
  );
  const names: string[] = [];
  let rows = 0;
  for await (const batch of rowsOf(table, cx)) {
    if (source !== null) {
      for (const [i, name] of textsOf(source.column(batch, rows)).entries()) {
        if (name === null) throw new RefusedError(`row ${rows + i} has no name in the index`, { element: table.name });
        names.push(name);
      }
    }
    for (const { place, sink } of sinks) {
      await located({ element: `${table.name}/${fields[place].name}`, column: place }, () =>
        sink.write(batch.columns[place]),
      );
    }
    rows += batch.length;
  }
  const columns = new Map<string, RValue>();
  if (hasNames && own.asColumn !== null && own.field !== null) columns.set(own.name, characters(names));
  for (const { place, sink } of sinks) {
    const { name } = fields[place];
    const value = await located({ element: `${table.name}/${name}`, column: place }, () => sink.finish());
    if (columns.has(name))
      throw new RefusedError(`two columns ${JSON.stringify(name)}`, { element: table.name, column: place });
    columns.set(name, value);
  }
  return { rows, names: source === null ? null : names, columns };
}

export function dataFrame({ rows, names, columns }: WrittenFrame): RList {
  const rowNames = names === null ? rowPositions(rows) : characters(names);
  return listOf(
    [...columns.values()],
    new Map<string, RValue>([
      ["names", characters([...columns.keys()])],
      classAttribute("data.frame"),
      ["row.names", rowNames],
    ]),
  );
}

/** Returns R's compact form of the row names 1 to n. */
function rowPositions(rows: number): RValue {
  return rows === 0
    ? integers()
    : { kind: "integer", values: Int32Array.of(-(2 ** 31), -rows), attributes: NO_ATTRIBUTES };
}

/** Creates Bioconductor's `DFrame`. */
export function dFrame({ rows, names, columns }: WrittenFrame): RValue {
  return s4("DFrame", "S4Vectors", {
    rownames: names === null ? { kind: "null" } : characters(names),
    nrows: integers(rows),
    elementType: characters(["ANY"]),
    elementMetadata: { kind: "null" },
    metadata: listOf([]),
    listData: columns.size === 0 ? listOf([], new Map([["names", characters([])]])) : namedList(columns),
  });
}
