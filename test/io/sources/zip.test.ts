import { describe, expect, it } from "vitest";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { zipSource } from "../../../src/io/sources/zip.js";
import { InvalidDataError, UnsupportedError } from "../../../src/model/errors.js";
import { type ZipOptions, type ZipPart, zip } from "./zip-writer.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value);
const open = (parts: readonly ZipPart[], options?: ZipOptions) =>
  zipSource(createBytesSource(zip(parts, options), "test.zip"));
/** The source, and the bytes read since its directory. */
async function counting(parts: readonly ZipPart[]) {
  const whole = createBytesSource(zip(parts));
  let read = 0;
  const source = await zipSource({
    ...whole,
    read: (start, end, options) => {
      read += end - start;
      return whole.read(start, end, options);
    },
  });
  read = 0;
  return { source, counted: () => read };
}
const GROUP = { name: ".zgroup", data: bytes("{}") };
const LONG = bytes("0123456789".repeat(1000));

describe("zipSource", () => {
  it("reads stored and deflated entries, whole and in parts", async () => {
    const source = await open([
      GROUP,
      { name: "a/stored", data: LONG },
      { name: "a/deflated", data: LONG, deflate: true },
    ]);
    for (const key of ["a/stored", "a/deflated"]) {
      expect(await source.get(key)).toEqual(LONG);
      const parts = await source.getRanges(key, [
        { start: 3, end: 6 },
        { suffix: 2 },
        { start: 9_998, end: 20_000 },
        { start: 20_000, end: 20_001 },
      ]);
      expect(parts?.map(text)).toEqual(["345", "89", "89", ""]);
    }
    expect(await source.get("a")).toBeUndefined();
    expect(await source.getRanges("b", [{ suffix: 1 }])).toBeUndefined();
  });

  it("lists folders and files", async () => {
    const source = await open([
      GROUP,
      { name: "a/", data: bytes("") },
      { name: "a/b/c", data: LONG },
      { name: "a/d", data: LONG },
    ]);
    expect((await source.list(""))?.sort()).toEqual([".zgroup", "a"]);
    expect((await source.list("a"))?.sort()).toEqual(["b", "d"]);
    expect(await source.list("a/b")).toEqual(["c"]);
    expect(await source.list("nothing")).toEqual([]);
  });

  it("takes the last of several entries with one name", async () => {
    const source = await open([GROUP, { name: "x", data: bytes("old") }, { name: "x", data: bytes("new") }]);
    expect(text(await source.get("x"))).toBe("new");
  });

  it("finds data by the local header's own extra field, behind a comment, behind a prefix", async () => {
    const parts = [GROUP, { name: "x", data: bytes("value"), localExtra: new Uint8Array(40) }];
    for (const options of [
      {},
      { comment: "PK\u0005\u0006 and more" },
      { prefix: new Uint8Array(99) },
      { zip64End: true },
      { zip64End: true, prefix: new Uint8Array(99) },
    ]) {
      expect(text(await (await open(parts, options)).get("x"))).toBe("value");
    }
  });

  it("reads Zip64 sizes and offsets", async () => {
    const source = await open([GROUP, { name: "x", data: LONG, zip64: true }], { zip64End: true });
    expect(await source.get("x")).toEqual(LONG);
  });

  it("passes over names that lead elsewhere", async () => {
    const data = bytes("x");
    const names = ["../up", "/root", "a/../b", "a//b", "__MACOSX/._x", "./here", "fine"];
    const source = await open([GROUP, ...names.map((name) => ({ name, data }))]);
    expect((await source.list(""))?.sort()).toEqual([".zgroup", "fine"]);
    expect(await source.get("../up")).toBeUndefined();
  });

  it.each(["zarr.json", ".zgroup", ".zarray"])("takes the one folder that holds %s as root", async (document) => {
    const parts = [
      { name: `top/${document}`, data: bytes("{}") },
      { name: "top/a", data: bytes("1") },
    ];
    expect((await (await open([...parts, { name: "__MACOSX/top", data: bytes("") }])).list(""))?.sort()).toEqual(
      [document, "a"].sort(),
    );
    expect((await (await open([...parts, { name: "other", data: bytes("") }])).list(""))?.sort()).toEqual([
      "other",
      "top",
    ]);
  });

  it("reads of a large stored entry only what is asked for", async () => {
    const { source, counted } = await counting([GROUP, { name: "x", data: new Uint8Array(4 * 2 ** 20 + 1) }]);
    await source.getRanges("x", [{ start: 500_000, end: 500_010 }]);
    expect(counted()).toBeLessThan(100);
  });

  it.each([false, true])("checks an entry, deflated %s, once for all of its parts", async (deflate) => {
    const { source, counted } = await counting([GROUP, { name: "x", data: LONG, deflate }]);
    const read = (start: number) => source.getRanges("x", [{ start, end: start + 3 }]);
    expect(await Promise.all([read(1), read(2)])).toEqual([[bytes("123")], [bytes("234")]]);
    const once = counted();
    expect(await read(9_999)).toEqual([bytes("9")]);
    expect(counted()).toBe(once);
    expect(once).toBeLessThan(2 * LONG.length);
  });

  it("does not keep more than some entries", async () => {
    const large = Array.from({ length: 6 }, (_, i) => ({ name: `x${i}`, data: new Uint8Array(3 * 2 ** 20).fill(i) }));
    const { source, counted } = await counting([GROUP, ...large]);
    for (const { name } of large) await source.getRanges(name, [{ suffix: 1 }]);
    const all = counted();
    await source.getRanges("x5", [{ suffix: 1 }]);
    expect(counted()).toBe(all);
    expect(await source.getRanges("x0", [{ suffix: 1 }])).toEqual([Uint8Array.of(0)]);
    expect(counted()).toBeGreaterThan(all);
  });

  it("refuses parts of what is deflated and very large", async () => {
    const source = await open([
      GROUP,
      { name: "x", data: LONG, deflate: true, size: 2 ** 28 + 1, compressed: 2 ** 20 },
    ]);
    await expect(source.getRanges("x", [{ suffix: 1 }])).rejects.toThrow(
      "zip entry x: parts of 268435457 deflated bytes, of at most 268435456; store it instead (zip -0)",
    );
  });

  it.each<[string, ZipPart, string]>([
    ["a wrong CRC", { name: "x", data: LONG, crc: 1 }, "CRC-32"],
    ["a wrong CRC behind deflate", { name: "x", data: LONG, crc: 1, deflate: true }, "CRC-32"],
    ["a size that is too small", { name: "x", data: LONG, size: 9_999, deflate: true }, "expected 9999"],
    ["a size that is too large", { name: "x", data: LONG, size: 10_001, deflate: true }, "expected 10001"],
    [
      "a size that deflate cannot give",
      { name: "x", data: LONG, size: 4_000_000_000, deflate: true },
      "cannot come from",
    ],
    ["a stored size that differs", { name: "x", data: LONG, size: 5 }, "cannot come from"],
    ["an offset beyond the end", { name: "x", data: LONG, offset: 0xfffffff0 }, "header at byte"],
    ["an offset elsewhere", { name: "x", data: LONG, offset: 7 }, "no local header"],
    ["data that is not deflated", { name: "x", data: LONG, method: 8 }, "deflate"],
  ])("refuses an entry with %s", async (_, part, message) => {
    const source = await open([GROUP, part]);
    await expect(source.get("x")).rejects.toThrow(InvalidDataError);
    await expect(source.get("x")).rejects.toThrow(message);
    await expect(source.get("x")).rejects.toThrow("test.zip");
    await expect(source.getRanges("x", [{ start: 0, end: 1 }])).rejects.toThrow(InvalidDataError);
    await expect(source.getRanges("x", [{ start: 0, end: 1 }])).rejects.toThrow(message);
  });

  it("refuses entries that share bytes", async () => {
    // The group's local header takes 30 bytes, its name and its data.
    const at = 30 + GROUP.name.length + GROUP.data.length;
    const same = await open([GROUP, { name: "x", data: LONG }, { name: "y", data: LONG, offset: at }]);
    await expect(same.get("x")).rejects.toThrow(
      `zip entry x: ends at byte ${at + 31 + 10_000}, another begins at byte ${at}`,
    );
    await expect(same.get("y")).rejects.toThrow(InvalidDataError);
    expect(await same.get(GROUP.name)).toEqual(GROUP.data);
    const over = await open([
      GROUP,
      { name: "x", data: LONG, compressed: 10_005, size: 10_005 },
      { name: "y", data: LONG },
    ]);
    await expect(over.get("x")).rejects.toThrow(`another begins at byte ${at + 31 + 10_000}`);
    expect(await over.get("y")).toEqual(LONG);
  });

  it("leaves out an entry in very many folders alone", async () => {
    const deep = `${"a/".repeat(300)}x`;
    const source = await open([GROUP, { name: deep, data: LONG }, { name: "a/y", data: LONG }]);
    expect([await source.list(""), await source.list("a")]).toEqual([[".zgroup", "a"], ["y"]]);
    expect([await source.get("a/y"), await source.get(deep)]).toEqual([LONG, undefined]);
  });

  it.each<[string, ZipPart, string]>([
    ["encrypted", { name: "x", data: LONG, flags: 0x801 }, "encrypted"],
    ["zstd", { name: "x", data: LONG, method: 93 }, "method 93"],
  ])("does not read %s entries", async (_, part, message) => {
    const source = await open([GROUP, part]);
    await expect(source.get("x")).rejects.toThrow(UnsupportedError);
    await expect(source.get("x")).rejects.toThrow(message);
  });

  it("refuses archives that are cut off anywhere", async () => {
    const archive = zip([GROUP, { name: "x", data: bytes("value") }]);
    for (let length = 0; length < archive.length; length++) {
      await expect(zipSource(createBytesSource(archive.subarray(0, length)))).rejects.toThrow(InvalidDataError);
    }
  });

  it("refuses a directory with fewer entries than declared", async () => {
    await expect(open([GROUP], { count: 2 })).rejects.toThrow("2 entries cannot lie in");
    await expect(open([GROUP], { count: 60_000 })).rejects.toThrow(InvalidDataError);
    await expect(open([GROUP], { count: 2 ** 52, zip64End: true })).rejects.toThrow(InvalidDataError);
  });
});
