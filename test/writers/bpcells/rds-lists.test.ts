/** Lists of R that hold objects of BPCells: their order and their names, as R has them. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/index.js";
import { convert, open as openPath } from "../../../packages/published/src/node.js";
import { encodeStrings } from "../../../packages/r/src/containers/rds/model/text.js";
import { NO_ATTRIBUTES, R_NULL, type RValue } from "../../../packages/r/src/containers/rds/model/value.js";
import { readRds } from "../../../packages/r/src/containers/rds/read.js";
import { encodeRds } from "../../../packages/r/src/containers/rds/write/write.js";
import { writeBytes } from "../../../src/api/write.js";
import { folder, place } from "../../formats/conversion/opened.js";

/** Objects that R wrote: test/fixtures/bpcells/make_bpcells_rds.R. */
const object = (name: string) => readRds(new Uint8Array(readFileSync(`test/fixtures/data/bpcells-rds/${name}.rds`)));
const m = await object("packed");
const k = await object("packed-double");
const f = await object("fragments-packed");

function list(names: readonly (string | null)[] | null, ...values: RValue[]): RValue {
  const text = { kind: "character", text: encodeStrings(names ?? []), attributes: NO_ATTRIBUTES } as const;
  return { kind: "list", values, attributes: names === null ? NO_ATTRIBUTES : new Map([["names", text]]) };
}

/** Lists as they stand, objects as their classes. */
function outline(value: RValue): unknown {
  if (value.kind === "s4") return value.className;
  if (value.kind !== "list") return value.kind;
  const names = value.attributes.get("names");
  return { names: names === undefined ? null : names, values: value.values.map(outline) };
}

const LISTS: readonly (readonly [string, RValue, string])[] = [
  ["names in no order", list(["zz", "b", "a", "c"], m, k, list(["q"], m), f), "zz b a/q c"],
  ["no names", list(null, k, m), "1 2"],
  ["some names", list(["a", "", "c"], k, m, f), "a 2 c"],
  ["a name that is a position", list(["", "1"], k, m), "1_1 1"],
  ["a name twice", list(["a", "a", "2"], k, m, f), "a 2_1 2"],
  ["a name with a slash", list(["u/v", "u"], k, list(["v"], m)), "u/v u/v_1"],
  ["lists in lists", list(null, list(null, m, list(["x"], k)), f), "1/1 1/2/x 2"],
  ["a list of one", list(["only"], m), ""],
  ["a list of one in a list", list(null, list(["only"], m)), ""],
];

describe("a list is written as it was", () => {
  test.each(LISTS)("%s", async (_, value, paths) => {
    const data = await open(await encodeRds(value));
    const found = [...data.tables.keys()].filter((name) => /(matrix|fragments)$/.test(name));
    expect(found.map((name) => name.split("/").slice(0, -1).join("/")).join(" ")).toBe(paths);
    expect(outline(await readRds(await writeBytes("bpcells.rds", data)))).toEqual(outline(value));
  });

  test("by way of a directory of tables", async () => {
    for (const [, value] of LISTS) {
      const [tables, back] = [place("tables"), place("bpcells.rds")];
      await convert(await encodeRds(value), tables, { format: "arrow" });
      await convert(tables, back);
      expect(outline(await readRds(new Uint8Array(readFileSync(back))))).toEqual(outline(value));
    }
  });
});

test("a name that is missing is the text that R shows", async () => {
  const data = await open(await encodeRds(list(["a", null], m, k)));
  expect(data.tables.has("NA/matrix")).toBe(true);
});

test("a table under a path of the caller's goes where that says", async () => {
  const data = await open(await encodeRds(list(["zz", "a"], m, k)));
  const one = await readRds(await writeBytes("bpcells.rds", { matrix: data.table("zz/matrix") }));
  expect(outline(one)).toBe(outline(m));
  const two = { "y/matrix": data.table("zz/matrix"), "x/matrix": data.table("a/matrix") };
  const written = await readRds(await writeBytes("bpcells.rds", two));
  expect(outline(written)).toEqual(outline(list(["y", "x"], m, k)));
});

test("what a list holds besides is no part of the dataset, and stops a conversion", async () => {
  const path = `${folder()}/others.rds`;
  const text: RValue = { kind: "character", text: encodeStrings(["of May"]), attributes: NO_ATTRIBUTES };
  const value = list(
    ["counts", "note", "none", "nothing", "run", "atac"],
    m,
    text,
    list(null),
    R_NULL,
    {
      kind: "symbol",
      name: "f",
    },
    f,
  );
  const { writeFileSync } = await import("node:fs");
  writeFileSync(path, await encodeRds(value));
  const data = await openPath(path);
  expect([...data.failures.keys()]).toEqual(["note", "none", "nothing", "run"]);
  await data.close();
  await expect(convert(path, place("bpcells.h5"))).rejects.toThrow("note: a vector, no object of BPCells");
  const output = place("bpcells.rds");
  const { warnings } = await convert(path, output, { lossy: true });
  expect(warnings).toEqual([
    expect.stringMatching(/^left out: .*: note: a vector/),
    expect.stringMatching(/: none: an empty list/),
    expect.stringMatching(/: nothing: a vector/),
    expect.stringMatching(/: run: an R value of the kind symbol/),
  ]);
  expect(outline(await readRds(new Uint8Array(readFileSync(output))))).toEqual(outline(list(["counts", "atac"], m, f)));
});
