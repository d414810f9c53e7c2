import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { open } from "../../src/api/open.js";

const FOLDER = "test/fixtures/data/hostile";

const bytesOf = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}`));

test("an element that contains itself fails by name, and hides no other", async () => {
  const data = await open(bytesOf("circles.h5ad"));
  const problems = Object.fromEntries([...data.failures].map(([name, { problem }]) => [name, problem]));
  expect(problems).toEqual({
    "uns/hard": "it contains itself",
    "uns/soft": "it contains itself",
    "uns/dot": "it contains itself",
    "uns/first": "it contains itself",
    "uns/second": "it contains itself",
    "uns/deep": "nested more than 32 deep",
    "uns/up": "a link leads back to a group that holds it",
    "uns/root/uns": "a link leads back to a group that holds it",
  });
  expect(data.table("obs").rows).toBe(2);
  await data.close();
});

test("a walk over links hears its signal, though all that it reads is in memory", async () => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 10);
  const opening = open(bytesOf("ways.h5ad"), { signal: controller.signal, maxObjects: Number.POSITIVE_INFINITY });
  await expect(opening).rejects.toMatchObject({ name: "AbortError" });
  clearTimeout(timer);
});

test("a file of too many objects is refused by name, with the option that allows more", async () => {
  await expect(open(bytesOf("ways.h5ad"), { maxObjects: 1000 })).rejects.toMatchObject({
    tag: "UnsupportedError",
    message:
      "bytes: the file leads to more than 1000 objects, attributes and links; the option maxObjects (--max-objects) allows more",
  });
  await expect(open(bytesOf("ways.h5ad"), { maxObjects: 0 })).rejects.toMatchObject({ tag: "InvalidInputError" });
});

test("a group of more links than are left hides no other element", async () => {
  const data = await open(bytesOf("ways.h5ad"), { maxObjects: 30 });
  expect(data.failures.get("uns")?.problem).toMatch(/^31 links here, and the file leads to more than 30 objects/);
  expect(data.table("obs").rows).toBe(2);
  await data.close();
});

test("a cell of more references than are left fails by name, and hides no other variable", async () => {
  const data = await open(bytesOf("references.mat"));
  expect(data.failures.get("many")?.problem).toMatch(/^4194304 references here, and the file leads to more than 65536/);
  expect(data.table("one").rows).toBe(1);
  await data.close();
});
