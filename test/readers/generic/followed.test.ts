import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { open as openOnPage } from "../../../packages/published/src/index.js";
import { open } from "../../../packages/published/src/node.js";

/** Files that lead to each other, and what h5py reads (test/fixtures/hdf5/make_followed.py). */
const FOLDER = "test/fixtures/data/followed";
const EXPECTED: Record<string, { shape: number[]; values: number[] }> = JSON.parse(
  readFileSync(`${FOLDER}/expected.json`, "utf8"),
);

/** The values of the table in C order. */
async function valuesOf(data: Awaited<ReturnType<typeof open>>, name: string): Promise<number[]> {
  const table = await data.table(name).read();
  const flat = (value: unknown): number[] =>
    typeof value === "number" || typeof value === "bigint"
      ? [Number(value)]
      : [...(value as Iterable<unknown>)].flatMap(flat);
  return [...(table.getChild("value") ?? [])].flatMap(flat);
}

/** A copy of the folder below one that is removed at the end, with a symbolic link in it that leads out of it. */
function copied(): string {
  const above = mkdtempSync(join(tmpdir(), "annarrow-followed-"));
  onTestFinished(() => rmSync(above, { recursive: true }));
  cpSync(FOLDER, join(above, "in"), { recursive: true });
  cpSync(join(FOLDER, "sub/other.h5"), join(above, "out.h5"));
  symlinkSync(join(above, "out.h5"), join(above, "in/symbolic.h5"));
  return join(above, "in");
}

describe("files to which an HDF5 file leads", () => {
  test.each(Object.keys(EXPECTED))("%s has h5py's values", async (name) => {
    await using data = await open(`${FOLDER}/main.h5`, { follow: [FOLDER] });
    const { values } = EXPECTED[name];
    expect(await valuesOf(data, name)).toEqual(values);
  });

  test("links lead back without an end", async () => {
    await using data = await open(`${FOLDER}/main.h5`, { follow: [FOLDER] });
    const names = [...data.tables.keys()];
    expect(names).toContain("circle/back");
    expect(names).toContain("circle/circle/own");
    expect(names.filter((name) => name.startsWith("circle/circle/circle"))).toEqual([]);
  });

  test("references into another file are refused", async () => {
    await using data = await open(`${FOLDER}/main.h5`, { follow: [FOLDER] });
    expect(data.failures.get("points")?.problem).toContain("references in another file");
    expect(data.warnings.join()).toContain('the attribute "points" is left out: references into another file');
  });

  test.each([
    ["link", /external link to \/a in the file sub\/other\.h5; other files are opened only .*--follow FOLDER/],
    ["group", /in the file sub\/other\.h5; .*--follow FOLDER/],
    ["raw", /external storage: the values lie in the file values\.raw; .*--follow FOLDER/],
    ["virtual", /virtual dataset: the values lie in the file sub\/other\.h5; .*--follow FOLDER/],
  ])("%s is refused without the option", async (name, problem) => {
    await using data = await open(`${FOLDER}/main.h5`);
    expect(data.failures.get(name)?.problem).toMatch(problem);
    expect(await valuesOf(data, "own")).toEqual([0, 1, 2]);
  });

  test.each([
    ["up", /in the file \.\.\/hdf5\/virtual\.h5, which is not in the folders of follow/],
    ["absolute", /in the file \/etc\/passwd, which is not in the folders/],
    ["symbolic", /in the file symbolic\.h5, which is not in the folders/],
    ["no_file", /in the file none\.h5, which is not in the folders/],
    ["absent", /no child of the name "absent"/],
    ["raw_up", /in the file \.\.\/hdf5\/virtual\.h5, which is not in the folders/],
    ["virtual_up", /in the file \.\.\/hdf5\/virtual\.h5, which is not in the folders/],
    ["virtual_nested", /virtual dataset of the virtual dataset nested/],
    ["raw_short", /200 bytes from 4 on, in the file values\.raw of 80 bytes/],
  ])("%s leads out of the folder, or nowhere", async (name, problem) => {
    const folder = copied();
    await using data = await open(join(folder, "main.h5"), { follow: [folder] });
    expect(data.failures.get(name)?.problem).toMatch(problem);
  });

  test("another folder than the file's own", async () => {
    const folder = copied();
    await using data = await open(join(folder, "sub/other.h5"), { follow: [folder] });
    expect(await valuesOf(data, "back")).toEqual([0, 1, 2]);
    expect(await valuesOf(data, "raw")).toEqual([1, 2, 3]);
    await using closed = await open(join(folder, "main.h5"), { follow: [join(folder, "sub")] });
    expect(await valuesOf(closed, "link")).toEqual(EXPECTED.link.values);
    expect(closed.failures.get("raw")?.problem).toContain("not in the folders of follow");
  });

  test("on pages a function finds the files, and folders are refused", async () => {
    const bytes = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)));
    const follow = (name: string) => (name === "sub/other.h5" || name === "values.raw" ? bytes(name) : null);
    await using data = await openOnPage(bytes("main.h5"), { follow });
    expect(await valuesOf(data, "link")).toEqual(EXPECTED.link.values);
    expect(data.failures.get("raw_of_both")?.problem).toContain("in the file more.raw, which is not in");
    expect(data.failures.get("virtual")?.problem).toContain("must be a file on disk");
    await using other = await openOnPage(bytes("main.h5"), { follow: [FOLDER] });
    expect(other.failures.get("link")?.problem).toContain("folders to follow need Node.js");
  });
});
