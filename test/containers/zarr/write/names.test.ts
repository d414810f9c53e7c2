import { describe, expect, it } from "vitest";
import { mapTarget } from "../../../../src/io/targets/memory.js";
import { InvalidInputError } from "../../../../src/model/errors.js";
import { putNumbers, written } from "./written.js";

/** A target like a directory, whose file system may ignore case. */
const folder = () => ({ ...mapTarget(new Map()), caseSensitive: false });

async function groups(names: readonly string[], isFolder: boolean, version: 2 | 3 = 2) {
  return written({ version, ...(isFolder ? { target: folder() } : {}) }, async ({ root }) => {
    const uns = await root.group("uns");
    for (const name of names) await uns.group(name);
  });
}

describe("names that no store holds", () => {
  it.each([
    ["", "is empty"],
    [".", "has nothing but dots"],
    ["..", "has nothing but dots"],
    ["...", "has nothing but dots"],
    ["a/b", 'has a "/"'],
    ["a\\b", 'has a "\\"'],
    ["a\0", "has a NUL"],
    ["\ud800", "has half a character"],
    ["zarr.json", "is that of a Zarr document"],
    [".zarray", "is that of a Zarr document"],
    [".zgroup", "is that of a Zarr document"],
    [".zattrs", "is that of a Zarr document"],
    [".zmetadata", "is that of a Zarr document"],
  ])("%j", async (name, problem) => {
    for (const version of [2, 3] as const) {
      const store = groups([name], false, version);
      await expect(store).rejects.toThrow(InvalidInputError);
      await expect(store).rejects.toThrow(`map: uns: the name ${JSON.stringify(name)} ${problem}`);
    }
  });

  it("a name that is there", async () => {
    await expect(groups(["a", "a"], false)).rejects.toThrow('map: uns: "a" is there already');
    await expect(
      written({}, async ({ root }) => {
        await root.group("x");
        await root.array("x", { type: { kind: "bool" }, shape: [] });
      }),
    ).rejects.toThrow('map: "x" is there already');
  });
});

describe("names that folders may not hold", () => {
  it("but for the colon, where the file system has it", async () => {
    const keys = new Map<string, Uint8Array>();
    const target = { ...mapTarget(keys), caseSensitive: false, allowsColon: true };
    await written({ target }, async ({ root }) => {
      await root.group("rna:total");
      await expect(root.group("rna:a|b")).rejects.toThrow('has "|"');
    });
    expect(keys.has("rna:total/.zgroup")).toBe(true);
  });

  it.each([
    ["a:b", 'has ":"'],
    ["a*", 'has "*"'],
    ["a?", 'has "?"'],
    ["<", 'has "<"'],
    [">", 'has ">"'],
    ["|", 'has "|"'],
    ['"', 'has "\\""'],
    ["a\nb", 'has "\\n"'],
    ["dot.", "ends in a dot or space"],
    ["space ", "ends in a dot or space"],
    ["CON", "is that of a device"],
    ["nul.txt", "is that of a device"],
    ["Lpt1", "is that of a device"],
    ["COM¹", "is that of a device"],
    ["Zarr.json", "is that of a Zarr document on file systems that ignore case"],
    [".ZGROUP", "is that of a Zarr document on file systems that ignore case"],
  ])("%j", async (name, problem) => {
    await expect(groups([name], true)).rejects.toThrow(InvalidInputError);
    await expect(groups([name], true)).rejects.toThrow(`the name ${JSON.stringify(name)} ${problem}`);
    const store = await groups([name], false);
    expect(store.keys.has(`uns/${name}/.zgroup`)).toBe(true);
  });

  it.each([
    ["CD4", "cd4"],
    ["é", "e\u0301"],
    ["straße", "STRASSE"],
    ["ſ", "s"],
    ["\u212a", "k"],
  ])("%j beside %j", async (one, other) => {
    const problem = `the names ${JSON.stringify(one)} and ${JSON.stringify(other)} are one`;
    await expect(groups([one, other], true)).rejects.toThrow(problem);
    const store = await groups([one, other], false);
    expect(store.keys.has(`uns/${one}/.zgroup`) && store.keys.has(`uns/${other}/.zgroup`)).toBe(true);
  });

  it("equal names in different groups do not collide", async () => {
    const store = await written({ target: folder() }, async ({ root }) => {
      await (await root.group("a")).group("x");
      await (await root.group("b")).group("X");
    });
    expect(store).toBeDefined();
  });
});

it.each([2, 3] as const)("odd names stay as they are in version %i", async (version) => {
  const names = ["c", "0", "0.0", "c.0", "p%20q", "h#q", "sp ace", "é", "__x", ".hid", "plus+&", "console", "com10"];
  const store = await written({ version }, async ({ root }) => {
    const group = await root.group("odd");
    for (const name of names) await putNumbers(group, name, Int32Array.of(name.length));
  });
  const { root } = await store.open();
  const group = await root.open("odd");
  if (group.kind !== "group") throw new Error("no group");
  expect([...(await group.keys())].sort()).toEqual([...names].sort());
  for (const name of names) {
    const array = await group.open(name);
    if (array.kind !== "array") throw new Error("no array");
    expect(await array.read(0, 1)).toEqual({ kind: "fixed", values: Int32Array.of(name.length) });
  }
});
