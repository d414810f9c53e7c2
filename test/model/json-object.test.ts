import { expect, test } from "vitest";
import { parseJsonObject, readJson } from "../../src/model/json-object.js";

test("JSON is read to a depth at which every call on its values still returns", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(JSON.stringify(readJson(nested(512)))).toBe(nested(512));
  expect(() => readJson(nested(513))).toThrow("JSON is nested more than 512 deep");
  expect(() => readJson(`{"a":`.repeat(100_000))).toThrow("JSON is nested more than 512 deep");
  expect(parseJsonObject(`{"a":${nested(100_000)}}`)).toBeNull();
});

test("brackets in texts, and lists beside each other, are no nesting", () => {
  const texts = ["[".repeat(1000), `\\"${"{".repeat(1000)}`, `\\`, "["];
  expect(readJson(JSON.stringify(texts))).toEqual(texts);
  expect(readJson(JSON.stringify(Array(1000).fill([])))).toHaveLength(1000);
  expect(() => readJson('["a')).toThrow(SyntaxError);
});
