/** Every pair of formats: what is converted from one to the other is what was given, whatever it lay in before. */

import { beforeAll, describe, expect, test } from "vitest";
import { convert, type WriteOptions, write } from "../../../packages/published/src/node.js";
import { type Contents, contents } from "./annotated-view.js";
import { open, place } from "./opened.js";
import { BASE, SAMPLES } from "./samples.js";

interface Form {
  readonly name: string;
  readonly extension: string;
  readonly options: WriteOptions;
  /** Whether there is a place for more than a matrix and its names. */
  readonly rich: boolean;
}

const FORMS: readonly Form[] = [
  { name: "h5ad", extension: "h5ad", options: {}, rich: true },
  { name: "zarr 2", extension: "zarr", options: { zarrFormat: 2 }, rich: true },
  { name: "zarr 3", extension: "zarr", options: { zarrFormat: 3 }, rich: true },
  { name: "loom", extension: "loom", options: {}, rich: true },
  { name: "mat", extension: "mat", options: {}, rich: true },
  { name: "h5seurat", extension: "h5seurat", options: {}, rich: true },
  { name: "bpcells", extension: "bpcells", options: {}, rich: false },
  { name: "bpcells.h5", extension: "bpcells.h5", options: {}, rich: false },
  { name: "parquet", extension: "tables", options: { format: "parquet" }, rich: true },
  { name: "arrow", extension: "tables", options: { format: "arrow" }, rich: true },
];

/** What all formats hold, and what all but BPCells do. */
const PLAIN = BASE;
const RICH = {
  ...BASE,
  ...SAMPLES["layers/*"].tables,
  ...SAMPLES["obs, var: columns of numbers or text"].tables,
  ...SAMPLES["obsm/*, varm/*: arrays"].tables,
  ...SAMPLES["obsp/*, varp/*"].tables,
  ...SAMPLES["uns/*: scalars, arrays of numbers or text"].tables,
};

const PLAIN_CONTENTS: Contents = {
  X: ["0 1 0.5", "0 3 -1", "2 0 7"],
  obs: ['"a"', '"b"', '"c"'],
  var: ['"g0"', '"g1"', '"g2"', '"g3"'],
};
const RICH_CONTENTS: Contents = {
  ...PLAIN_CONTENTS,
  "layers/counts": ["0 0 3", "1 2 4"],
  "obs/depth": ["3", "2", "1"],
  "obs/tissue": ['"x"', '"é"', '""'],
  "obsm/X_pca": ["[1,2]", "[3,4]", "[5,6]"],
  "obsp/knn": ["0 1 0.5", "1 2 1", "2 2 2"],
  "uns/title": ['"three cells"'],
  "uns/list": ["1", "2.5"],
};

async function made(from: string, form: Form): Promise<string> {
  const output = place(form.extension);
  const { warnings } = await convert(from, output, form.options);
  expect(warnings).toEqual([]);
  return output;
}

describe.each([
  { what: "a matrix with its names", given: PLAIN, expected: PLAIN_CONTENTS, forms: FORMS },
  { what: "a whole dataset", given: RICH, expected: RICH_CONTENTS, forms: FORMS.filter(({ rich }) => rich) },
])("$what", ({ given, expected, forms }) => {
  const sources = new Map<string, string>();
  /** Tables of a directory that was exported from another format than AnnData have its words. */
  const others: readonly (readonly [string, string])[] = [
    ["loom", "parquet"],
    ["loom", "arrow"],
    ["mat", "parquet"],
    ["mat", "arrow"],
    ["bpcells", "parquet"],
    ["bpcells.h5", "arrow"],
  ];

  beforeAll(async () => {
    const first = place("h5ad");
    await write(first, given);
    for (const form of forms) sources.set(form.name, await made(first, form));
    for (const [from, to] of others) {
      const [source, form] = [sources.get(from), forms.find(({ name }) => name === to)];
      if (source !== undefined && form !== undefined) sources.set(`${from} as ${to}`, await made(source, form));
    }
  }, 120_000);

  const names = forms.map(({ name }) => name);
  const known = [...names, ...others.flatMap(([from, to]) => (names.includes(from) ? [`${from} as ${to}`] : []))];

  test.each(known.flatMap((from) => forms.map((to) => [from, to.name, to] as const)))(
    "%s -> %s",
    async (from, _, to) => {
      const source = sources.get(from) ?? "";
      const data = await open(await made(source, to));
      expect(await contents(data)).toEqual(expected);
      // Variables of MATLAB have sizes, files none.
      const shape = data.shape ?? data.table("X").metadata.shape ?? [];
      expect([...shape].sort()).toEqual([3, 4]);
    },
  );
});

