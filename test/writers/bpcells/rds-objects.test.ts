import { readFileSync } from "node:fs";
import { type Table, tableFromArrays } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/index.js";
import type { RValue } from "../../../packages/r/src/containers/rds/model/value.js";
import { readRds } from "../../../packages/r/src/containers/rds/read.js";
import { createRds } from "../../../packages/r/src/containers/rds/write/container.js";
import { createRdsObject } from "../../../packages/r/src/writers/bpcells/rds-objects.js";
import { plain } from "../../../packages/r/test/containers/rds/plain.js";
import { writeBytes } from "../../../src/api/write.js";
import { createBytesTarget } from "../../../src/io/targets/memory.js";
import { draws } from "../../draws.js";

/** Objects that R wrote: test/fixtures/bpcells/make_bpcells_rds.R. */
const bytesOf = (name: string) => new Uint8Array(readFileSync(`test/fixtures/data/bpcells-rds/${name}.rds`));

/** The slots of all S4 objects, as they follow one another. */
function slotsOf(value: RValue): string[][] {
  if (value.kind === "list") return value.values.flatMap(slotsOf);
  return value.kind === "s4" ? [[...value.slots.keys()]] : [];
}

async function again(name: string): Promise<RValue> {
  const data = await open(bytesOf(name));
  return readRds(await writeBytes("bpcells.rds", data, { packed: !data.version.startsWith("unpacked") }));
}

describe("what is written again is what R wrote", () => {
  test.each([
    "packed",
    "packed-row",
    "packed-double",
    "unpacked-row",
    "unpacked-float",
    "empty",
    "fragments-packed",
    "fragments-unpacked",
    "packed-altrep",
    "packed-latin1",
  ])("%s", async (name) => {
    const [ours, theirs] = [await again(name), await readRds(bytesOf(name))];
    expect(slotsOf(ours)).toEqual(slotsOf(theirs));
    // `dim` is of reals there, and a missing name is one to BPCells.
    const normal = (value: RValue) => JSON.stringify(plain(value)).replace('{"real":[60,45]}', '{"integer":[60,45]}');
    expect(normal(ours)).toBe(normal(theirs).replace('"café",null', '"café","NA"'));
  });

  test("version 1 becomes version 2", async () => {
    for (const name of ["packed-v1", "packed-early"]) {
      expect(plain(await again(name))).toEqual(plain(await readRds(bytesOf("packed"))));
    }
    expect(plain(await again("fragments-packed-v1"))).toEqual(plain(await readRds(bytesOf("fragments-packed"))));
  });

  test("several objects are a list", async () => {
    const data = await open(bytesOf("list"));
    await expect(writeBytes("bpcells.rds", data)).rejects.toThrow("note: a vector, no object of BPCells");
    const ours = await readRds(await writeBytes("bpcells.rds", data, { lossy: true }));
    const theirs = await readRds(bytesOf("packed"));
    expect(plain(ours)).toMatchObject({
      list: [plain(theirs), { list: [{ s4: "PackedMatrixMem_float" }], attributes: { names: { character: ["adt"] } } }],
      attributes: { names: { character: ["rna", "deeper"] } },
    });
  });
});

const entry = fc.record({ row: fc.nat(8), col: fc.nat(5), value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) });

test("any matrix is read as it was written", async () => {
  const options = fc.record({
    packed: fc.boolean(),
    order: fc.constantFrom("row" as const, "column" as const),
    type: fc.constantFrom("uint" as const, "double" as const),
  });
  const unique = fc.uniqueArray(entry, { maxLength: 40, selector: ({ row, col }) => `${row},${col}` });
  await fc.assert(
    fc.asyncProperty(unique, fc.boolean(), options, async (entries, named, how) => {
      const column = (name: "row" | "col") => Int32Array.from(entries, (one) => one[name]);
      const value = Uint32Array.from(entries, (one) => one.value);
      const matrix = tableFromArrays({ row: column("row"), col: column("col"), value });
      const names: Record<string, Table> = named
        ? { row_names: tableFromArrays({ value: Array.from("abcdéfghi") }) }
        : {};
      const bytes = await writeBytes("bpcells.rds", { matrix, ...names }, { ...how, shape: [9, 6] });
      const data = await open(bytes);
      const table = await data.table("matrix").read();
      const found = [...table].map((row) => ({ row: row.row, col: row.col, value: Number(row.value) }));
      const [major, minor] = how.order === "row" ? (["row", "col"] as const) : (["col", "row"] as const);
      expect(found).toEqual(entries.toSorted((a, b) => a[major] - b[major] || a[minor] - b[minor]));
      expect(data.shape).toEqual([9, 6]);
      expect(data.tables.has("row_names")).toBe(named);
    }),
    draws(40),
  );
});

describe("what R has in another form", () => {
  const UINT32 = { kind: "int", bits: 32, signed: false } as const;
  const TEXT = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
  const word = (text: string) =>
    ({ kind: "variable", offsets: Int32Array.of(0, text.length), bytes: new TextEncoder().encode(text) }) as const;

  test("dim beyond R's integers is of reals, and the order a logical", async () => {
    const target = createBytesTarget();
    const writer = createRds(target);
    const group = await createRdsObject(writer.root, "unpacked-uint-matrix-v2");
    for (const [name, values] of Object.entries({ val: [], index: [], idxptr: [], shape: [3_000_000_000, 1] })) {
      const array = await group.array(name, { type: UINT32, shape: [values.length] });
      await array.write({ kind: "fixed", values: Uint32Array.from(values) }, values.length);
      await array.close();
    }
    const order = await group.array("storage_order", { type: TEXT, shape: [1] });
    await order.write(word("row"), 1);
    await order.close();
    await writer.close();
    await target.commit();
    expect(plain(await readRds(target.bytes()))).toMatchObject({
      s4: "UnpackedMatrixMem_uint32_t",
      package: "BPCells",
      slots: {
        version: { character: ["unpacked-uint-matrix-v2"] },
        dim: { real: [3_000_000_000, 1] },
        transpose: { logical: [1] },
        dimnames: { list: [null, null] },
      },
    });
  });

  test("versions that have no class", async () => {
    for (const version of ["packed-uint-matrix-v1", "packed-uint-matrix-v9999", "x"]) {
      const { root } = createRds(createBytesTarget());
      await expect(createRdsObject(root, version)).rejects.toThrow(`no class of objects for "${version}"`);
    }
  });
});
