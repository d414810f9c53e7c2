import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../../../../src/io/sources/source.js";
import { BYTES, LATIN1, MISSING, NATIVE, toUtf8Values, UTF8 } from "../../../src/containers/rds/model/text.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { fixture, plain } from "./plain.js";

const read = async (name: string) => plain(await readRds(fixture(name)));
const names = (...character: string[]) => ({ attributes: { names: { character } } });

const ATOMIC = {
  list: [
    { logical: [1, 0, null] },
    { integer: [1, null, -2147483647] },
    {
      real: [1.5, Number.NaN, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0.1, 1e-310],
    },
    { complex: [1, 2, -0.5, Number.POSITIVE_INFINITY] },
    { raw: [0, 1, 254, 255] },
    { character: ['a b\n"\\', null, "", "hé", "café", "ÿþ"] },
    null,
    { list: [{ list: [] }, { integer: [] }] },
  ],
  ...names("logical", "integer", "real", "complex", "raw", "character", "null", "list"),
};

describe("what R writes", () => {
  test.each([
    "atomic",
    "atomic-version-2",
    "atomic-gzip",
    "atomic-bzip2",
    "atomic-xz",
    "atomic-ascii",
    "atomic-ascii-hexadecimal",
    "atomic-little-endian",
  ])("%s: vectors of every type", async (name) => {
    expect(await read(name)).toEqual(ATOMIC);
  });

  test.each(["atomic", "atomic-ascii", "atomic-little-endian"])("%s: NA among reals keeps its bits", async (name) => {
    const value = await readRds(fixture(name));
    const real = value.kind === "list" ? value.values[2] : value;
    if (real.kind !== "real") throw new Error(real.kind);
    const words = new Uint32Array(real.values.buffer);
    expect([words[2] === 1954, words[4] === 1954]).toEqual([true, false]);
  });

  test("encodings of strings, and all of them as UTF-8", async () => {
    const value = await readRds(fixture("atomic"));
    const character = value.kind === "list" ? value.values[5] : value;
    if (character.kind !== "character") throw new Error(character.kind);
    expect([...character.text.encodings]).toEqual([NATIVE, MISSING, NATIVE, UTF8, LATIN1, BYTES]);
    const { offsets, bytes } = toUtf8Values(character.text);
    const strings = Array.from({ length: 6 }, (_, i) =>
      new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])),
    );
    expect(strings).toEqual(['a b\n"\\', "", "", "hé", "café", "ÿþ"]);
  });

  test("compact sequences, deferred strings, wrappers", async () => {
    expect(await read("altrep")).toEqual({
      list: [
        { integer: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
        { integer: [3, 2, 1, 0, -1, -2] },
        { real: [3e9, 3e9 + 1, 3e9 + 2] },
        { character: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"] },
        { character: ["1", null, "1e+05", "123456", "-20", "Inf"] },
        { integer: [5, 6] },
        { real: [0.5, 1] },
        { character: ["x", "y"] },
        { integer: [1, 2, 3], ...names("7", "8", "9") },
      ],
      ...names("up", "down", "real", "names", "realnames", "wrapped", "wrappedreal", "wrappedtext", "named"),
    });
  });

  test("S4 objects: slots in order, one of them NULL, one with a data part", async () => {
    const value = await readRds(fixture("s4"));
    const from = { attributes: { package: { character: [".GlobalEnv"] } } };
    const derived = { unit: { character: ["m"] }, class: { character: ["Derived"], ...from } };
    const slots = (name: string[], values: number[], other: unknown[]) => ({
      s4: "Slots",
      package: ".GlobalEnv",
      slots: { name: { character: name }, values: { real: values }, nothing: null, other: { list: other } },
    });
    expect(plain(value)).toEqual({
      list: [slots(["n"], [1, 2], [{ real: [0.5, 1, 1.5], attributes: derived }]), slots([], [], [])],
    });
    const first: RValue = value.kind === "list" ? value.values[0] : value;
    if (first.kind !== "s4") throw new Error(first.kind);
    expect([...first.slots.keys()]).toEqual(["name", "values", "nothing", "other"]);
    const other = first.slots.get("other");
    expect(other?.kind === "list" && other.values[0]).toMatchObject({ isS4: true });
  });

  test("attributes of factors, data frames, matrices", async () => {
    expect(await read("attributes")).toEqual({
      list: [
        { integer: [2, 1, null], attributes: { levels: { character: ["a", "b"] }, class: { character: ["factor"] } } },
        {
          list: [{ integer: [1, 2] }, { character: ["p", "q"] }],
          attributes: {
            names: { character: ["x", "y"] },
            class: { character: ["data.frame"] },
            "row.names": { integer: [null, -2] },
          },
        },
        {
          integer: [1, 2, 3, 4],
          attributes: { dim: { integer: [2, 2] }, dimnames: { list: [{ character: ["r1", "r2"] }, null] } },
        },
      ],
      ...names("factor", "frame", "matrix"),
    });
  });

  test("environments, hashed or not, that contain themselves", async () => {
    const value = await readRds(fixture("environments"));
    expect(plain(value)).toEqual({
      list: [
        {
          environment: {
            self: "again",
            inner: { environment: { value: { integer: [42] } }, locked: true, enclosure: "empty environment" },
          },
          locked: false,
          enclosure: "global environment",
          attributes: { note: { character: ["hashed"] } },
        },
        "again",
        "again",
        "base environment",
        { namespace: ["stats", "4.2.2"] },
        { package: ["package:stats"] },
        "base namespace",
      ],
    });
    if (value.kind !== "list" || value.values[0].kind !== "environment") throw new Error(value.kind);
    expect(value.values[0].bindings.get("self")).toBe(value.values[0]);
    expect(value.values[2]).toBe(value.values[0]);
  });

  test("calls, pairlists, symbols", async () => {
    const symbol = (name: string) => ({ symbol: name });
    expect(await read("language")).toEqual({
      list: [
        { language: [symbol("f"), symbol("x"), { n: { real: [2] } }] },
        { pairlist: [{ a: { integer: [1] } }, { integer: [2] }] },
        { language: [symbol("["), symbol("x"), "missing argument", { real: [1] }] },
        symbol("hé"),
        {
          language: [symbol("~"), symbol("y"), symbol("x")],
          attributes: { class: { character: ["formula"] }, ".Environment": "global environment" },
        },
      ],
    });
    expect(await read("external-pointer")).toEqual({ pointer: [null, null] });
  });

  test("strings of a session in another locale", async () => {
    expect(await read("native-latin1")).toEqual({ character: ["café", "plain"] });
  });

  test("vectors of many blocks, from a file that is read piece by piece", async () => {
    const bytes = fixture("long");
    const value = await readRds(bytes);
    const integers = Array.from({ length: 300_000 }, (_, i) => (i % 1000) + 1);
    const strings = Array.from({ length: 20_000 }, (_, i) => ["one", "two", "three"][i % 3]);
    const expected = { list: [{ integer: integers }, { character: strings }] };
    expect(plain(value)).toEqual(expected);
  });

  test("a source that fills memory of the caller is read straight into it", async () => {
    const whole = new Uint8Array(gunzipSync(fixture("long")));
    let filled = 0;
    const source: ByteSource = {
      kind: "bytes",
      name: "long.rds",
      size: whole.length,
      read: async (start, end) => whole.subarray(start, end),
      readInto: async (start, target) => {
        target.set(whole.subarray(start, start + target.length));
        filled += target.length;
      },
      close: async () => undefined,
    };
    expect(plain(await readRds(source))).toEqual(plain(await readRds(fixture("long"))));
    expect(filled).toBeGreaterThan(900_000);
  });
});

describe("what has no meaning outside of R is passed over", () => {
  test.each([
    ["function", "a function"],
    ["builtin", "a function of R's own"],
    ["expression", "an expression"],
    ["byte-code", "byte code"],
  ])("%s", async (name, what) => {
    expect(plain(await readRds(fixture(name)))).toEqual({ opaque: what });
  });
});

test("a reading is cancelled", async () => {
  const reason = new Error("enough");
  await expect(readRds(fixture("long"), { signal: AbortSignal.abort(reason) })).rejects.toThrow("enough");
});
