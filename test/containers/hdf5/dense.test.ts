import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { Container, Group } from "../../../src/containers/tree/container.js";
import { replacePlatform } from "../../platform.js";
import { bytesSource, openPath, plain } from "./fixture.js";

const FOLDER = "test/fixtures/data/hdf5";

/** What make_dense.py wrote beside a file: attributes and links as h5py lists them. */
interface Listed {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
}

function listed(name: string): [string, Listed][] {
  return Object.entries(JSON.parse(readFileSync(`${FOLDER}/${name}.json`, "utf8")));
}

async function open(name: string): Promise<Container> {
  return await openHdf5(bytesSource(new Uint8Array(readFileSync(`${FOLDER}/${name}.h5`)), name), `${name}.h5`);
}

async function openGroup(container: Container, path: string): Promise<Group> {
  const node = await openPath(container, path);
  if (node.kind !== "group") throw new Error(`${path} is no group`);
  return node;
}

beforeAll(() =>
  replacePlatform({
    h5wasmOnFiles: () => {
      throw new Error("libhdf5 was asked for");
    },
  }),
);
afterAll(() => replacePlatform());

describe.each([
  ["dense_links", 0, 2700],
  ["dense_attributes", 3, 7],
  ["dense_v108", 1, 61],
  ["dense_small_fields", 1, 61],
])("%s.h5", (name, large, hard) => {
  test("has the attributes that h5py reads, in its order", async () => {
    const container = await open(name);
    for (const [path, { attributes }] of listed(name)) {
      const node = await openPath(container, path);
      const known = [...node.attributes].filter(([key]) => !key.startsWith("pattern"));
      expect(Object.fromEntries(known.map(([key, value]) => [key, plain(value)])), path).toEqual(attributes);
      // In a header they stand in the order of writing.
      if (known.length > 8) expect(known.map(([key]) => key)).toEqual(Object.keys(attributes));
    }
    await container.close();
  });

  test("has large attributes", async () => {
    const container = await open(name);
    let found = 0;
    for (const [path] of listed(name)) {
      for (const [key, value] of (await openPath(container, path)).attributes) {
        if (!key.startsWith("pattern")) continue;
        // As make_dense.py's `pattern` makes them.
        const [count, of] = key.split(" ").slice(1).map(Number);
        expect(value).toEqual(Array.from({ length: count }, (_, i) => (7 * i) % of));
        found++;
      }
    }
    expect(found).toBe(large);
    await container.close();
  });

  test("has the links that h5py lists, and they lead to their objects", async () => {
    const container = await open(name);
    const target = await openPath(container, "data");
    let followed = 0;
    for (const [path, { links }] of listed(name)) {
      if (links === undefined) continue;
      const group = await openGroup(container, path);
      expect([...(await group.keys())].sort(), path).toEqual(Object.keys(links).sort());
      for (const [key, kind] of Object.entries(links)) {
        if (kind !== "hard") continue;
        const node = await group.open(key).catch((error: Error) => error.message);
        if (typeof node !== "string" && node.kind === "array") expect(node.id, `${path}/${key}`).toBe(target.id);
        followed++;
      }
    }
    expect(followed).toBeGreaterThanOrEqual(hard);
    await container.close();
  });
});

describe("links in a heap", () => {
  test.each([
    ["hard", "data"],
    ["soft", "data"],
    ["relative", "data"],
    ["chain", "data"],
    ["to the root", ""],
    ["to itself", "kinds"],
    ["to itself/to itself/inner/deep", "data"],
  ])("%s leads to %s", async (path, target) => {
    const container = await open("dense_links");
    expect((await openPath(container, `kinds/${path}`)).id).toBe((await openPath(container, target)).id);
    await container.close();
  });

  test.each([
    ["self", "NotFoundError", /16 soft links/],
    ["dangling", "NotFoundError", /\/no/],
    ["external", "UnsupportedError", /external link to \/x in the file other\.h5/],
    ["absent", "NotFoundError", /"absent"/],
  ])("%s cannot be opened: %s", async (key, tag, message) => {
    const container = await open("dense_links");
    const group = await openGroup(container, "kinds");
    await expect(group.open(key)).rejects.toMatchObject({ tag, message: expect.stringMatching(message) });
    await container.close();
  });

  test("so many that indirect blocks lie below indirect blocks", async () => {
    const bytes = gunzipSync(readFileSync(`${FOLDER}/dense_deep.h5.gz`));
    const container = await openHdf5(bytesSource(bytes, "dense_deep.h5"), "dense_deep.h5");
    const many = await openGroup(container, "many");
    // As make_dense.py's `deep` makes them.
    const names = Array.from({ length: 1500 }, (_, i) => `${`${i}`.padStart(4, "0")} ${"n".repeat(300 + (i % 700))}`);
    expect(await many.keys()).toEqual(names);
    const target = await openPath(container, "data");
    for (const name of names.filter((_, i) => i % 50 === 0)) expect((await many.open(name)).id).toBe(target.id);
    await container.close();
  });
});
