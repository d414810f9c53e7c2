/** Encodings of columns that are too large to wait until their last value is known. */

import { expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createField } from "../../../src/arrow/type.js";
import { openColumn } from "../../../src/writers/anndata/column.js";
import { type AnnDataWriterContext, MemoryBudget, type Profile } from "../../../src/writers/anndata/context.js";
import { pickIntegerType } from "../../../src/writers/sparse-groups.js";
import { Recorder } from "../recorder.js";
import { dictionary, ints, text } from "../tables.js";

/** Elements that columns become if no memory may hold them. */
async function unheld(columns: readonly Column[], profile: Profile = "portable"): Promise<Recorder> {
  const out = new Recorder();
  const cx: AnnDataWriterContext = {
    container: "hdf5",
    profile,
    lossy: false,
    keep: null,
    columnMemory: new MemoryBudget(0),
    spill: null,
    signal: undefined,
    warn: () => undefined,
    progress: () => undefined,
  };
  const sink = await openColumn({ cx, parent: out.root, name: "v", rows: null }, createField("v", columns[0].type));
  for (const column of columns) await sink.write(column);
  await sink.close();
  await out.close();
  return out;
}

test("integers that may be missing are nullable", async () => {
  const out = await unheld([ints(Int8Array.of(1)), ints(Int8Array.of(2), 0)]);
  expect(out.at("v").attributes["encoding-type"]).toBe("nullable-integer");
  expect(out.at("v/values")).toMatchObject({ announced: [null], values: [1, 0] });
  expect(out.at("v/mask").values).toEqual([false, true]);
});

test("text is plain, so that what is missing later is an error that says what to do", async () => {
  const out = await unheld([text("a"), text("b")]);
  expect(out.at("v")).toMatchObject({ values: ["a", "b"], announced: [null] });
  await expect(unheld([text("a"), text(null)])).rejects.toThrow("v: text is missing, behind more rows without such");
  const late = await unheld([text("a"), text(null)], "0.13");
  expect(late.at("v/mask").values).toEqual([false, true]);
});

test("text of which some is missing at once is a categorical", async () => {
  const out = await unheld([text("a", null), text("b", "a")]);
  expect(out.at("v/codes").values).toEqual([0, -1, 1, 0]);
});

test("dictionaries have codes of the width of their indices", async () => {
  const out = await unheld([dictionary([0], text("x")), dictionary([0], text("y"))]);
  expect(out.at("v/codes")).toMatchObject({ type: "int32", values: [0, 1] });
  expect(out.at("v/categories").values).toEqual(["x", "y"]);
});

test("pointers are as wide as the entries need", () => {
  const type = (name: unknown, most: number) => {
    const { bits, signed } = pickIntegerType(name, most);
    return `${signed ? "int" : "uint"}${bits}`;
  };
  expect(type(undefined, 2 ** 31 - 1)).toBe("int32");
  expect(type(undefined, 2 ** 31)).toBe("int64");
  expect(type("int32", 2 ** 31)).toBe("int64");
  expect(type("uint32", 2 ** 31)).toBe("uint32");
  expect(type("uint8", 255)).toBe("uint8");
  expect(type("uint8", 256)).toBe("int32");
  expect(type("int64", 5)).toBe("int64");
  expect(type("float32", 5)).toBe("int32");
});
