/** Writes the tree of `uns` as R lists in `misc` and `tools`. */

import type { GroupWriter } from "annarrow/core/containers";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import {
  GroupsByPath,
  readListedPaths,
  reportLoss,
  splitPath,
  type WriterContext,
  writeFirstColumn,
} from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import { checkName, writeFrame } from "./frame.js";
import { getDenseWidth, isSparseTable, writeDenseColumns, writeSparseMatrix } from "./matrix.js";
import { openVector } from "./vector.js";

export class ListWriter {
  readonly #groups: GroupsByPath;
  readonly #cx: WriterContext;

  /**
   * @param groups the object's lists `misc` and `tools`, by name.
   * @param names names of all tables.
   */
  constructor(groups: ReadonlyMap<string, GroupWriter>, names: Iterable<string>, cx: WriterContext) {
    const [[, any]] = groups;
    // If no `uns/misc` comes from another object, all of `uns` can be written into `misc`.
    if (![...names].some((name) => /^uns\/misc(\/|$)/.test(name))) {
      groups.get("misc")?.attribute("annarrow", createTextAttribute("uns"));
    }
    this.#cx = cx;
    this.#groups = new GroupsByPath(any, async (parent, name, path) => groups.get(path) ?? parent.group(name));
  }

  /** Writes an element. @returns the number of rows; null for an omitted element. */
  async write(table: ColumnTable): Promise<number | null> {
    const path = placeOf(table.name);
    const { above, name } = splitPath(path);
    for (const part of path.split("/")) checkName(part);
    const parent = await this.#groups.at(above);
    return writeValue({ parent, name, cx: this.#cx }, table);
  }

  /** Creates the groups that are listed in a derived table, including empty ones. */
  async mappings(table: ColumnTable): Promise<void> {
    for await (const { path, kind } of readListedPaths(table, this.#cx)) {
      if (kind === "dict") await this.#groups.at(placeOf(path));
    }
  }
}

/** Returns the path for an element of `uns`. Elements that were read from `misc` and `tools` go back there. */
function placeOf(name: string): string {
  const own = name.slice("uns/".length);
  return /^(misc|tools)\/./.test(own) || own === "misc" || own === "tools" ? own : `misc/${own}`;
}

interface ValuePlace {
  readonly parent: GroupWriter;
  readonly name: string;
  readonly cx: WriterContext;
}

async function writeValue({ parent, name, cx }: ValuePlace, table: ColumnTable): Promise<number | null> {
  const { metadata, fields } = table;
  if (isSparseTable(table)) {
    const shape = metadata?.shape;
    if (shape?.length !== 2) throw new UnsupportedElementError("a sparse matrix without its shape");
    return writeSparseMatrix({ parent, name, cx }, table, [shape[0], shape[1]], "same");
  }
  if (metadata?.kind === "dataframe" || fields.length !== 1) {
    const records = metadata?.kind === "rec-array" ? [["annarrow", createTextAttribute("rec-array")] as const] : [];
    return writeFrame(await parent.group(name, new Map(records)), table, {}, cx);
  }
  const [field] = fields;
  if (metadata?.kind === "null") {
    reportLoss(cx, table.name, {
      problem: "null, which R's lists in h5Seurat do not hold",
      instead: "it is left out",
      remedy: "leave it out",
    });
    return null;
  }
  if (field.type.id === "FixedSizeList") {
    getDenseWidth(table);
    if (table.rows === null) throw new UnsupportedElementError("a matrix of unknown height");
    return writeDenseColumns({ parent, name, cx }, table, table.rows);
  }
  const own = { ...field, metadata: metadata ?? {} };
  const sink = await openVector({ cx, parent, name, element: table.name, rows: table.rows }, own);
  return (await writeFirstColumn(sink, table, cx)).rows;
}
