import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { draws } from "../../../../../test/draws.js";
import { encodeStrings, LATIN1, NATIVE } from "../../../src/containers/rds/model/text.js";
import { NO_ATTRIBUTES, R_NULL, type REnvironment, type RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { encodeRds, writeRds } from "../../../src/containers/rds/write/write.js";
import { fixture } from "./plain.js";

const string = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0"));
const name = string.filter((text) => text !== "" && text !== "class" && text !== "\u0001NULL\u0001");
const text = fc.array(fc.option(string), { maxLength: 8 }).map(encodeStrings);

const { value: arbitrary } = fc.letrec<{ value: RValue; attributes: ReadonlyMap<string, RValue> }>((tie) => {
  const attributes = fc.oneof({ arbitrary: fc.constant(NO_ATTRIBUTES), weight: 3 }, tie("attributes"));
  const int32 = fc.int32Array({ maxLength: 20 });
  const doubles = fc.float64Array({ maxLength: 20 });
  const pairs = fc.integer({ min: 0, max: 5 }).chain((n) => fc.float64Array({ minLength: 2 * n, maxLength: 2 * n }));
  const item = fc.record({ tag: fc.option(name), value: tie("value") });
  const items = fc.array(item, { minLength: 1, maxLength: 4 });
  return {
    attributes: fc
      .uniqueArray(fc.tuple(name, tie("value")), { maxLength: 3, selector: ([key]) => key })
      .map((a) => new Map(a)),
    value: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      fc.constant<RValue>(R_NULL),
      fc.record({ kind: fc.constantFrom("logical" as const, "integer" as const), values: int32, attributes }),
      fc.record({ kind: fc.constant("real" as const), values: doubles, attributes }),
      fc.record({ kind: fc.constant("complex" as const), values: pairs, attributes }),
      fc.record({ kind: fc.constant("raw" as const), values: fc.uint8Array({ maxLength: 20 }), attributes }),
      fc.record({ kind: fc.constant("character" as const), text, attributes }),
      fc.record({ kind: fc.constant("symbol" as const), name }),
      fc.constantFrom<RValue>(
        { kind: "named", name: "global environment" },
        { kind: "named", name: "unbound value" },
        { kind: "named", name: "missing argument" },
        { kind: "named", name: "base namespace" },
        { kind: "namespace", info: ["stats", "4.2.2"] },
        { kind: "package", info: ["package:é"] },
      ),
      fc.record({ kind: fc.constant("list" as const), values: fc.array(tie("value"), { maxLength: 5 }), attributes }),
      fc.record({ kind: fc.constantFrom("pairlist" as const, "language" as const), items, attributes }),
      fc.record({
        kind: fc.constant("s4" as const),
        className: name,
        package: fc.option(name),
        slots: tie("attributes"),
      }),
      fc.record({
        kind: fc.constant("environment" as const),
        locked: fc.boolean(),
        enclosure: tie("value"),
        bindings: tie("attributes"),
        attributes,
      }),
      fc.record({
        kind: fc.constant("external pointer" as const),
        protectedValue: tie("value"),
        tag: tie("value"),
        attributes,
      }),
    ),
  };
});

describe("what is written is read back", () => {
  test("random trees", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary,
        fc.constantFrom(2 as const, 3 as const),
        fc.constantFrom("gzip" as const, "none" as const),
        async (value, version, compression) => {
          expect(await readRds(await encodeRds(value, { version, compression }))).toEqual(value);
        },
      ),
      draws(300),
    );
  });

  test("bits of reals", async () => {
    const values = new Float64Array(new BigUint64Array([0x7ff00000000007a2n, 0x7ff8dead00000001n, 1n]).buffer);
    const back = await readRds(await encodeRds({ kind: "real", values, attributes: NO_ATTRIBUTES }));
    if (back.kind !== "real") throw new Error(back.kind);
    expect(new BigUint64Array(back.values.buffer)).toEqual(new BigUint64Array(values.buffer));
  });

  test("environments that contain each other", async () => {
    const bindings = new Map<string, RValue>();
    const base = { kind: "environment", locked: false, enclosure: R_NULL, attributes: NO_ATTRIBUTES } as const;
    const one: REnvironment = { ...base, bindings };
    const two: REnvironment = { ...base, bindings: new Map([["one", one]]) };
    bindings.set("two", two);
    const back = await readRds(await encodeRds({ kind: "list", values: [two, one], attributes: NO_ATTRIBUTES }));
    if (back.kind !== "list" || back.values[0].kind !== "environment") throw new Error(back.kind);
    expect(back.values[0].bindings.get("one")).toBe(back.values[1]);
  });

  test("a vector and strings of many blocks", async () => {
    const values = Int32Array.from({ length: 700_001 }, (_, i) => Math.imul(i, 0x9e3779b1));
    const strings = Array.from({ length: 30_000 }, (_, i) => (i === 77 ? "x".repeat(200_000) : `cell ${i}`));
    const value: RValue = {
      kind: "list",
      values: [
        { kind: "integer", values, attributes: NO_ATTRIBUTES },
        { kind: "character", text: encodeStrings(strings), attributes: NO_ATTRIBUTES },
      ],
      attributes: NO_ATTRIBUTES,
    };
    for (const compression of ["gzip", "none"] as const) {
      expect(await readRds(await encodeRds(value, { compression }))).toEqual(value);
    }
  });

  test("more symbols than fit in the flags of a reference are no limit of names", async () => {
    const names = Array.from({ length: 5000 }, (_, i) => [`n${i % 2500}`, R_NULL] as const);
    const items = names.map(([tag, value]) => ({ tag, value }));
    const value: RValue = { kind: "pairlist", items, attributes: NO_ATTRIBUTES };
    expect(await readRds(await encodeRds(value))).toEqual(value);
  });
});

