/** How often a split reads its input: once, whatever the number of outputs, and along both axes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Dictionary, Float32, Int32, Table, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open } from "../../packages/published/src/index.js";
import { split, write } from "../../packages/published/src/node.js";
import { open as openPath, place } from "../formats/conversion/opened.js";
import { makeStore } from "../readers/bpcells/fragment-stores.js";
import { contentsOf } from "./part-contents.js";

const CELLS = 600;
const GENES = 500;

const PAGE = 1024;

/** A file in memory that counts how often each page of it is read. */
class CountingBlob extends Blob {
  readonly #reads = new Uint32Array(Math.ceil(this.size / PAGE));

  override slice(start = 0, end = this.size, type?: string): Blob {
    for (let page = Math.floor(start / PAGE); page * PAGE < end; page++) this.#reads[page]++;
    return super.slice(start, end, type);
  }

  /** How often most pages were read. The matrix is most of the file; names and pointers are read for each output. */
  get passes(): number {
    return this.#reads.slice().sort()[Math.floor(this.#reads.length * 0.7)];
  }
}

/** The bytes of a file whose cells and genes lie mixed by the columns `two` and `many`. */
async function fileOf(format: "h5ad" | "loom", order: "csr" | "csc" | "dense"): Promise<Uint8Array<ArrayBuffer>> {
  const frame = (length: number) =>
    new Table({
      name: text(Array.from({ length }, (_, i) => `n${i}`)),
      two: categories(Array.from({ length }, (_, i) => String((i * 7) % 2))),
      many: categories(Array.from({ length }, (_, i) => String((i * 7) % 20))),
    });
  const entries = Array.from({ length: CELLS * GENES }, (_, i) => i).filter((i) => (i * 2654435761) % 7 < 3);
  const X = new Table({
    row: vectorFromArray(
      entries.map((i) => Math.floor(i / GENES)),
      new Int32(),
    ),
    col: vectorFromArray(
      entries.map((i) => i % GENES),
      new Int32(),
    ),
    value: vectorFromArray(
      entries.map((i) => (i % 1000) + 1),
      new Float32(),
    ),
  });
  const source = place("h5ad");
  await write(source, { X, obs: frame(CELLS), var: frame(GENES) }, { index: { obs: "name", var: "name" } });
  const data = await openPath(source);
  const path = place(format);
  if (order === "dense" && format === "h5ad") {
    const tables = { X: await data.table("X").layout("dense"), obs: data.table("obs"), var: data.table("var") };
    await write(path, tables, { compression: "none" });
  } else await write(path, data, { compression: "none", ...(order === "dense" ? {} : { order }) });
  return new Uint8Array(readFileSync(path));
}

/**
 * The bytes of a MuData of two modalities that have the genes in turn, all cells or two thirds of them.
 * @param reversed gives the first modality its cells in the reverse order of the whole.
 */
async function modalities(order: "csr" | "csc", reversed: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await open(new Blob([await fileOf("h5ad", "csr")]));
  const cells = Array.from({ length: CELLS }, (_, i) => (reversed ? CELLS - 1 - i : i));
  const some = cells.map((_, i) => i).filter((i) => i % 3 !== 0);
  const genes = Array.from({ length: GENES }, (_, i) => i);
  const rna = await whole.select({ obs: cells, var: genes.filter((i) => i % 2 === 0) });
  const prot = await whole.select({ obs: some, var: genes.filter((i) => i % 2 === 1) });
  const map = (numbers: readonly number[]) => new Table({ value: vectorFromArray(numbers, new Int32()) });
  const path = place("h5mu");
  const tables = {
    ...{ obs: whole.table("obs"), var: whole.table("var") },
    ...{ "mod/rna/X": rna.table("X"), "mod/rna/obs": rna.table("obs"), "mod/rna/var": rna.table("var") },
    ...{ "mod/prot/X": prot.table("X"), "mod/prot/obs": prot.table("obs"), "mod/prot/var": prot.table("var") },
    "obsmap/rna": map(cells.map((_, i) => cells.indexOf(i) + 1)),
    "obsmap/prot": map(cells.map((_, i) => some.indexOf(i) + 1)),
    "varmap/rna": map(genes.map((i) => (i % 2 === 0 ? i / 2 + 1 : 0))),
    "varmap/prot": map(genes.map((i) => (i % 2 === 1 ? (i + 1) / 2 : 0))),
  };
  await write(path, tables, { compression: "none", order });
  return new Uint8Array(readFileSync(path));
}

