import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { open } from "../../../../published/src/node.js";
import { encodeStrings } from "../../../src/containers/rds/model/text.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";
import { file, HAS_ATTRIBUTES, NULL, strings, symbol, TAGGED_CELL } from "../../containers/rds/words.js";

/** Objects that R wrote, and what R says is in them (test/fixtures/r/make_r_assays.R). */
const FOLDER = "test/fixtures/data/r";
const EXPECTED: Record<string, Record<string, object>> = JSON.parse(
  readFileSync(`${FOLDER}/expected-assays.json`, "utf8"),
);
const path = (name: string) => `${FOLDER}/${name.includes(".") ? name : `${name}.rds`}`;

describe("what R wrote", () => {
  test.each(Object.keys(EXPECTED))("%s", async (name) => {
    const data = await open(path(name));
    for (const [table, values] of Object.entries(EXPECTED[name])) await compare(data, table, { ...values });
    await data.close();
  });
});

async function failuresOf(place: string): Promise<object> {
  const data = await open(place);
  await data.close();
  return Object.fromEntries([...data.failures].map(([name, error]) => [name, error.problem]));
}

test("what has no table is a failure with its name", async () => {
  expect(await failuresOf(path("se-reference"))).toEqual({});
  expect(await failuresOf(path("se-frames"))).toEqual({ "layers/odd": "a frame of text and numbers as a matrix" });
  // Objects that refer to each other are read once.
  expect(await failuresOf(path("list-reference"))).toEqual({
    "node/others/again/others/back": "the same object as node",
    "node/others/self": "the same object as node",
  });
  expect(await failuresOf("test/fixtures/data/rds/strings-beyond.rds")).toEqual({
    "value/long": expect.stringContaining("make them text by paste0(x)"),
  });
});

test("names of rows that cannot be read are a failure beside the columns", async () => {
  const attributes = [
    ...[TAGGED_CELL, ...symbol("names"), 16, ...strings("n")],
    ...[TAGGED_CELL, ...symbol("class"), 16, ...strings("data.frame")],
    ...[TAGGED_CELL, ...symbol("row.names"), 16, ...strings("a", "b\0")],
  ];
  const data = await open(file(19 | HAS_ATTRIBUTES, 1, 13, 2, 5, 6, ...attributes, NULL));
  await compare(data, "value", { n: [5, 6] });
  expect([...data.failures.keys()]).toEqual(["value/_index"]);
});

test("parts that contradict each other are a failure beside other values", async () => {
  const text = (...strings: string[]): RValue => ({
    kind: "character",
    text: encodeStrings(strings),
    attributes: new Map(),
  });
  const dim: RValue = { kind: "integer", values: Int32Array.of(1, 2), attributes: new Map() };
  const coords: RValue = { kind: "real", values: Float64Array.of(1, 2), attributes: new Map([["dim", dim]]) };
  // Two names of one place.
  const slots = new Map([["coords", coords] as const, ["cells", text("a", "b")] as const]);
  const centroids: RValue = { kind: "s4", className: "Centroids", package: "SeuratObject", slots };
  const names = new Map([["names", text("bad", "good")]]);
  const data = await open(await encodeRds({ kind: "list", values: [centroids, text("z")], attributes: names }));
  expect([...data.failures].map(([name, { problem }]) => [name, problem])).toEqual([["bad", "1 places of 2 names"]]);
  await compare(data, "good", { value: "z" });
});

test("a file with one experiment is that experiment", async () => {
  const data = await open(path("saved-one.RData"));
  expect(data.version).toBe("SummarizedExperiment");
  expect([...data.tables.keys()].filter((name) => name.startsWith("mod/"))).toEqual([]);
  await data.close();
});
