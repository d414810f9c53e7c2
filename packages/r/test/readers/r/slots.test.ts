import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { type Dataset, open } from "../../../../published/src/node.js";

/** Objects in whose slots R has put values that no other slot has (test/fixtures/r/make_r_slots.R). */
const FOLDER = "test/fixtures/data/r-slots";

interface SlotValue {
  readonly file: string;
  readonly class: string;
  readonly slot: string;
  /** A value that the slot holds; null for a slot that holds no data. */
  readonly value: string | number | boolean | null;
}

const EXPECTED: {
  readonly slots: readonly SlotValue[];
  readonly expected: Record<string, Record<string, object>>;
} = JSON.parse(readFileSync(`${FOLDER}/expected.json`, "utf8"));

/** The slots that docs/r.md says hold no data, as `Assay@key`. */
const WITHOUT_DATA = new Set(
  [...readFileSync("docs/r.md", "utf8").matchAll(/^\| `([\w., ]+)` \| (`.+) \|$/gm)].flatMap(([, classes, slots]) =>
    classes.split(", ").flatMap((name) => [...slots.matchAll(/`([\w.]+)`/g)].map(([, slot]) => `${name}@${slot}`)),
  ),
);

/** All values of all tables, and the names of their columns, as text. */
async function valuesOf(data: Dataset): Promise<ReadonlySet<string>> {
  const values = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      const parts: Iterable<unknown> = Symbol.iterator in value ? Array.from(Object(value)) : Object.values(value);
      for (const one of parts) add(one);
    } else values.add(typeof value === "number" ? value.toPrecision(12) : String(value));
  };
  for (const table of data.tables.values()) {
    if (table.derived) continue;
    const read = await table.read();
    for (const [i, { name }] of read.schema.fields.entries()) {
      values.add(name);
      for (const one of read.getChildAt(i) ?? []) add(one);
    }
  }
  return values;
}

describe("every slot is read, or is a failure, or is named as one that holds no data", () => {
  test.each([...new Set(EXPECTED.slots.map(({ file }) => file))])("%s", async (file) => {
    const data = await open(`${FOLDER}/${file}.rds`);
    const values = await valuesOf(data);
    const failures = [...data.failures.keys()];
    const missing = EXPECTED.slots.filter((one) => {
      if (one.file !== file) return false;
      // The class that the script makes extends this one.
      const name = one.class.replace("OwnExperiment", "SpatialExperiment");
      if (one.value === null) return !WITHOUT_DATA.has(`${name}@${one.slot}`);
      const text = typeof one.value === "number" ? one.value.toPrecision(12) : String(one.value);
      return !values.has(text) && !failures.some((path) => path.includes(one.slot));
    });
    expect(missing.map((one) => `${one.class}@${one.slot}`)).toEqual([]);
    await data.close();
  });
});

test.each(Object.entries(EXPECTED.expected))("what R says of names in %s", async (file, tables) => {
  const data = await open(`${FOLDER}/${file}.rds`);
  for (const [table, values] of Object.entries(tables)) await compare(data, table, { ...values });
  await data.close();
});

test("a part that cannot be read costs itself alone", async () => {
  const failuresOf = async (file: string) => {
    const data = await open(`${FOLDER}/${file}.rds`);
    const failures = Object.fromEntries([...data.failures].map(([name, error]) => [name, error.problem]));
    await data.close();
    return failures;
  };
  expect(await failuresOf("broken")).toEqual({
    "layers/counts": "an R value of the kind character, no matrix that is read",
    "var/meta.features": "an R value of the kind character, no frame",
    "obsm/X_bad": "an R value of the kind character, no matrix of numbers",
    "obsp/turned": "cells in another order than those of the object",
  });
  expect(await failuresOf("broken-cells")).toEqual({ obs: "1 names for 4 rows" });
});