describe("R's own bytes", () => {
  // Files without ALTREP and hash tables, which are written in their plain forms.
  test.each(["atomic", "s4", "language", "external-pointer"])("%s is written as R writes it", async (name) => {
    const bytes = fixture(name);
    const written = await encodeRds(await readRds(bytes), { compression: "none", rVersion: [4, 2, 2] });
    expect(Buffer.compare(written, bytes)).toBe(0);
  });

  test("version 2 is written as R writes it", async () => {
    const bytes = fixture("atomic-version-2");
    const value = await readRds(fixture("atomic"));
    const written = await encodeRds(value, { compression: "none", version: 2, rVersion: [4, 2, 2] });
    expect(Buffer.compare(written, bytes)).toBe(0);
  });

  test("the header names the oldest R that can read it, unless told otherwise", async () => {
    const bytes = await encodeRds(R_NULL, { compression: "none" });
    expect([...bytes]).toEqual([
      ...[0x58, 0x0a, 0, 0, 0, 3, 0, 3, 5, 0, 0, 3, 5, 0, 0, 0, 0, 5],
      ...new TextEncoder().encode("UTF-8"),
      ...[0, 0, 0, 254],
    ]);
  });
});

describe("what R cannot hold is not written", () => {
  const attributes = NO_ATTRIBUTES;
  const text = (bytes: number[], encoding: number) => ({
    offsets: Int32Array.of(0, bytes.length),
    bytes: Uint8Array.from(bytes),
    encodings: Uint8Array.of(encoding),
  });
  const loop: RValue[] = [];
  loop.push({ kind: "list", values: loop, attributes });
  let objects: RValue = R_NULL;
  for (let i = 0; i < 5000; i++)
    objects = { kind: "s4", className: "a", package: null, slots: new Map([["x", objects]]) };

  test.each<[string, RValue, string]>([
    ["a NUL", { kind: "character", text: text([97, 0], NATIVE), attributes }, "NUL"],
    ["a NUL in Latin-1", { kind: "character", text: text([0, 0xe9], LATIN1), attributes }, "NUL"],
    ["a list in itself", loop[0], "nested deeper than 256"],
    ["objects in objects", objects, "nested deeper than 256"],
    ["half a complex number", { kind: "complex", values: new Float64Array(3), attributes }, "imaginary"],
    ["an empty pairlist", { kind: "pairlist", items: [], attributes }, "pairlist without cells"],
    ["a nameless symbol", { kind: "symbol", name: "" }, "without a name"],
    ["a symbol with a NUL", { kind: "symbol", name: "a\0" }, "NUL"],
  ])("%s", async (_, value, message) => {
    for (const compression of ["gzip", "none"] as const) {
      await expect(encodeRds(value, { compression })).rejects.toThrow(
        expect.objectContaining({ name: "InvalidInputError", message: expect.stringContaining(message) }),
      );
    }
  });

  test("a consumer may stop early", async () => {
    const value: RValue = { kind: "integer", values: new Int32Array(2 ** 20), attributes };
    for (const compression of ["gzip", "none"] as const) {
      for await (const part of writeRds(value, { compression })) {
        expect(part.length).toBeGreaterThan(0);
        break;
      }
    }
  });
});