function text(values: readonly string[]) {
  return vectorFromArray(values, new Utf8());
}

function categories(values: readonly string[]) {
  return vectorFromArray(values, new Dictionary(new Utf8(), new Int32()));
}

describe("a split reads its input once", () => {
  const cases = [
    ["h5ad", "csr", "var"],
    ["h5ad", "csc", "obs"],
    ["h5ad", "dense", "var"],
    ["h5ad", "csr", "obs"],
    ["loom", "dense", "obs"],
    ["loom", "dense", "var"],
  ] as const;
  test.each(cases)(
    ".%s, %s, along %s",
    async (format, order, axis) => {
      const bytes = await fileOf(format, order);
      const read = async (rule: { by: string } | { rows: number }) => {
        const blob = new CountingBlob([bytes]);
        const directory = place("split");
        const data = await open(blob);
        const { parts } = await split(data, directory, { ...rule, axis, format });
        await data.close();
        const last = parts.length - 1;
        return { passes: blob.passes, parts, last: await openPath(join(directory, parts[last].file)) };
      };
      const [two, many] = [await read({ by: "two" }), await read({ by: "many" })];
      expect([two.parts.length, many.parts.length]).toEqual([2, 20]);
      // A chunk of two outputs is read for each: of a Loom file it has 64 rows.
      const blocks = await read({ rows: 128 });
      expect([two.passes, many.passes, blocks.passes]).toEqual([1, 1, 1]);
      // The slow way reads the part of one value.
      const whole = await open(new Blob([bytes]));
      const positions = Array.from({ length: axis === "obs" ? CELLS : GENES }, (_, i) => i);
      const chosen = positions.filter((i) => String((i * 7) % 20) === many.parts[19].value);
      expect(await contentsOf(many.last)).toEqual(await contentsOf(await whole.select({ [axis]: chosen })));
    },
    60_000,
  );
});

test.each([
  ["csc", "obs", false, 1],
  ["csr", "var", false, 1],
  ["csr", "obs", false, 1],
  // Each output has its cells in the order of the whole, not in the modality's.
  ["csc", "obs", true, null],
] as const)(
  "a split of a MuData reads its modalities (%s, along %s, reversed: %s) once",
  async (order, axis, reversed, passes) => {
    const bytes = await modalities(order, reversed);
    const blob = new CountingBlob([bytes]);
    const data = await open(blob);
    const directory = place("split");
    const { parts } = await split(data, directory, { by: "many", axis });
    await data.close();
    expect(parts.length).toBe(20);
    if (passes !== null) expect(blob.passes).toBe(passes);
    const whole = await open(new Blob([bytes]));
    const positions = Array.from({ length: axis === "obs" ? CELLS : GENES }, (_, i) => i);
    for (const { file, value } of [parts[0], parts[19]]) {
      const chosen = positions.filter((i) => String((i * 7) % 20) === value);
      const part = await openPath(join(directory, file));
      expect(await contentsOf(part)).toEqual(await contentsOf(await whole.select({ [axis]: chosen })));
    }
  },
  60_000,
);

describe("a split of fragments reads them once", () => {
  const cell = Array.from({ length: 20_000 }, (_, i) => (i * 7) % 200);

  test("in stored arrays", async () => {
    const start = cell.map((_, i) => i);
    const files = makeStore([{ start, end: start.map((one) => one + 50), cell }], 200, true);
    const readsFor = async (rows: number) => {
      /** How often the arrays of fragments are asked for. */
      let reads = 0;
      const data = await open({
        async get(key: string) {
          if (/(cell|start|end)_data$/.test(key)) reads++;
          return files.get(key.slice(1));
        },
      });
      await split(data, place("split"), { rows, format: "bpcells" });
      await data.close();
      return reads;
    };
    const two = await readsFor(100);
    expect(two).toBeGreaterThan(0);
    expect(await readsFor(10)).toBe(two);
  });

  test("and lines of text twice, because of the names", async () => {
    const text = cell.map((one, i) => `chr1\t${i}\t${i + 50}\tcell-${one}\n`).join("");
    const passesFor = async (rows: number) => {
      const blob = new CountingBlob([text]);
      const data = await open(blob);
      await split(data, place("split"), { rows, format: "10x", lossy: true });
      await data.close();
      return blob.passes;
    };
    expect([await passesFor(100), await passesFor(10)]).toEqual([2, 2]);
  });
});
