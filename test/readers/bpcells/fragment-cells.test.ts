/** Parts of fragments by cells: the fragments of the chosen cells, under the numbers that these have in the part. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type Dataset, InvalidInputError, NotFoundError, sql } from "../../../packages/published/src/index.js";
import { write } from "../../../packages/published/src/node.js";
import { cleanups } from "../../cleanups.js";
import { open } from "../../formats/conversion/opened.js";
import { type Chromosome, columnsOf, makeStore } from "./fragment-stores.js";

const CHROMOSOMES: readonly Chromosome[] = [
  { start: [1, 5, 5, 9], end: [3, 8, 30, 10], cell: [0, 3, 1, 0] },
  { start: [2, 4], end: [6, 90], cell: [3, 4] },
];

/** Fragments as stores and as text; the cells are called 0 to 5, of which 2 and 5 have no fragments. */
const INPUTS = {
  packed: () => open(makeStore(CHROMOSOMES, 6, true)),
  plain: () => open(makeStore(CHROMOSOMES, 6, false)),
};

/** A folder that is removed after the test. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "annarrow-cells-"));
  cleanups.test.add(() => rmSync(made, { recursive: true }));
  return made;
}

interface Fragment {
  readonly chr: string;
  readonly start: number;
  readonly end: number;
  readonly cell: string;
}

const ALL: readonly Fragment[] = CHROMOSOMES.flatMap(({ start, end, cell }, c) =>
  start.map((_, i) => ({ chr: `c${c}`, start: start[i], end: end[i], cell: String(cell[i]) })),
);

function rowsOf(table: Table): Fragment[] {
  const { chr, start, end, cell_id } = columnsOf(table);
  return Array.from({ length: table.numRows }, (_, i) => ({
    ...{ chr: String(chr[i]), start: Number(start[i]), end: Number(end[i]) },
    cell: String(cell_id[i]),
  }));
}

/** The part's fragments, and the names in the dictionary of its cells. */
async function contents(part: Dataset): Promise<{ rows: Fragment[]; names: unknown[] }> {
  const table = await part.table("fragments").read();
  const names = table.getChild("cell_id")?.data[0].dictionary?.toArray() ?? [];
  return { rows: rowsOf(table), names: [...names] };
}

const ofCells = (...cells: string[]) => ALL.filter(({ cell }) => cells.includes(cell));

describe.each(Object.entries(INPUTS))("a %s store", (_, opened) => {
  test("has the fragments of the chosen cells, and the cells in their order", async () => {
    const data = await opened();
    expect(await data.obsNames()).toEqual(["0", "1", "2", "3", "4", "5"]);
    for (const chosen of [
      [3, 2, 0],
      ["3", "2", "0"],
      [true, false, true, true, false, false],
    ]) {
      const part = await data.select({ obs: chosen as number[] });
      const order = typeof chosen[0] === "boolean" ? ["0", "2", "3"] : ["3", "2", "0"];
      expect(await contents(part)).toEqual({ rows: ofCells("0", "3"), names: order });
      expect(await part.obsNames()).toEqual(order);
    }
  });

  test("parts follow each other, and chromosomes and cells are chosen in them", async () => {
    const part = await (await (await opened()).select({ obs: [4, 3, 0] })).select({ obs: ["0", "3"] });
    expect(await contents(part)).toEqual({ rows: ofCells("0", "3"), names: ["0", "3"] });
    const table = part.table("fragments");
    expect(rowsOf(await table.read({ fragments: { chr: ["c0"] } }))).toEqual(
      ofCells("0", "3").filter(({ chr }) => chr === "c0"),
    );
    expect(rowsOf(await table.read({ fragments: { cell: ["3"], range: [0, 7] } }))).toEqual(ofCells("3"));
    await expect(table.read({ fragments: { cell: ["4"] } })).rejects.toThrow(InvalidInputError);
  });

  test("is written with the chosen cells", async () => {
    const part = await (await opened()).select({ obs: [5, 3, 1] });
    const own = folder();
    for (const format of ["bpcells", "10x"] as const) {
      const path = join(own, format === "10x" ? "out.tsv.gz" : "store");
      await write(path, part, { format });
      const again = await open(path);
      expect(rowsOf(await again.table("fragments").read())).toEqual(ofCells("3", "1"));
      if (format === "bpcells") expect(await again.obsNames()).toEqual(["5", "3", "1"]);
    }
  });

  test("no cell, all cells, and what cannot be chosen", async () => {
    const data = await opened();
    expect((await contents(await data.select({ obs: [] }))).rows).toEqual([]);
    expect((await contents(await data.select({ obs: [0, 1, 2, 3, 4, 5] }))).rows).toEqual(ALL);
    await expect(data.select({ obs: ["7"] })).rejects.toThrow(NotFoundError);
    await expect(data.select({ obs: sql`n > 3` })).rejects.toThrow(/no obs, whose columns are asked for/);
    await expect(data.select({ var: [0] })).rejects.toThrow(/it has no var/);
    const twice = await data.select({ obs: [1, 1] });
    expect(() => twice.table("fragments")).toThrow(/cell 1 is chosen twice, and a fragment is of one cell/);
  });
});

test("lines of text", async () => {
  const path = join(folder(), "fragments.tsv");
  writeFileSync(path, ALL.map(({ chr, start, end, cell }) => `${chr}\t${start}\t${end}\t${cell}\t1\n`).join(""));
  const data = await open(path);
  expect(await data.obsNames()).toEqual(["0", "3", "1", "4"]);
  const part = await data.select({ obs: ["4", "0"] });
  expect(await contents(part)).toEqual({ rows: ofCells("0", "4"), names: ["4", "0"] });
  const one = await part.select({ obs: [1] });
  expect(await contents(one)).toEqual({ rows: ofCells("0"), names: ["0"] });
});
