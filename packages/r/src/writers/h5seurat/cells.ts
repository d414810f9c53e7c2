/** The cells: their names, the columns of `meta.data`, and the identities. */

import { decodeTextValues, encodeStoredTexts, formatDecimals } from "annarrow/core/arrow";
import type { GroupWriter } from "annarrow/core/containers";
import type { ColumnTable } from "annarrow/core/tables";
import type { WriterContext } from "annarrow/core/writers";
import { TEXT } from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import { DistinctNames } from "../distinct-names.js";
import { INT32, toHdf5Text, writeArray } from "./context.js";
import { writeFrame } from "./frame.js";
import { openVector } from "./vector.js";

const CELLS = "cell.names";
const IDENTITIES = "active.ident";

/**
 * Writes `obs`. Its categorical column `ident`, which is the reader's name for the identities, becomes `active.ident`.
 * @param identities receives whether there was such a column.
 * @returns the number of cells.
 */
export async function writeObs(
  root: GroupWriter,
  table: ColumnTable,
  index: string | undefined,
  identities: { written: boolean },
  cx: WriterContext,
): Promise<number> {
  const names = await root.array(CELLS, { type: TEXT, shape: [table.rows] });
  const group = await root.group("meta.data");
  const ident = table.fields.find(({ name, type }) => name === "ident" && type.id === "Dictionary");
  const rows = await writeFrame(
    group,
    table,
    {
      index,
      distinct: new DistinctNames(table.name, cx),
      async onNames(own) {
        if (own.length > 0) await names.write(toHdf5Text(encodeStoredTexts(own), table.name, cx), own.length);
      },
      async elsewhere(name) {
        if (ident === undefined || name !== ident.name) return null;
        identities.written = true;
        return openVector({ cx, parent: root, name: IDENTITIES, element: "obs/ident", rows: table.rows }, ident);
      },
    },
    cx,
  );
  await names.close();
  return rows;
}

/** Writes positions in place of names if the cells have no names. */
export async function writeNames(root: GroupWriter, cells: number, cx: WriterContext): Promise<void> {
  if (cells > 0) cx.warn(`obs: nothing names the ${cells} cells, so that their names are their positions; give obs`);
  await writePositions(root, CELLS, cells);
  await root.group("meta.data");
}

const AT_ONCE = 2 ** 16;

/** Writes the names 0 to n - 1. */
export async function writePositions(parent: GroupWriter, name: string, count: number): Promise<void> {
  const array = await parent.array(name, { type: TEXT, shape: [count] });
  for (let at = 0; at < count; at += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - at);
    const texts = decodeTextValues(formatDecimals(at, 1, length)).map((text) => text ?? "");
    await array.write(encodeStoredTexts(texts), length);
  }
  await array.close();
}

/** Writes one identity for all cells, because SeuratDisk requires identities, and marks it as generated. */
export async function writeIdentities(root: GroupWriter, cells: number, identity: string): Promise<void> {
  const group = await root.group(IDENTITIES, new Map([["annarrow", createTextAttribute("made")]]));
  await writeArray(group, "values", INT32, { kind: "fixed", values: new Int32Array(cells).fill(1) }, cells);
  await writeArray(group, "levels", TEXT, encodeStoredTexts([identity]), 1);
}
