import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../../../../src/api/open.node.js";
import { expectedOf, FIXTURES, filesOf } from "../../../../../test/readers/bpcells/stores.js";
import { contents, OBJECTS } from "./objects.js";

const top = realpathSync(mkdtempSync(join(tmpdir(), "annarrow-follow-")));
/** The stores lie beside the objects here … */
const home = join(top, "home");
/** … and here alone. */
const away = join(top, "away");
const empty = join(top, "empty");

beforeAll(() => {
  for (const folder of [home, empty]) cpSync(OBJECTS, folder, { recursive: true });
  for (const folder of [home, away]) {
    mkdirSync(join(folder, "mats"), { recursive: true });
    for (const store of ["packed", "packed-row", "packed-double"]) {
      cpSync(`${FIXTURES}/${store}`, join(folder, "mats", store), { recursive: true });
    }
    cpSync(`${FIXTURES}/several.h5`, join(folder, "several.h5"));
  }
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

async function read(path: string, options = {}) {
  const data = await open(path, options);
  const found = { ...(await contents(data)), warnings: data.warnings };
  await data.close();
  return found;
}

const packed = expectedOf("packed");

describe("stores that lie in the object's own folder", () => {
  test("by a relative path, which is there as it says", async () => {
    expect(await read(join(home, "dir-relative.rds"))).toEqual({ ...packed, warnings: [] });
  });

  test.each(["dir-moved", "dir-windows"])("%s: by the last segments of a path that is somewhere else", async (name) => {
    const { warnings, ...found } = await read(join(home, `${name}.rds`));
    expect(found).toEqual(packed);
    expect(warnings).toEqual([expect.stringContaining(join(home, "mats/packed"))]);
  });

  test("transposed, stored by rows, and in a file", async () => {
    const { row, col, row_names, col_names } = packed;
    const transposed = { row: col, col: row, row_names: col_names, col_names: row_names };
    expect(await read(join(home, "dir-transposed.rds"))).toMatchObject({
      ...transposed,
      shape: [45, 60],
      order: "row",
    });
    expect(await read(join(home, "dir-row.rds"))).toMatchObject(expectedOf("packed-row"));
    expect(await read(join(home, "h5.rds"))).toMatchObject(expectedOf("several.h5/rna/counts"));
  });

  test("below a lazy operation", async () => {
    const found = await read(join(home, "dir-subset.rds"));
    const at = packed.row.flatMap((row, i) => (row === 2 || row === 6 ? [i] : []));
    const entries = at.map((i) => [packed.col[i], packed.row[i] === 6 ? 0 : 1, packed.value[i]]);
    entries.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    expect(found.row.map((row, i) => [found.col[i], row, found.value[i]])).toEqual(entries);
  });

  test("in a list, where what cannot be followed does not hide the rest", async () => {
    const data = await open(join(home, "list.rds"));
    expect([...data.tables.keys()]).toContain("counts/matrix");
    expect([...data.tables.keys()]).toContain("more/1/matrix");
    expect(data.failures.get("more/2")?.message).toMatch(/"\/nowhere\/at\/all".*the option follow/);
    await data.close();
  });

  test.each([
    ["dir-other-shape", /the object is 59 x 45, its data are 60 x 45/],
    ["dir-other-type", /values are uint32_t, the values of its data double/],
    ["h5-no-store", /no store of BPCells at "rna"/],
  ])("%s: another store than the one that was saved is an error", async (name, message) => {
    await expect(open(join(home, `${name}.rds`))).rejects.toMatchObject({
      tag: "InvalidDataError",
      message: expect.stringMatching(message),
    });
  });
});

describe("what lies outside", () => {
  const refused = (path: string) => ({
    tag: "UnsupportedError",
    message: expect.stringContaining(`the data lie at ${JSON.stringify(path)}`),
  });

  test("is not followed, and the error names the path and the option", async () => {
    await expect(open(join(empty, "dir-moved.rds"))).rejects.toMatchObject(refused("/home/user/project/mats/packed"));
    await expect(open(join(empty, "dir-moved.rds"))).rejects.toThrow(
      /allow its folder by the option follow \(--follow FOLDER\)/,
    );
  });

  test("is not reached by ..", async () => {
    const below = join(home, "below");
    mkdirSync(below);
    cpSync(join(home, "dir-up.rds"), join(below, "dir-up.rds"));
    cpSync(join(home, "dir-up-inside.rds"), join(below, "dir-up-inside.rds"));
    await expect(open(join(below, "dir-up.rds"))).rejects.toMatchObject(refused("../mats/packed"));
    await expect(open(join(below, "dir-up-inside.rds"))).rejects.toMatchObject(refused("mats/../../mats/packed"));
    expect(await read(join(below, "dir-up.rds"), { follow: [home] })).toMatchObject(packed);
  });

  test("is not reached by a symbolic link", async () => {
    const linked = join(top, "linked");
    cpSync(OBJECTS, linked, { recursive: true });
    symlinkSync(join(away, "mats"), join(linked, "mats"));
    await expect(open(join(linked, "dir-relative.rds"))).rejects.toMatchObject(refused("mats/packed"));
    expect(await read(join(linked, "dir-relative.rds"), { follow: [away] })).toMatchObject(packed);
  });

  test("is followed into the folders that the caller allows", async () => {
    const { warnings, ...found } = await read(join(empty, "dir-moved.rds"), { follow: [away] });
    expect(found).toEqual(packed);
    expect(warnings).toEqual([expect.stringContaining(join(away, "mats/packed"))]);
    await expect(open(join(empty, "dir-moved.rds"), { follow: [join(top, "none")] })).rejects.toThrow(/no such folder/);
    await expect(open(join(empty, "dir-moved.rds"), { follow: [empty] })).rejects.toMatchObject({
      tag: "UnsupportedError",
    });
  });

  test("a function of the caller's decides alone", async () => {
    const asked: string[] = [];
    const follow = (path: string) => {
      asked.push(path);
      return filesOf("packed");
    };
    expect(await read(join(empty, "dir-moved.rds"), { follow })).toMatchObject({ ...packed, warnings: [] });
    expect(asked).toEqual(["/home/user/project/mats/packed"]);
    await expect(open(join(home, "dir-relative.rds"), { follow: () => null })).rejects.toMatchObject(
      refused("mats/packed"),
    );
  });

  test("a folder where a file should be, and fragments that are a matrix", async () => {
    await expect(open(join(empty, "h5.rds"), { follow: () => filesOf("packed") })).rejects.toMatchObject({
      tag: "InvalidDataError",
      message: expect.stringMatching(/is directory, hdf5 is expected/),
    });
    await expect(open(join(empty, "fragments-dir.rds"), { follow: () => filesOf("packed") })).rejects.toThrow(
      /no fragments/,
    );
  });
});