/** What is read alone: its matrix and names go everywhere. */
test.each(
  [
    ["Cell Ranger 3", "cellranger/v3.h5", ""],
    ["Cell Ranger 2", "cellranger/v2.h5", ""],
    ["a modality of a MuData", "mudata/axis0.h5mu", "mod/rna"],
    ["a modality with raw", "mudata/axis0.h5mu", "mod/prot"],
  ].flatMap(([what, file, path]) => FORMS.map((to) => [what, to.name, file, path, to] as const)),
)("%s -> %s", async (_, __, file, path, to) => {
  const data = await open(`test/fixtures/data/${file}`, { path });
  const output = place(to.extension);
  const lossy = to.options.format === undefined;
  await write(output, data, { ...to.options, ...(lossy ? { lossy } : {}) });
  const names = ["X", "obs", "var"];
  const given = await contents(data, names);
  const expected = to.name === "h5seurat" ? { ...given, var: madeUnique(given.var) } : given;
  expect(await contents(await open(output), names)).toEqual(expected);
});

/** Names of Seurat occur once: with `lossy`, repeated ones are numbered, as R's `make.unique` does. */
function madeUnique(quoted: readonly string[] = []): string[] {
  const count = new Map<string, number>();
  return quoted.map((name) => {
    const before = count.get(name) ?? 0;
    count.set(name, before + 1);
    return before === 0 ? name : JSON.stringify(`${JSON.parse(name)}.${before}`);
  });
}

test("a MuData is converted modality by modality", async () => {
  await expect(convert("test/fixtures/data/mudata/axis0.h5mu", place("loom"))).rejects.toThrow(
    /a MuData of 2 modalities \(rna, prot\), each a dataset of its own: choose one \(--modality rna\)/,
  );
});

describe("the words of tables of no format are found by their names", async () => {
  const { detectVocabulary } = await import("../../../src/formats/conversion/conversions.js");
  const { conversions } = await import("../../../src/formats/formats.js");

  test.each([
    [["X", "obs", "var"], "loom", "anndata"],
    [["X", "layers/counts", "obs"], "loom", "anndata"],
    [["layers/counts"], "loom", "loom"],
    [["matrix", "col_attrs", "row_attrs", "layers/counts"], "anndata", "loom"],
    [["matrix", "col_names", "row_names"], "anndata", "bpcells"],
    [["matrix", "col_names", "row_names"], "loom", "bpcells"],
    [["matrix"], "loom", "loom"],
    [["matrix"], "bpcells", "bpcells"],
    [["fragments"], "bpcells", "anndata"],
    [["nothing", "of", "all"], "bpcells", "anndata"],
  ] as const)("%j for %s: %s", async (tables, target, words) => {
    expect(await detectVocabulary("tables", tables, target, conversions)).toBe(words);
  });

  test("no format is converted that has no such view", async () => {
    await expect(conversions.of("tables")).rejects.toThrow(/no conversion from or to the format tables yet/);
  });
});

test("a caller's tables in the words of Loom become an AnnData", async () => {
  const loom = place("loom");
  await write(loom, PLAIN);
  const data = await open(loom);
  const output = place("h5ad");
  await write(output, {
    matrix: data.table("matrix"),
    col_attrs: data.table("col_attrs"),
    row_attrs: data.table("row_attrs"),
  });
  expect(await contents(await open(output))).toEqual(PLAIN_CONTENTS);
});
