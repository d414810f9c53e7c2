import { describe, expect, test } from "vitest";
import { openArray, openFixture, openPath, rowsOf } from "./fixture.js";

describe("links", () => {
  test.each(["soft", "relative", "chain", "hard/data", "hard/to_data", "group/cycle/up/soft"])(
    "%s leads to the same array",
    async (path) => {
      const container = await openFixture("links");
      const target = await openPath(container, "group/data");
      const array = await openArray(container, path);
      expect(array.id).toBe(target.id);
      expect(array.path).toBe(path);
      expect((await array.read(0, rowsOf(array))).kind).toBe("fixed");
      await container.close();
    },
  );

  test("a cycle shows by equal ids", async () => {
    const container = await openFixture("links");
    expect((await openPath(container, "group/cycle/cycle")).id).toBe((await openPath(container, "hard")).id);
    expect((await openPath(container, "group/up")).id).toBe(container.root.id);
    await container.close();
  });

  test.each([
    ["dangling", "NotFoundError", /\/no/],
    ["self", "NotFoundError", /16 soft links/],
    ["external", "UnsupportedError", /external link to \/x in the file other\.h5/],
    ["through", "UnsupportedError", /external link to \/x in the file other\.h5/],
    ["external_storage", "UnsupportedError", /external storage/],
    ["virtual", "UnsupportedError", /virtual dataset/],
    ["named_type", "UnsupportedError", /named datatype/],
    ["absent", "NotFoundError", /"absent"/],
    [".", "NotFoundError", /"\."/],
    ["", "NotFoundError", /""/],
    ["group/data", "NotFoundError", /group\/data/],
  ])("%s cannot be opened: %s", async (name, tag, message) => {
    const container = await openFixture("links", "in place");
    const opening = container.root.open(name);
    await expect(opening).rejects.toMatchObject({ tag, source: "links.h5", message: expect.stringMatching(message) });
    await container.close();
  });

  test("names are listed by code point, whatever they hold, and lead to their nodes", async () => {
    const container = await openFixture("links");
    const names = await openPath(container, "names");
    const keys = names.kind === "group" ? await names.keys() : [];
    expect(keys).toEqual(["#?", "..", "100%", "\\", "a b", "漢字", "\uffee", "😀"]);
    for (const key of keys) expect((await openPath(container, `names/${key}`)).path).toBe(`names/${key}`);
    expect(await container.root.keys()).toContain("dangling");
    await container.close();
  });

  test("a group of 1200 children with creation order", async () => {
    const container = await openFixture("links");
    const many = await openPath(container, "many");
    const keys = many.kind === "group" ? await many.keys() : [];
    expect(keys).toHaveLength(1200);
    expect(keys.slice(0, 3)).toEqual(["child 0", "child 1", "child 10"]);
    await container.close();
  });
});

describe("references", () => {
  test.each(["types", "userblock"])("of %s.h5 lead to their nodes", async (name) => {
    const container = await openFixture(name);
    const array = await openArray(container, "references");
    const values = await array.read(0, rowsOf(array));
    const [address] = values.kind === "fixed" ? values.values : [];
    const bytes = new Uint8Array(BigUint64Array.of(BigInt(address)).buffer);
    const node = await container.dereference({ kind: "reference", bytes });
    expect(node.path).toBe(name === "types" ? "bool" : "text");
    expect(node.id).toBe((await openPath(container, node.path)).id);
    await container.close();
  });

  test("to nothing are errors", async () => {
    const container = await openFixture("types");
    for (const address of [0n, 77n, 10n ** 6n, 2n ** 63n]) {
      const bytes = new Uint8Array(BigUint64Array.of(address).buffer);
      await expect(container.dereference({ kind: "reference", bytes })).rejects.toMatchObject({
        tag: "InvalidDataError",
      });
    }
    await container.close();
  });
});
