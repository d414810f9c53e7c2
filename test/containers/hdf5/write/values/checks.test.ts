import { describe, expect, test } from "vitest";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import { InvalidInputError } from "../../../../../src/model/errors.js";
import { crossCheck } from "../../cross-check.js";
import { INT32, int32, reopened, scalar, TEXT, text, written } from "../written.js";

const ODD = ["a", "B", "ä", "\u{10000}", "\ufffd", "\ue000", "..", "a.b", " ", "\n", "%2F", "*", "\\", "e\u0301", "é"];

test("names come in the order of their bytes, and are found", async () => {
  const bytes = await written(async ({ root }) => {
    for (const name of [...ODD, "x".repeat(1000)]) {
      const group = await root.group(name);
      group.attribute(name, scalar(TEXT, text(name)));
    }
  });
  expect(await crossCheck(createBytesSource(bytes), bytes)).toMatchObject({ different: [], skipped: [] });
});

test.each([0, 1, 8, 9, 16, 17, 255, 256, 257, 2048, 2049])("a group of %d members", async (count) => {
  const bytes = await written(async ({ root }) => {
    const array = await root.array("same", { type: INT32, shape: [1] });
    await array.write(int32(3), 1);
    await array.close();
    const group = await root.group("group");
    for (let i = 0; i < count; i++) await group.group(`member ${i}`);
  });
  const container = await reopened(async ({ root }) => {
    const group = await root.group("group");
    for (let i = 0; i < count; i++) await group.group(`member ${i}`);
  });
  const group = await container.root.open("group");
  const names = group.kind === "group" ? await group.keys() : [];
  expect(names.length).toBe(count);
  await container.close();
  const { different, equal } = await crossCheck(createBytesSource(bytes), bytes);
  expect(different).toEqual([]);
  expect(equal.groups).toBe(count + 2);
});

test("groups lie as deep as one likes", async () => {
  const container = await reopened(async ({ root }) => {
    let group = root as Awaited<ReturnType<typeof root.group>>;
    for (let i = 0; i < 5000; i++) group = await group.group("g");
  });
  expect(await container.root.keys()).toEqual(["g"]);
  await container.close();
});

describe("refused", () => {
  const REFUSED: readonly (readonly [name: string, why: RegExp])[] = [
    ["", /name is empty/],
    [".", /stands for the group itself/],
    ["a/b", /"a\/b" has a "\/"/],
    ["/", /has a "\/"/],
    ["a\0b", /NUL/],
    ["a\ud800", /surrogate/],
  ];

  test.each(REFUSED)("%j as the name of a group or array", async (name, why) => {
    await written(async ({ root }) => {
      await expect(root.group(name)).rejects.toThrow(why);
      await expect(root.group(name)).rejects.toThrow(InvalidInputError);
      await expect(root.array(name, { type: INT32, shape: [1] })).rejects.toThrow(why);
    });
  });

  test("an element that is there already", async () => {
    await written(async ({ root }) => {
      const parent = await root.group("parent");
      await parent.group("a");
      const again = parent.array("a", { type: INT32, shape: [1] });
      await expect(again).rejects.toThrow("new.h5: parent/a: there is an element of that name already");
      await expect(again).rejects.toThrow(InvalidInputError);
    });
  });

  test("names of attributes that cannot be", async () => {
    await written(async ({ root }) => {
      const one = scalar(INT32, int32(1));
      root.attribute("a/b.", one);
      expect(() => root.attribute("a/b.", one)).toThrow('new.h5: attribute "a/b." is there already');
      expect(() => root.attribute("", one)).toThrow(/attribute "": the attribute's name is empty/);
      expect(() => root.attribute("\0", one)).toThrow(InvalidInputError);
      expect(() => root.attribute("x".repeat(65_535), one)).toThrow(/name of 65535 bytes; at most 65534 fit/);
    });
  });
});
