/** Writes dataframes: their row names, and their columns as vectors. */

import { runWithLocation, UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { findFrameIndex, readTableBatches, toNameTexts, toTextIndex } from "annarrow/core/tables";
import { closeSinks, writeBatch } from "annarrow/core/writers";
import type { RList, RValue } from "../../containers/rds/model/value.js";
import { NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import { createVectorSink } from "./column.js";
import {
  createCharacterVector,
  createClassAttribute,
  createIntegerVector,
  createNamedList,
  createRList,
  createS4Object,
  type RWriterContext,
} from "./context.js";

export interface WrittenFrame {
  readonly rows: number;
  /** Row names; null if the rows only have positions. */
  readonly names: readonly string[] | null;
  readonly columns: ReadonlyMap<string, RValue>;
}

/**
 * Reads a dataframe.
 * @param index the index column, if the caller specifies it.
 * @param hasNames whether to read row names. If it is true, a missing name is an error.
 * @throws {UnsupportedElementError} for columns without an R vector type; the error names the column.
 */
export async function readFrame(
  table: ColumnTable,
  index: string | undefined,
  cx: RWriterContext,
  hasNames = true,
): Promise<WrittenFrame> {
  const own = findFrameIndex(table, index);
  const fields = table.fields;
  const source =
    !hasNames || (own.field === null && own.guessed && own.range[1] === 1) ? null : toTextIndex(own, table);
  const places = fields.flatMap((_, i) => (i === own.field ? [] : [i]));
  const sinks = await Promise.all(
    places.map((index) =>
      runWithLocation({ column: index }, () => ({
        index,
        sink: createVectorSink(cx, fields[index]),
        location: { element: `${table.name}/${fields[index].name}`, column: index },
      })),
    ),
  );
  const names: string[] = [];
  let rows = 0;
  for await (const batch of readTableBatches(table, cx)) {
    if (source !== null) {
      for (const [i, name] of toNameTexts(source.column(batch, rows)).entries()) {
        if (name === null)
          throw new UnsupportedElementError(`row ${rows + i} has no name in the index`, { element: table.name });
        names.push(name);
      }
    }
    await writeBatch(sinks, batch);
    rows += batch.length;
  }
  const columns = new Map<string, RValue>();
  if (hasNames && own.asColumn !== null && own.field !== null) columns.set(own.name, createCharacterVector(names));
  for (const [i, value] of (await closeSinks(sinks)).entries()) {
    const { index } = sinks[i];
    const { name } = fields[index];
    if (columns.has(name))
      throw new UnsupportedElementError(`two columns ${JSON.stringify(name)}`, { element: table.name, column: index });
    columns.set(name, value);
  }
  return { rows, names: source === null ? null : names, columns };
}

export function createDataFrame({ rows, names, columns }: WrittenFrame): RList {
  const rowNames = names === null ? rowPositions(rows) : createCharacterVector(names);
  return createRList(
    [...columns.values()],
    new Map<string, RValue>([
      ["names", createCharacterVector([...columns.keys()])],
      createClassAttribute("data.frame"),
      ["row.names", rowNames],
    ]),
  );
}

/** Returns R's compact form of the row names 1 to n. */
function rowPositions(rows: number): RValue {
  return rows === 0
    ? createIntegerVector()
    : { kind: "integer", values: Int32Array.of(-(2 ** 31), -rows), attributes: NO_ATTRIBUTES };
}

/** Creates Bioconductor's `DFrame`. */
export function createDFrame({ rows, names, columns }: WrittenFrame): RValue {
  return createS4Object("DFrame", "S4Vectors", {
    rownames: names === null ? { kind: "null" } : createCharacterVector(names),
    nrows: createIntegerVector(rows),
    elementType: createCharacterVector(["ANY"]),
    elementMetadata: { kind: "null" },
    metadata: createRList([]),
    listData:
      columns.size === 0 ? createRList([], new Map([["names", createCharacterVector([])]])) : createNamedList(columns),
  });
}
