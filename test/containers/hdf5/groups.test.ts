import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { Group } from "../../../src/containers/tree/container.js";
import { replacePlatform } from "../../platform.js";
import { bytesSource, fixtureBytes, flat, openArray, openFixture, openPath, rowsOf } from "./fixture.js";
import { openOracle } from "./h5wasm-oracle.js";

const FOLDERS = ["test/fixtures/data/hdf5", "test/fixtures/data/anndata", "examples"].filter((name) =>
  existsSync(name),
);
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.(h5|h5ad|h5mu|loom)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/** Every group once: the path over hard links, and the names in it. */
async function listings(root: Group): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const seen = new Set<string>();
  const visit = async (group: Group, at: string): Promise<void> => {
    if (seen.has(group.id)) return;
    seen.add(group.id);
    const names = await group.keys();
    found.set(at, names);
    for (const name of names) {
      const node = await group.open(name).catch(() => null);
      if (node?.kind === "group") await visit(node, `${at}/${name}`);
    }
  };
  await visit(root, "");
  return found;
}

test.each(FILES)("every group of %s has the names that libhdf5 lists", async (path) => {
  const bytes = new Uint8Array(readFileSync(path));
  const container = await openHdf5(bytesSource(bytes, path));
  const groups = await listings(container.root);
  const oracle = await openOracle(bytes);
  for (const [at, names] of groups) {
    expect([...names].sort(), at).toEqual(oracle.names(at === "" ? "/" : at).sort());
  }
  oracle.close();
  await container.close();
});

/** What opens the file where nothing may ask for libhdf5. */
async function withoutLibrary<T>(path: string, action: (root: Group) => Promise<T>): Promise<T> {
  let asked = 0;
  replacePlatform({
    h5wasmOnFiles: () => {
      asked++;
      throw new Error("libhdf5 was asked for");
    },
  });
  try {
    const container = await openHdf5(bytesSource(new Uint8Array(readFileSync(path)), path), path);
    const result = await action(container.root);
    await container.close();
    expect(asked).toBe(0);
    return result;
  } finally {
    replacePlatform();
  }
}

/** Reads every array. @returns how many there are. */
async function readAll(group: Group): Promise<number> {
  let arrays = 0;
  for (const name of await group.keys()) {
    const node = await group.open(name);
    if (node.kind === "group") arrays += await readAll(node);
    else if (node.shape !== null) {
      await node.read(0, rowsOf(node));
      arrays++;
    }
  }
  return arrays;
}

test("symbol tables, soft links and links in object headers need no libhdf5 either", async () => {
  const list = async (root: Group) => [...(await listings(root)).keys()];
  const groups = await withoutLibrary("test/fixtures/data/hdf5/groups.h5", list);
  expect(groups.sort()).toEqual(["", "/empty", "/group", "/group/inner", "/many"]);
  await withoutLibrary("test/fixtures/data/hdf5/small_fields.h5", readAll);
  await withoutLibrary("test/fixtures/data/hdf5/newer_groups.h5", async (root) => {
    const group = await root.open("group");
    expect(group.kind === "group" && (await group.keys())).toHaveLength(5);
  });
});

test("everything in an ordinary file is read without loading libhdf5", async () => {
  expect(await withoutLibrary("examples/pbmc.h5ad", readAll)).toBeGreaterThan(10);
  for (const name of ["layouts", "n_bit", "scale_offset"]) {
    expect(await withoutLibrary(`test/fixtures/data/hdf5/${name}.h5`, readAll), name).toBeGreaterThan(10);
  }
});

test("virtual datasets, which only libhdf5 reads, load it", async () => {
  await expect(withoutLibrary("test/fixtures/data/hdf5/virtual.h5", readAll)).rejects.toThrow(/libhdf5 was asked for/);
});

describe("symbol tables", () => {
  test("of many nodes on two levels", async () => {
    const container = await openFixture("groups");
    const many = await openPath(container, "many");
    const keys = many.kind === "group" ? await many.keys() : [];
    expect(keys).toHaveLength(501);
    const target = await openPath(container, "group/data");
    for (const name of keys) expect((await openPath(container, `many/${name}`)).id).toBe(target.id);
    expect(keys.slice(-2)).toEqual(["child 99", "n".repeat(300)]);
    await container.close();
  });

  test("that are empty", async () => {
    const container = await openFixture("groups");
    const empty = await openPath(container, "empty");
    expect(empty.kind === "group" && (await empty.keys())).toEqual([]);
    await container.close();
  });

  test("with addresses of 4 bytes", async () => {
    const container = await openFixture("small_fields");
    const many = await openPath(container, "many");
    expect(many.kind === "group" && (await many.keys())).toHaveLength(60);
    const chunks = await openArray(container, "chunks");
    expect(flat(chunks.type, await chunks.read(0, 40))).toEqual(Array.from({ length: 40 }, (_, i) => i));
    await container.close();
  });
});

describe("soft links", () => {
  test.each([
    ["step 15", "group/data"],
    ["over_shortcut", "group/inner/leaf"],
    ["shortcut/inner/to_sibling", "group/inner/leaf"],
    ["empty_target", ""],
  ])("%s leads to %s", async (path, target) => {
    const container = await openFixture("groups");
    expect((await openPath(container, path)).id).toBe((await openPath(container, target)).id);
    await container.close();
  });

  test.each([
    ["groups", "step 16", "NotFoundError", /16 soft links/],
    ["groups", "there", "NotFoundError", /16 soft links/],
    ["groups", "below_data", "NotFoundError", /link leads to \/group\/data\/x/],
    ["groups", "moved", "NotFoundError", /no child of the name "moved"/],
    ["newer_groups", "back", "NotFoundError", /16 soft links/],
    ["newer_groups", "dangling", "NotFoundError", /\/no, which is not there/],
    ["newer_groups", "external", "UnsupportedError", /external link to \/x in the file other\.h5/],
    ["newer_groups", "absent", "NotFoundError", /"absent"/],
  ])("%s.h5: %s does not: %s", async (file, name, tag, message) => {
    const container = await openFixture(file);
    await expect(container.root.open(name)).rejects.toMatchObject({ tag, message: expect.stringMatching(message) });
    await container.close();
  });
});

