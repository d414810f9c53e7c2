/** Outputs that lie in their inputs, or around them, or are them: on the command line and in the library. */

import { execFile } from "node:child_process";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { convert, open, write } from "../../packages/published/src/node.js";
import { ensureBuilt } from "../build.js";
import { tree } from "../io/targets/tree.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

let made: string;
let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  made = mkdtempSync(join(tmpdir(), "annarrow-overlap-"));
  cpSync(COUNTS, join(made, "a.h5ad"));
  await convert(COUNTS, join(made, "s.zarr"));
  await convert(COUNTS, join(made, "t"), { format: "parquet" });
  await convert(COUNTS, join(made, "m.bpcells"), { tables: ["X"], lossy: true });
  return () => rmSync(made, { recursive: true });
}, 240_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-overlap-"));
  cpSync(made, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: string[]) => join(folder, ...names);

/** What the command says, and how it ends. */
function command(...args: string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["dist/cli/main.js", ...args], (_, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
}

/** Refused by name, and nothing is changed or left. */
async function expectRefused(output: string, wanted: RegExp, write: () => Promise<unknown>): Promise<void> {
  const before = tree(folder);
  await expect(write()).rejects.toMatchObject({
    tag: "InvalidInputError",
    source: output,
    message: expect.stringMatching(wanted),
  });
  expect(tree(folder)).toBe(before);
}

describe("an output in its own input is refused", () => {
  test.each([
    ["s.zarr", "s.zarr/sub.zarr"],
    ["s.zarr", "s.zarr/obs/sub.h5ad"],
    ["t", "t/sub.h5ad"],
    ["m.bpcells", "m.bpcells/sub.loom"],
    ["s.zarr", "t/../s.zarr/../s.zarr/uns/sub.zarr"],
  ])("%s to %s", async (input, output) => {
    const place = `${folder}/${output}`;
    const options = { overwrite: true, lossy: true };
    await expectRefused(place, /lies in .*, which is open as an input/, () => convert(at(input), place, options));
  });

  test("by a link to either", async () => {
    const links = mkdtempSync(join(tmpdir(), "annarrow-links-"));
    const link = join(links, "link.zarr");
    symlinkSync(at("s.zarr"), link);
    await expectRefused(at("s.zarr/x.h5ad"), /lies in/, () => convert(link, at("s.zarr/x.h5ad")));
    await expectRefused(join(link, "x.h5ad"), /lies in/, () => convert(at("s.zarr"), join(link, "x.h5ad")));
    rmSync(links, { recursive: true });
  });

  test("as a file: address, and on the command line", async () => {
    const url = pathToFileURL(at("s.zarr")).href;
    await expectRefused(at("s.zarr/x.h5ad"), /lies in/, () => convert(url, at("s.zarr/x.h5ad")));
    const { code, stderr } = await command("convert", at("s.zarr"), at("s.zarr/sub.zarr"));
    expect(stderr).toBe(
      `annarrow: ${at("s.zarr/sub.zarr")}: lies in ${at("s.zarr")}, which is open as an input; write it beside that, not into it\n`,
    );
    expect(code).toBe(1);
  });

  test("also of tables of a dataset, and of another dataset that is open", async () => {
    const data = await open(at("s.zarr"));
    await expectRefused(at("s.zarr/x.h5ad"), /lies in/, () => write(at("s.zarr/x.h5ad"), { obs: data.table("obs") }));
    await expectRefused(at("s.zarr/x.h5ad"), /lies in/, () => convert(at("a.h5ad"), at("s.zarr/x.h5ad")));
    await data.close();
  });

  test("also an answer of a query", async () => {
    const output = at("s.zarr/answer.csv");
    const before = tree(folder);
    const { code, stderr } = await command("query", at("s.zarr"), "select 1", "-o", output);
    expect(stderr).toContain(`${output}: lies in ${at("s.zarr")}`);
    expect(code).toBe(1);
    expect(tree(folder)).toBe(before);
    const own = await command("query", at("a.h5ad"), "select 1", "-o", at("a.h5ad"), "--format", "csv", "--overwrite");
    expect(own.stderr).toContain(`${at("a.h5ad")}: is the input, of which only a part would be left`);
    expect(tree(folder)).toBe(before);
  });
});

describe("an output that holds an input is refused", () => {
  test("a folder of tables, of which one is read", async () => {
    const { code, stderr } = await command(
      ...["convert", "--X", at("t/X.parquet"), "--obs", at("t/obs.parquet"), at("t"), "--to", "zarr", "--overwrite"],
    );
    expect(stderr).toContain(`${at("t")}: holds ${at("t")}/`);
    expect(code).toBe(1);
    expect(tree(at("t"))).toBe(tree(join(made, "t")));
  });

  test("a store, of which a group is read", async () => {
    mkdirSync(at("outer"));
    await convert(at("s.zarr"), at("outer/inner.zarr"));
    cpSync(at("s.zarr/.zgroup"), at("outer/.zgroup"));
    await expectRefused(at("outer"), /holds .*inner\.zarr, which is open/, () =>
      convert(at("outer/inner.zarr"), at("outer"), { format: "parquet", overwrite: true }),
    );
  });

  test("a folder of other things, of which one is read", async () => {
    mkdirSync(at("out"));
    cpSync(COUNTS, at("out/a.h5ad"));
    await expectRefused(`${at("out")}/`, /holds .*a\.h5ad/, () =>
      convert(at("out/a.h5ad"), `${at("out")}/`, { format: "parquet", overwrite: true }),
    );
  });
});

describe("an output that is its input", () => {
  test.each(["a.h5ad", "s.zarr", "m.bpcells"])(
    "%s is replaced where that is allowed, with the same tables",
    async (name) => {
      const wanted = await digest(at(name));
      await expect(convert(at(name), at(name))).rejects.toThrow("exists already");
      expect(tree(at(name))).toBe(tree(join(made, name)));
      await convert(at(name), at(name), { overwrite: true });
      expect(await digest(at(name))).toEqual(wanted);
      expect(readdirSync(folder).sort()).toEqual(readdirSync(made).sort());
    },
  );

  test("a symbolic link to it stays one, a hard link keeps what was there", async () => {
    symlinkSync("a.h5ad", at("soft.h5ad"));
    linkSync(at("a.h5ad"), at("hard.h5ad"));
    const { ino } = statSync(at("a.h5ad"));
    await convert(at("a.h5ad"), at("hard.h5ad"), { overwrite: true });
    expect(statSync(at("a.h5ad")).ino).toBe(ino);
    await convert(at("a.h5ad"), at("soft.h5ad"), { overwrite: true });
    expect(statSync(at("soft.h5ad")).ino).toBe(statSync(at("a.h5ad")).ino);
    const wanted = await digest(COUNTS);
    for (const name of ["a.h5ad", "hard.h5ad", "soft.h5ad"]) expect(await digest(at(name))).toEqual(wanted);
  });

  test("is not replaced by a part of it", async () => {
    const refused = /is the input, of which only a part would be left/;
    const place = at("a.h5ad");
    const data = await open(place);
    const part = await data.select({ obs: [0] });
    await expectRefused(place, refused, () => write(place, part, { overwrite: true }));
    await expectRefused(place, refused, () => convert(place, place, { tables: ["obs"], overwrite: true }));
    await expectRefused(place, refused, () => convert(place, place, { lossy: true, overwrite: true }));
    await data.close();
    symlinkSync("s.zarr", at("link.zarr"));
    const { code, stderr } = await command(
      "convert",
      at("s.zarr"),
      at("link.zarr"),
      "--obs-slice",
      "0:3",
      "--overwrite",
    );
    expect(stderr).toMatch(refused);
    expect(code).toBe(1);
    expect(tree(at("s.zarr"))).toBe(tree(join(made, "s.zarr")));
  });

  test("an open file that is replaced is read on as it was", async () => {
    const data = await open(at("a.h5ad"));
    await write(at("a.h5ad"), data, { overwrite: true });
    expect((await data.table("obs").read()).numRows).toBeGreaterThan(0);
    await data.close();
  });
});

test("beside its input, or into a folder of one that is closed, is nobody's harm", async () => {
  await convert(at("a.h5ad"), at("b.h5ad"));
  const { code } = await command("convert", "--obs", at("t/obs.parquet"), at("t/cells.h5ad"), "--shape", "70,0");
  expect(code).toBe(0);
});

/** The rows of all tables. */
async function digest(path: string): Promise<readonly (readonly [string, string])[]> {
  const data = await open(path);
  const rows: [string, string][] = [];
  for (const [name, table] of data.tables) rows.push([name, String(await table.read()).slice(0, 100_000)]);
  await data.close();
  return rows;
}
