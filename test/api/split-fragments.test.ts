/** Splits of fragments by their cells: every output has the bytes of the part that `select` takes. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Dataset, InvalidDataError } from "../../packages/published/src/index.js";
import { split, write } from "../../packages/published/src/node.js";
import { draws } from "../draws.js";
import { folder, open, place } from "../formats/conversion/opened.js";
import { type Chromosome, makeStore } from "../readers/bpcells/fragment-stores.js";

/** The names and bytes of the files of an output. */
function bytesOf(path: string): Record<string, string> {
  if (!statSync(path).isDirectory()) return { "": readFileSync(path).toString("base64") };
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = names.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(files.map((file) => [file.slice(path.length), readFileSync(file).toString("base64")]));
}

/** Splits a dataset, and compares every output with what `write` makes of the part with its positions. */
async function expectParts(data: Dataset, rows: number, format: "bpcells" | "10x") {
  const directory = place("split");
  const how = { format, lossy: true } as const;
  const { parts, warnings } = await split(data, directory, { rows, ...how });
  const cells = (await data.obsNames())?.length ?? 0;
  expect(parts.length).toBe(Math.ceil(cells / rows));
  const others = new Set<string>();
  for (const [i, { file }] of parts.entries()) {
    const positions = Array.from({ length: Math.min(rows, cells - i * rows) }, (_, j) => i * rows + j);
    const path = place(format === "10x" ? "tsv.gz" : "part");
    const alone = await write(path, await data.select({ obs: positions }), how);
    for (const warning of alone.warnings) others.add(warning);
    expect(bytesOf(join(directory, file))).toEqual(bytesOf(path));
  }
  expect(warnings).toEqual([...others]);
}

/** Fragments of three chromosomes, whose cells lie mixed. */
const chromosomes = (count: number, cells: number): Chromosome[] =>
  [count, 0, count >> 1].map((length, c) => {
    const start = Array.from({ length }, (_, i) => 3 * i + c);
    return {
      start,
      end: start.map((one, i) => one + 10 + (i % 7)),
      cell: start.map((_, i) => ((i * 2654435761) >>> 7) % cells),
    };
  });

function lines(all: readonly Chromosome[], counted: boolean): string {
  const of = ({ start, end, cell }: Chromosome, c: number) =>
    start.map((from, i) => `c${c}\t${from}\t${end[i]}\tcell-${cell[i]}${counted ? `\t${i % 5}` : ""}\n`);
  return all.flatMap(of).join("");
}

function textFile(text: string): string {
  const path = place("tsv");
  writeFileSync(path, text);
  return path;
}

const INPUTS = {
  packed: (all: readonly Chromosome[], cells: number) => open(makeStore(all, cells, true)),
  plain: (all: readonly Chromosome[], cells: number) => open(makeStore(all, cells, false)),
  text: (all: readonly Chromosome[]) => open(textFile(lines(all, false))),
  counted: (all: readonly Chromosome[]) => open(textFile(lines(all, true))),
};

describe.each(Object.entries(INPUTS))("%s fragments", (_, opened) => {
  test.each(["bpcells", "10x"] as const)("split to %s have the bytes of their parts", async (format) => {
    const data = await opened(chromosomes(700, 50), 50);
    await expectParts(data, 17, format);
  });

  test("are split in the order and the choice of a part", async () => {
    const data = await opened(chromosomes(300, 20), 20);
    const part = await data.select({ obs: [9, 3, 17, 0, 12, 5, 4] });
    await expectParts(part, 3, "bpcells");
  });
});

test("any fragments have the bytes of their parts", async () => {
  const drawn = fc.record({
    runs: fc.array(fc.array(fc.tuple(fc.nat(50), fc.nat(20), fc.nat(11)), { maxLength: 20 }), { maxLength: 4 }),
    packed: fc.boolean(),
    rows: fc.integer({ min: 1, max: 13 }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ runs, packed, rows }) => {
      const all = runs.map((run) => {
        const sorted = run.toSorted((a, b) => a[0] - b[0]);
        const [start, cell] = [sorted.map(([from]) => from), sorted.map((one) => one[2])];
        return { start, end: sorted.map(([from, length]) => from + length), cell };
      });
      await expectParts(await open(makeStore(all, 12, packed)), rows, "bpcells");
    }),
    draws(24),
  );
});

test("more fragments than are copied at once have the bytes of their parts", async () => {
  await expectParts(await open(makeStore(chromosomes(800_000, 50), 50, true)), 30, "bpcells");
});

test("ends before starts stay, with the warning of their output", async () => {
  const all = [{ start: [5, 6, 7], end: [9, 2, 8], cell: [0, 1, 2] }];
  await expectParts(await open(makeStore(all, 3, false)), 1, "bpcells");
});

describe("temporary files", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([true, false])("none is left (broken: %s)", async (broken) => {
    const temporary = join(folder(), `temporary-${broken}`);
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const [one, ...others] = chromosomes(700, 50);
    const start = broken ? [...one.start.slice(0, -1), 1] : one.start;
    const data = await open(makeStore([{ ...one, start }, ...others], 50, false));
    const directory = place("split");
    const result = split(data, directory, { rows: 7, format: "bpcells", lossy: true });
    if (broken) {
      await expect(result).rejects.toThrow(InvalidDataError);
      await expect(result).rejects.toThrow(
        /fragment 699 begins at 1, the one before it on the same chromosome at 2094/,
      );
    } else await result;
    expect(existsSync(directory)).toBe(!broken);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(folder()).filter((name) => name.includes("annarrow-"))).toEqual([]);
  });
});