describe("links in object headers", () => {
  test("lead to what they name, as do those in a heap", async () => {
    const container = await openFixture("newer_groups", "in place");
    for (const [path, target] of [
      ["over", "group/data"],
      [`group/${"漢字".repeat(60)}`, "group/data"],
      ["group/\ufeffmark", "group/data"],
      ["dense/child 7", "group/data"],
      ["dense/soft/data", "group/data"],
    ]) {
      expect((await openPath(container, path)).id, path).toBe((await openPath(container, target)).id);
    }
    const dense = await openPath(container, "dense");
    expect(dense.kind === "group" && (await dense.keys())).toHaveLength(23);
    for (const path of ["group/external", "dense/external"]) {
      await expect(openPath(container, path)).rejects.toMatchObject({ tag: "UnsupportedError" });
    }
    await container.close();
  });
});

test.each([
  ["groups", "group/inner/leaf"],
  ["newer_groups", "dense/below/data"],
])("a reference in %s.h5 leads to %s", async (file, path) => {
  const container = await openFixture(file);
  const reference = container.root.attributes.get("reference");
  if (reference === null || typeof reference !== "object" || !("bytes" in reference)) throw new Error("no reference");
  if (!(reference.bytes instanceof Uint8Array)) throw new Error("no reference");
  const node = await container.dereference({ kind: "reference", bytes: reference.bytes });
  expect([node.path, node.id]).toEqual([path, (await openPath(container, path)).id]);
  await container.close();
});

describe("damaged groups", () => {
  /** Every position of a signature. */
  function positions(bytes: Uint8Array, signature: string): number[] {
    const text = new TextDecoder("latin1").decode(bytes);
    const found: number[] = [];
    for (let at = text.indexOf(signature); at >= 0; at = text.indexOf(signature, at + 1)) found.push(at);
    return found;
  }

  /** The tree's node of level 1, which belongs to the group of many children. */
  function upperNode(bytes: Uint8Array): number {
    const found = positions(bytes, "TREE").find((at) => bytes[at + 4] === 0 && bytes[at + 5] === 1);
    if (found === undefined) throw new Error("no node of level 1");
    return found;
  }

  test.each([
    ["a node that is none", (bytes: Uint8Array) => bytes.set([0], upperNode(bytes)), /no group index at address \d+/],
    [
      "a level too high",
      (bytes: Uint8Array) => bytes.set([7], upperNode(bytes) + 5),
      /level 1, below level 7|has level/,
    ],
    [
      "a child twice",
      (bytes: Uint8Array) => bytes.copyWithin(upperNode(bytes) + 48, upperNode(bytes) + 32, upperNode(bytes) + 40),
      /leads twice to address/,
    ],
    [
      "a child that is the node itself",
      (bytes: Uint8Array) => new DataView(bytes.buffer).setUint32(upperNode(bytes) + 32, upperNode(bytes), true),
      /level 1, below level 1/,
    ],
    [
      "a child beyond the file",
      (bytes: Uint8Array) => bytes.fill(0x11, upperNode(bytes) + 32, upperNode(bytes) + 38),
      /beyond the end of the file/,
    ],
    [
      "symbol nodes that are none",
      (bytes: Uint8Array) => {
        for (const at of positions(bytes, "SNOD").slice(10, 50)) bytes[at] = 0;
      },
      /no symbol node at address/,
    ],
    [
      "heaps that are none",
      (bytes: Uint8Array) => {
        for (const at of positions(bytes, "HEAP").slice(1)) bytes[at] = 0;
      },
      /no local heap at address/,
    ],
    [
      "heaps larger than the file",
      (bytes: Uint8Array) => {
        for (const at of positions(bytes, "HEAP").slice(1)) bytes[at + 11] = 0x7f;
      },
      /beyond the end of the file/,
    ],
    [
      "heaps too small for their names",
      (bytes: Uint8Array) => {
        for (const at of positions(bytes, "HEAP").slice(1)) bytes.set([16, 0, 0], at + 8);
      },
      /of 16 bytes in the local heap|without an end/,
    ],
  ])("%s: said as such, not as a missing child", async (_, damage, message) => {
    const bytes = fixtureBytes("groups");
    damage(bytes);
    const container = await openHdf5(bytesSource(bytes));
    const many = await openPath(container, "many");
    if (many.kind !== "group") throw new Error("no group");
    for (const fails of [() => many.keys(), () => many.open("child 7")]) {
      await expect(fails()).rejects.toMatchObject({
        tag: "InvalidDataError",
        message: expect.stringMatching(message),
      });
    }
    await container.close();
  });

  test("an object header with a wrong checksum is refused", async () => {
    const bytes = fixtureBytes("newer_groups");
    const root = positions(bytes, "OHDR")[0];
    bytes[root + 30] ^= 4;
    await expect(openHdf5(bytesSource(bytes))).rejects.toMatchObject({
      tag: "InvalidDataError",
      message: expect.stringMatching(/object header block at 48 has checksum/),
    });
  });
});
