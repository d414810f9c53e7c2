import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import type { ByteSource } from "../../../../../src/io/sources/source.js";
import { isAnnarrowError } from "../../../../../src/model/errors.js";
import { openStream } from "../../../src/containers/rds/input/open-stream.js";
import { isRds } from "../../../src/containers/rds/input/signature.js";
import { createUnreadableError, type RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { fixture, plain } from "./plain.js";
import { file, HAS_ATTRIBUTES, NULL, symbol, TAGGED_CELL } from "./words.js";

/** Reads a value, and throws the error of one that is unreadable. */
async function readValue(...given: Parameters<typeof readRds>): Promise<RValue> {
  const value = await readRds(...given);
  if (value.kind === "unreadable") throw createUnreadableError(value);
  return value;
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const real = (...values: number[]) => [
  14,
  values.length,
  ...values.flatMap((value) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    return [view.getUint32(0), view.getUint32(4)];
  }),
];
const altrep = (name: string, ...state: (number | string)[]) => [238, 2, ...symbol(name), NULL, ...state, NULL];

describe("what a file says is checked", () => {
  test.each<[string, Uint8Array, string, string]>([
    ["a length", file(13, 1000), "InvalidDataError", "a vector of integers of 1000 needs 4000 bytes, at most 0"],
    ["a long length", file(14, -1, 1, 0), "InvalidDataError", "needs 34359738368 bytes"],
    ["a negative length", file(13, -2), "InvalidDataError", "a vector of length -2"],
    ["a length beyond 2^48", file(13, -1, 70000, 0), "InvalidDataError", "70000 * 2^32"],
    ["the length of a list", file(19, 2 ** 31 - 1), "InvalidDataError", "a list of 2147483647"],
    ["the number of strings", file(16, 2 ** 31 - 1), "InvalidDataError", "a character vector of 2147483647"],
    ["the length of a string", file(16, 1, 9, 2 ** 31 - 1), "InvalidDataError", "a string of 2147483647"],
    ["a string's negative length", file(16, 1, 9, -5), "InvalidDataError", "a string of length -5"],
    ["a string that is none", file(16, 1, 13, 0), "InvalidDataError", "where a string (CHARSXP) belongs"],
    ["a string with a NUL", file(16, 1, 9, 4, "a\0bc"), "InvalidDataError", "NUL"],
    ["a type", file(77), "InvalidDataError", "SEXP type 77 does not exist"],
    ["reference 1 of 0", file(0x1ff), "InvalidDataError", "reference 1 of 0"],
    ["a reference in a word", file(0xff, -1), "InvalidDataError", "reference -1 of 0"],
    ["a tag", file(TAGGED_CELL, 13, 0, NULL, NULL), "InvalidDataError", "tag is integer"],
    ["attributes", file(13 | HAS_ATTRIBUTES, 0, 13, 0), "InvalidDataError", "attributes are integer"],
    ["an attribute's name", file(13 | HAS_ATTRIBUTES, 0, 2, NULL, NULL), "InvalidDataError", "without a name"],
    [
      "an attribute twice",
      file(13 | HAS_ATTRIBUTES, 0, TAGGED_CELL, ...symbol("a"), NULL, TAGGED_CELL, 0x1ff, NULL, NULL),
      "InvalidDataError",
      'attribute "a" occurs twice',
    ],
    [
      "an S4 object's class",
      file(25 | HAS_ATTRIBUTES, TAGGED_CELL, ...symbol("class"), 13, 1, 5, NULL),
      "InvalidDataError",
      "class is no text",
    ],
    ["an environment's frame", file(4, 0, NULL, 13, 0, NULL, NULL), "InvalidDataError", "frame of an environment"],
    ["an environment's table", file(4, 0, NULL, NULL, 13, 0, NULL), "InvalidDataError", "hash table"],
    ["names of a package", file(248, 0, 1000), "InvalidDataError", "needs 8000 bytes"],
    ["bytes behind the object", file(NULL, NULL), "InvalidDataError", "more bytes follow"],
    ["a sequence", file(...altrep("compact_intseq", ...real(5, 1, 2))), "InvalidDataError", "by 2"],
    ["a sequence's end", file(...altrep("compact_intseq", ...real(5, 2 ** 31 - 2, 1))), "InvalidDataError", "integers"],
    ["a sequence's size", file(...altrep("compact_intseq", ...real(2e9, 1, 1))), "UnsupportedError", "expand to more"],
    ["a sequence of reals", file(...altrep("compact_realseq", ...real(1e15, 1, 1))), "UnsupportedError", "expand"],
    [
      "names of a sequence",
      file(...altrep("deferred_string", 2, ...altrep("compact_intseq", ...real(6e7, 1, 1)), 13, 1, 0)),
      "UnsupportedError",
      "expand to more than 268435456 bytes",
    ],
    [
      "names of fractions",
      file(...altrep("deferred_string", 2, ...real(1 / 3), 13, 1, 0)),
      "UnsupportedError",
      "0.3333333333333333, whose text depends on the version of R: make them text by paste0(x)",
    ],
    ["a class of vectors", file(...altrep("mmap_real", NULL)), "UnsupportedError", 'the class "mmap_real"'],
    ["a wrapper", file(...altrep("wrap_real", NULL)), "InvalidDataError", "state of an ALTREP vector is null"],
    ["what is wrapped", file(...altrep("wrap_real", 2, NULL, NULL)), "InvalidDataError", "null where a vector"],
    [
      "depth",
      Uint8Array.from([...file(), ...Array.from({ length: 70_000 }, () => [0, 0, 0, 19, 0, 0, 0, 1]).flat()]),
      "UnsupportedError",
      "values nested deeper than 65536",
    ],
    ["no format", new TextEncoder().encode("hello world"), "InvalidDataError", 'it begins with "he"'],
    ["no bytes", new Uint8Array(0), "InvalidDataError", "truncated"],
    ["a version", Uint8Array.from([0x58, 10, 0, 0, 0, 4, 0, 5, 0, 0, 0, 5, 0, 0]), "UnsupportedError", "R 5.0.0"],
  ])("%s", async (_, bytes, name, message) => {
    const error = { name, message: expect.stringContaining(message) };
    await expect(readValue(bytes)).rejects.toThrow(expect.objectContaining(error));
    if (bytes.length > 20)
      await expect(readValue(await gzip(bytes))).rejects.toThrow(expect.objectContaining({ name }));
  });

  test("long chains need no stack", async () => {
    const cells = Array.from({ length: 30_000 }, () => [2, NULL]).flat();
    const value = await readRds(file(...cells, NULL));
    expect(value).toMatchObject({ kind: "pairlist", items: { length: 30_000 } });
  });

  /** The words of values within each other: what begins one, and what ends one. */
  const nested = (depth: number, begin: (number | string)[], end: number[]) => [
    ...Array.from({ length: depth }, () => begin).flat(),
    NULL,
    ...Array.from({ length: depth }, () => end).flat(),
  ];

  test.each<[string, (number | string)[], number[]]>([
    ["lists", [19, 1], []],
    // Locked or not, enclosure, frame, table, attributes.
    ["environments", [4, 0], [NULL, NULL, NULL]],
    ["frames of environments", [4, 0, NULL, TAGGED_CELL, ...symbol("x")], [NULL, NULL, NULL]],
    ["tables of environments", [4, 0, NULL, NULL, 19, 1, TAGGED_CELL, ...symbol("x")], [NULL, NULL]],
    ["attributes of environments", [4, 0, NULL, NULL, NULL, TAGGED_CELL, ...symbol("x")], [NULL]],
    ["external pointers", [22], [NULL]],
    ["attributes", [13 | HAS_ATTRIBUTES, 0, TAGGED_CELL, ...symbol("x")], [NULL]],
    ["functions", [3, NULL], []],
    ["calls", [6], [NULL]],
  ])("%s within each other need no stack", async (_, begin, end) => {
    const words = nested(5000, begin, end);
    const value = await readRds(file(19, 2, ...words, 13, 1, 7));
    expect(value).toMatchObject({ kind: "list", values: [{}, { kind: "integer", values: Int32Array.of(7) }] });
  });

  test("of values too deep within each other, the deepest are unreadable", async () => {
    let value = await readRds(file(...nested(1005, [19, 1], [])));
    let depth = 0;
    for (; value.kind === "list"; depth++) [value] = value.values;
    expect(depth).toBe(1001);
    expect(value).toMatchObject({ kind: "unreadable", problem: "values nested deeper than 1000" });
  });

  test("calls within calls of byte code need no stack", async () => {
    // Each call: its tag, the type of its first half, which is the next call, and behind it the type and the value of the last.
    const calls = [...Array.from({ length: 5000 }, () => [6, NULL]).flat(), 0, NULL];
    const words = [21, 0, NULL, 1, ...calls, ...Array.from({ length: 5000 }, () => [0, NULL]).flat()];
    expect(await readRds(file(19, 2, ...words, 13, 1, 7))).toMatchObject({
      values: [{ kind: "opaque" }, { kind: "integer", values: Int32Array.of(7) }],
    });
  });

  test("byte code within byte code has a limit of its own", async () => {
    // The number of values that are used twice, the code, the number of constants.
    const code = (depth: number) => nested(depth, [21, NULL, 1], []).slice(1);
    await expect(readRds(file(21, 0, ...code(5000)))).rejects.toThrow("values nested deeper than 1000");
  });

  test("the number of values", async () => {
    const bytes = file(19, 100, ...Array.from({ length: 100 }, () => NULL));
    await expect(readRds(bytes, { maxValues: 101 })).resolves.toMatchObject({ kind: "list" });
    await expect(readRds(bytes, { maxValues: 100 })).rejects.toThrow("more than 100 R values");
  });

  test.each(["bomb-bzip2", "bomb-xz"])("%s is refused by its lengths", async (name) => {
    const bytes = fixture(name);
    await expect(readRds(bytes)).rejects.toThrow("1073741824 bytes");
    // What is decoded comes in parts.
    const stream = await openStream(createBytesSource(bytes), {});
    const part = await stream.pull();
    expect(part?.length).toBeLessThan(2 ** 22);
    expect(part?.subarray(0, 2)).toEqual(Uint8Array.of(0x58, 0x0a));
  });

  test.each([
    ["a word without end", "1", "a word of more than 128 characters"],
    ["space without end", " ", "white space of more than 128 characters"],
  ])("ASCII: %s is refused at its beginning", async (_, character, message) => {
    const head = new TextEncoder().encode("A\n3\n262402\n197888\n5\nUTF-8\n14\n1\n");
    const whole = new Uint8Array(2 ** 24).fill(character.charCodeAt(0));
    whole.set(head);
    let read = 0;
    const source: ByteSource = {
      ...{ kind: "bytes", name: "word.rds", size: whole.length },
      async read(start, end) {
        read += end - start;
        return whole.subarray(start, end);
      },
      close: async () => undefined,
    };
    await expect(readRds(source)).rejects.toThrow(message);
    expect(read).toBeLessThan(2 ** 20);
  });

  test("ASCII with lines as Windows ends them", async () => {
    const text = new TextDecoder("latin1").decode(fixture("atomic-ascii")).replaceAll("\n", "\r\n");
    const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
    expect(plain(await readRds(bytes))).toEqual(plain(await readRds(fixture("atomic-ascii"))));
    expect(await isRds(createBytesSource(bytes))).toBe(true);
    const saved = new TextEncoder().encode("RDA2\r\nA\r\n2\r\n262658\r\n131840\r\n254\r\n");
    expect(await readRds(saved)).toEqual({ kind: "null" });
    expect(await isRds(createBytesSource(saved))).toBe(true);
  });

  test.each([
    ["A\n2\n262658\n131840\n13\n1\n1.5\n", '"1.5" is no integer'],
    ["A\n2\n262658\n131840\n14\n1\nabc\n", '"abc" is no real number'],
    ["A\n2\n262658\n131840\n24\n1\nxy\n", '"xy" is no byte'],
    ["A\n2\n262658\n131840\n13\n9\n1\n", "a vector of integers of 9 needs 18 characters"],
    ["A\n2\n262658\n131840\n16\n1\n9\n3\na\\", "inside a string"],
    ["A\n2\n262658\n131840\n254\n254\n", "more bytes follow"],
    [`A\n2\n${"1".repeat(1000)}\n`, "more than 128 characters"],
  ])("ASCII %j", async (text, message) => {
    await expect(readRds(new TextEncoder().encode(text))).rejects.toThrow(
      expect.objectContaining({ name: "InvalidDataError", message: expect.stringContaining(message) }),
    );
  });
});

/** Reads, and lets pass only the library's own errors. */
async function outcome(bytes: Uint8Array): Promise<"read" | "refused"> {
  try {
    await readValue(bytes, { maxExpandedBytes: 2 ** 20, maxValues: 2 ** 16 });
    return "read";
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
    return "refused";
  }
}

const FILES = [
  "atomic",
  "atomic-gzip",
  "atomic-bzip2",
  "atomic-xz",
  "atomic-ascii",
  "atomic-little-endian",
  "altrep",
  "s4",
  "environments",
  "language",
];

describe("a broken file is refused by name", () => {
  test.each(FILES)("%s, cut at every offset", async (name) => {
    const bytes = fixture(name);
    // White space at the end of ASCII means nothing.
    const end = name.endsWith("ascii") ? bytes.length - 1 : bytes.length;
    for (let cut = 0; cut < end; cut++) {
      expect(await outcome(bytes.subarray(0, cut)), `cut at ${cut}`).toBe("refused");
    }
  });

  test.each(FILES)("%s, with other bytes in it", async (name) => {
    const bytes = fixture(name);
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const broken = bytes.slice();
        for (const [at, byte] of changes) broken[at] = byte;
        expect(await outcome(broken)).toMatch(/read|refused/);
      }),
      { numRuns: 300 },
    );
  });

  test("random bytes behind a header", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect(await outcome(Uint8Array.from([...file(), ...bytes]))).toMatch(/read|refused/);
      }),
      { numRuns: 500 },
    );
  });

  test("random words behind a header", async () => {
    const word = fc.oneof(
      fc.constantFrom(1, 2, 4, 6, 9, 10, 13, 14, 15, 16, 19, 22, 24, 25, 238, 248, 249, 254, 255, 0x1ff, 0x202, 0x402),
      fc.integer({ min: 0, max: 3 }),
      fc.integer(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), async (words) => {
        expect(await outcome(file(...words))).toMatch(/read|refused/);
      }),
      { numRuns: 1000 },
    );
  });
});
