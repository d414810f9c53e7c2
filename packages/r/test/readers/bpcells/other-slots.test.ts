import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { columnsOf } from "../../../../../test/readers/bpcells/stores.js";
import { open } from "../../../../published/src/node.js";
import { encodeStrings } from "../../../src/containers/rds/model/text.js";
import type { RS4, RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";

/** Objects of BPCells with slots that a class of a user adds, or a version of BPCells that is not known here. */
const text = (...all: string[]): RValue => ({ kind: "character", text: encodeStrings(all), attributes: new Map() });
const integer = (...all: number[]): RValue => ({
  kind: "integer",
  values: Int32Array.from(all),
  attributes: new Map(),
});
const list = (elements: Record<string, RValue>): RValue => ({
  kind: "list",
  values: Object.values(elements),
  attributes: new Map([["names", text(...Object.keys(elements))]]),
});

async function objectOf(file: string): Promise<RS4> {
  const value = await readRds(new Uint8Array(readFileSync(`test/fixtures/data/${file}.rds`)));
  if (value.kind !== "s4") throw new TypeError(`${file} is no object`);
  return value;
}

function withSlots(object: RS4, slots: Record<string, RValue>): RS4 {
  return { ...object, slots: new Map([...object.slots, ...Object.entries(slots)]) };
}

function innerOf(object: RS4, name: string): RS4 {
  const inner = object.slots.get(name);
  if (inner?.kind !== "s4") throw new TypeError(`${name} is no object`);
  return inner;
}

const noted = { note: text("a note"), empty: text(), none: { kind: "null" } } as const;

test("slots that a class of BPCells has not are failures, and hide nothing", async () => {
  const packed = await objectOf("bpcells-rds/packed");
  const plain = await open(await encodeRds(packed));
  const data = await open(await encodeRds(withSlots(packed, noted)));
  expect(data.format).toBe("bpcells");
  expect([...data.failures.keys()]).toEqual(["note"]);
  expect([...data.tables.keys()]).toEqual([...plain.tables.keys()]);
  expect(await columnsOf(data, "matrix")).toEqual(await columnsOf(plain, "matrix"));
  await data.close();
  await plain.close();
});

test("also those of objects in their slots, and in lists", async () => {
  const subset = await objectOf("bpcells-objects/subset-both");
  const lazy = withSlots(subset, { matrix: withSlots(innerOf(subset, "matrix"), noted) });
  const wrapper = await objectOf("bpcells-objects/dgcmatrix");
  const wrapped = withSlots(wrapper, { mat: withSlots(innerOf(wrapper, "mat"), noted) });
  const fragments = withSlots(await objectOf("bpcells-rds/fragments-packed"), noted);
  const data = await open(await encodeRds(list({ lazy, wrapped, fragments })));
  expect([...data.failures.keys()].sort()).toEqual(["fragments.note", "lazy.matrix.note", "wrapped.mat.note"]);
  expect([...data.tables.keys()]).toEqual(
    expect.arrayContaining(["lazy/matrix", "wrapped/matrix", "fragments/fragments"]),
  );
  await data.close();
});

test("those of an assay of an experiment are elements of uns", async () => {
  const subset = await objectOf("bpcells-objects/subset-both");
  const counts = withSlots(subset, { own: text("of the subset"), matrix: withSlots(innerOf(subset, "matrix"), noted) });
  const frame = (rows: number) => ({
    ...{ kind: "s4" as const, className: "DFrame", package: "S4Vectors" },
    slots: new Map<string, RValue>([
      ["listData", list({})],
      ["nrows", integer(rows)],
      ["rownames", { kind: "null" }],
    ]),
  });
  const dim = subset.slots.get("dim");
  const [features, cells] = dim?.kind === "integer" || dim?.kind === "real" ? dim.values : [];
  const experiment: RS4 = {
    ...{ kind: "s4", className: "SummarizedExperiment", package: "SummarizedExperiment" },
    slots: new Map<string, RValue>([
      ["assays", list({ counts })],
      ["colData", frame(cells)],
      ["elementMetadata", frame(features)],
      ["metadata", list({})],
      ["NAMES", { kind: "null" }],
    ]),
  };
  const data = await open(await encodeRds(experiment));
  expect(data.tables.has("X")).toBe(true);
  expect(await columnsOf(data, "uns/counts.own")).toEqual({ value: ["of the subset"] });
  expect(await columnsOf(data, "uns/counts.matrix.note")).toEqual({ value: ["a note"] });
  expect([...data.failures]).toEqual([]);
  await data.close();
});

test("arrays that a list of BPCells' C++ code has not are failures", async () => {
  const value = await readRds(new Uint8Array(readFileSync("test/fixtures/data/bpcells-rds/list-of-arrays.rds")));
  if (value.kind !== "list") throw new TypeError("no list");
  const names = value.attributes.get("names");
  if (names?.kind !== "character") throw new TypeError("no names");
  const more: RValue = {
    ...{ kind: "list", values: [...value.values, integer(1)] },
    attributes: new Map([["names", text(...(await namesOf(names)), "extra")]]),
  };
  const data = await open(await encodeRds(more));
  expect([...data.failures.keys()]).toEqual(["extra"]);
  expect(data.tables.has("matrix")).toBe(true);
  await data.close();
});

async function namesOf(value: RValue): Promise<readonly string[]> {
  const data = await open(await encodeRds(value));
  const { value: names } = await columnsOf(data, "value");
  await data.close();
  return names.map(String);
}
