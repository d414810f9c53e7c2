/** What the rules say, and docs/conversions.md after them, is what conversions do. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { ELEMENTS, type ViewElement } from "../../../src/formats/conversion/view/rules.js";
import { conversions } from "../../../src/formats/formats.js";
import type { Dataset, Format } from "../../../src/model/dataset.js";
import { open, place } from "./opened.js";
import { BASE, SAMPLES } from "./samples.js";

/** Formats that are written, with what a path of theirs ends with. */
const TARGETS: readonly (readonly [Format, string])[] = [
  ["bpcells", "bpcells.h5"],
  ["loom", "loom"],
  ["matlab", "mat"],
  ["h5seurat", "h5seurat"],
  ["r", "sce.rds"],
];

const cases = TARGETS.flatMap(([format, extension]) => ELEMENTS.map((element) => ({ format, extension, element })));

/** What else an element may be called: BPCells has no `uns` at all, and the writer of Loom speaks of attributes. */
const NAMED: Readonly<Record<string, string>> = {
  obs: "obs|col_attrs",
  "uns/title": "uns(/title)?",
  "uns/params": "uns(/params)?",
};

/** The dataset with this element; fragments lie apart from matrices. */
function tablesOf(element: ViewElement) {
  return element === "fragments" ? SAMPLES.fragments.tables : { ...BASE, ...SAMPLES[element].tables };
}

/** The rows of a table, in an order of their own where it is a matrix. */
async function rows(data: Dataset, name: string): Promise<readonly string[]> {
  const table = await data.table(name).read();
  const names = table.schema.fields.map((field) => field.name);
  const texts = table.toArray().map((row) =>
    JSON.stringify(
      names.map((one) => row[one]),
      plain,
    ),
  );
  return names.includes("row") ? texts.sort() : texts;
}

/** Booleans as the 0 and 1 that Loom has in their place. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "bigint" ? String(value) : value;
}

test.each(cases)("$element to $format", async ({ format, extension, element }) => {
  const { rules } = await conversions.of(format);
  const rule = rules[element];
  const source = place("h5ad");
  const given = tablesOf(element);
  if (element === "fragments") {
    const written = write(place(extension), given);
    if (rule.write === "refused") await expect(written).rejects.toThrow(/fragments: .* has no place for it/);
    else expect((await written).warnings).toEqual([]);
    return;
  }
  await write(source, given);
  const named = new RegExp(`(^|: )(${NAMED[SAMPLES[element].element] ?? SAMPLES[element].element})[: /]`);
  const output = place(extension);
  if (rule.write === "refused") {
    await expect(convert(source, output)).rejects.toThrow(named);
    const { warnings } = await convert(source, output, { lossy: true });
    expect(warnings).toEqual(expect.arrayContaining([expect.stringMatching(named)]));
    return;
  }
  // That the samples' floats become wider in R is said of all elements at once.
  const warnings = (await convert(source, output)).warnings.filter((one) => !one.includes("32-bit floats"));
  if (rule.write === "kept") expect(warnings).toEqual([]);
  else expect(warnings).toEqual([expect.stringMatching(named)]);
  // An element that becomes a dataset of its own in the format.
  if (rule.read === null) return;
  const back = place("h5ad");
  await convert(output, back);
  const [before, after] = [await open(source), await open(back)];
  for (const name of Object.keys(given)) expect(await rows(after, name), name).toEqual(await rows(before, name));
});

test.each<Format>(["bpcells", "loom", "10x", "mudata", "matlab", "h5seurat"])(
  "AnnData keeps all that comes from %s",
  async (format) => {
    const { rules } = await conversions.of("anndata");
    const { rules: theirs } = await conversions.of(format);
    for (const element of ELEMENTS.filter((one) => one !== "fragments" && theirs[one].read !== null)) {
      expect(rules[element].write, element).toBe("kept");
    }
  },
);

test("docs/conversions.md is made of the rules", () => {
  const check = () => execFileSync(process.execPath, ["scripts/conversions-docs.mjs", "--check"], { stdio: "pipe" });
  expect(check).not.toThrow();
});
