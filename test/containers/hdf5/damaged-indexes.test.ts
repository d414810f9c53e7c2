import { describe, expect, test } from "vitest";
import { lookup3 } from "../../../src/containers/hdf5/bytes/lookup3.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import { bytesSource, fixtureBytes, openArray, rowsOf } from "./fixture.js";

/** A file whose structures can be changed with their checksums kept right. */
class Patched {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(name: string) {
    this.bytes = fixtureBytes(name);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }

  /** Positions of a signature, in file order. */
  all(signature: string): number[] {
    const wanted = [...signature].map((letter) => letter.charCodeAt(0));
    const found: number[] = [];
    for (let at = 0; at + 4 <= this.bytes.length; at++) {
      if (wanted.every((byte, i) => this.bytes[at + i] === byte)) found.push(at);
    }
    return found;
  }

  /** Rewrites the checksum of the structure [at, at + length). */
  seal(at: number, length: number): void {
    this.view.setUint32(at + length - 4, lookup3(this.bytes.subarray(at, at + length - 4)), true);
  }

  async read(path: string): Promise<unknown> {
    const container = await openHdf5(bytesSource(this.bytes));
    const array = await openArray(container, path);
    return await array.read(0, rowsOf(array));
  }

  /** Every dataset is read. @returns the distinct problems. */
  async problems(): Promise<string[]> {
    const container = await openHdf5(bytesSource(this.bytes));
    const found = new Set<string>();
    for (const name of await container.root.keys()) {
      try {
        const node = await container.root.open(name);
        if (node.kind === "array" && node.shape !== null) await node.read(0, rowsOf(node));
      } catch (error) {
        expect(error).toMatchObject({ tag: "InvalidDataError" });
        if (error instanceof Error) found.add(error.message);
      }
    }
    return [...found];
  }
}

const HEADER = { FAHD: 28, EAHD: 72, BTHD: 38 } as const;

/** Sets a field in every structure of one kind, and seals it. */
async function headerProblems(
  signature: keyof typeof HEADER,
  change: (file: Patched, at: number) => void,
): Promise<string> {
  const file = new Patched("chunks_v110");
  // Trees of the types 10 and 11 are those of chunks.
  const places = file.all(signature).filter((at) => signature !== "BTHD" || file.bytes[at + 5] >= 10);
  expect(places.length).toBeGreaterThan(2);
  for (const at of places) {
    change(file, at);
    file.seal(at, HEADER[signature]);
  }
  return (await file.problems()).join("\n");
}

describe("fixed arrays", () => {
  test.each<[string, (file: Patched, at: number) => void, RegExp]>([
    ["kind of element", ({ bytes }, at) => bytes.fill(7, at + 5, at + 6), /elements of kind 7/],
    ["size of element", ({ bytes }, at) => bytes.fill(9, at + 6, at + 7), /elements of 9 bytes/],
    ["size of page", ({ bytes }, at) => bytes.fill(60, at + 7, at + 8), /pages of 2\^60/],
    [
      "number of elements",
      ({ view }, at) => view.setBigUint64(at + 8, 10n ** 9n, true),
      /1000000000 elements for \d+ chunks/,
    ],
    ["address", ({ view }, at) => view.setBigUint64(at + 16, 10n ** 9n, true), /beyond the end of the file/],
    ["address of itself", ({ view }, at) => view.setBigUint64(at + 16, BigInt(at), true), /there is no FADB block/],
    ["version", ({ bytes }, at) => bytes.fill(1, at + 4, at + 5), /version 1; only 0/],
  ])("of a wrong %s", async (_, change, message) => {
    expect(await headerProblems("FAHD", change)).toMatch(message);
  });

  test("whose blocks belong to another array", async () => {
    const file = new Patched("chunks_v110");
    const kind = (at: number) => file.bytes.subarray(at + 5, at + 16).join();
    const [first, ...others] = file.all("FAHD").reverse();
    const second = others.find((at) => kind(at) === kind(first)) ?? 0;
    file.bytes.copyWithin(first + 16, second + 16, second + 24);
    file.seal(first, HEADER.FAHD);
    expect((await file.problems()).join("\n")).toMatch(/FADB block at \d+ belongs to the array at \d+/);
  });

  test("whose pages are damaged", async () => {
    const file = new Patched("chunks_paged");
    // Behind the prefix and the bits of a few pages.
    for (const block of file.all("FADB")) file.bytes[block + 14 + 1 + 4 + 3] ^= 1;
    await expect(file.read("fixed gzip")).rejects.toThrow(/page of a FADB block at \d+ has checksum/);
  });
});

describe("extensible arrays", () => {
  test.each<[string, (file: Patched, at: number) => void, RegExp]>([
    ["size of element", ({ bytes }, at) => bytes.fill(40, at + 6, at + 7), /elements of 40 bytes/],
    ["number of bits", ({ bytes }, at) => bytes.fill(200, at + 7, at + 8), /of 2\^200 elements/],
    ["size of block", ({ bytes }, at) => bytes.fill(17, at + 9, at + 10), /blocks of 17/],
    ["number of pointers", ({ bytes }, at) => bytes.fill(0, at + 10, at + 11), /0 pointers/],
    ["size of page", ({ bytes }, at) => bytes.fill(3, at + 11, at + 12), /pages of 2\^3/],
    ["address", ({ view }, at) => view.setBigUint64(at + 60, 10n ** 9n, true), /beyond the end of the file/],
    ["checksum", ({ view }, at) => view.setBigUint64(at + 60, BigInt(at), true), /there is no EAIB block/],
  ])("of a wrong %s", async (_, change, message) => {
    expect(await headerProblems("EAHD", change)).toMatch(message);
  });

  test("whose super block says another place", async () => {
    const file = new Patched("chunks_paged");
    for (const at of file.all("EASB")) file.bytes[at + 14] ^= 1;
    expect((await file.problems()).join("\n")).toMatch(/EASB block at \d+ has checksum/);
  });

  test.each(["EAIB", "EADB"])("with a damaged %s", async (signature) => {
    const file = new Patched("chunks_v200");
    for (const at of file.all(signature)) file.bytes[at + 20] ^= 1;
    expect((await file.problems()).join("\n")).toMatch(new RegExp(`${signature} block at \\d+ has checksum`));
  });
});

describe("version 2 B-trees", () => {
  test.each<[string, (file: Patched, at: number) => void, RegExp]>([
    ["type", ({ bytes }, at) => bytes.fill(5, at + 5, at + 6), /type 5/],
    ["number of records", ({ view }, at) => view.setBigUint64(at + 26, 10n ** 12n, true), /1000000000000 records/],
    ["root", ({ view }, at) => view.setBigUint64(at + 16, BigInt(at), true), /version 2 B-tree node/],
  ])("of a wrong %s", async (_, change, message) => {
    expect(await headerProblems("BTHD", change)).toMatch(message);
  });

  test("whose records are not in order", async () => {
    const file = new Patched("chunks_v110");
    for (const at of file.all("BTLF")) {
      // Records of plain two-dimensional chunks have 24 bytes; the first becomes the second.
      if (file.bytes[at + 5] !== 10) continue;
      file.bytes.copyWithin(at + 6 + 8, at + 6 + 24 + 8, at + 6 + 24 + 24);
      for (let records = 2; records < 60; records++) {
        const length = 6 + records * 24 + 4;
        const original = fixtureBytes("chunks_v110").subarray(at, at + length);
        const stored = new DataView(original.buffer, original.byteOffset + length - 4).getUint32(0, true);
        if (lookup3(original.subarray(0, length - 4)) === stored) file.seal(at, length);
      }
    }
    expect((await file.problems()).join("\n")).toMatch(/chunk index has \d+,\d+ behind \d+,\d+/);
  });
});

describe("version 1 B-trees", () => {
  const KEY = 24;
  /** The first node of level 0 that has at least two chunks. */
  function leaf(file: Patched): number {
    const found = file
      .all("TREE")
      .find((at) => file.bytes[at + 4] === 1 && file.bytes[at + 5] === 0 && file.bytes[at + 6] > 1);
    if (found === undefined) throw new Error("no leaf");
    return found;
  }
  const oneDimensional = "many_chunks";

  test("whose nodes lead to themselves, to one another twice, or out of the file", async () => {
    const root = new Patched("layouts").all("TREE").filter((at) => new Patched("layouts").bytes[at + 5] === 1);
    expect(root).toHaveLength(1);
    for (const [target, message] of [
      [root[0], /leads twice to the node/],
      [0, /there is no chunk index at address 0/],
      [10 ** 9, /beyond the end of the file/],
    ] as const) {
      const file = new Patched("layouts");
      file.view.setBigUint64(root[0] + 24 + KEY, BigInt(target), true);
      await expect(file.read(oneDimensional)).rejects.toThrow(message);
    }
    const twice = new Patched("layouts");
    twice.bytes.copyWithin(root[0] + 24 + KEY + 8 + KEY, root[0] + 24 + KEY, root[0] + 24 + KEY + 8);
    await expect(twice.read(oneDimensional)).rejects.toThrow(/leads twice/);
  });

  test("whose levels are wrong", async () => {
    const file = new Patched("layouts");
    for (const at of file.all("TREE")) if (file.bytes[at + 5] === 1) file.bytes[at + 5] = 9;
    await expect(file.read(oneDimensional)).rejects.toThrow(/level 0, below level 9/);
    for (const at of file.all("TREE")) if (file.bytes[at + 5] === 9) file.bytes[at + 5] = 200;
    await expect(file.read(oneDimensional)).rejects.toThrow(/level 200, above 32/);
  });

  test("with more entries than the file has bytes, or none", async () => {
    const file = new Patched("layouts");
    const root = file.all("TREE").find((at) => file.bytes[at + 5] === 1) ?? 0;
    file.view.setUint16(root + 6, 65535, true);
    await expect(file.read(oneDimensional)).rejects.toThrow(/beyond the end of the file/);
    file.view.setUint16(root + 6, 0, true);
    await expect(file.read(oneDimensional)).rejects.toThrow(/has no entries/);
  });

  test("whose chunks are out of order, between two places, empty, or beyond the end", async () => {
    const at = leaf(new Patched("chunks_masks_v108"));
    for (const [change, message] of [
      [(file: Patched) => file.view.setBigUint64(at + 24 + 8, 500n, true), /is not in order/],
      [(file: Patched) => file.view.setBigUint64(at + 24 + KEY + 8 + 8, 6n, true), /does not begin at a multiple of 5/],
      [(file: Patched) => file.view.setUint32(at + 24, 0, true), /stored in 0 bytes/],
      [
        (file: Patched) => file.view.setUint32(at + 24, 2 ** 31, true),
        /2147483648 bytes at address \d+, beyond the end/,
      ],
      [(file: Patched) => file.view.setBigUint64(at + 24 + KEY, 10n ** 9n, true), /address 1000000000, beyond the end/],
    ] as const) {
      const file = new Patched("chunks_masks_v108");
      change(file);
      expect((await file.problems()).join("\n")).toMatch(message);
    }
  });

  test("whose chunks share their bytes more often than the file can hold them", async () => {
    const file = new Patched("layouts");
    // 300 chunks of 8 bytes each become chunks of the whole file.
    for (const at of file.all("TREE")) {
      if (file.bytes[at + 4] !== 1 || file.bytes[at + 5] !== 0 || file.bytes[at + 6] < 20) continue;
      for (let k = 0; k < file.bytes[at + 6]; k++) {
        file.view.setUint32(at + 24 + k * (KEY + 8), file.bytes.length - 4096, true);
        file.view.setBigUint64(at + 24 + k * (KEY + 8) + KEY, 0n, true);
      }
    }
    await expect(file.read(oneDimensional)).rejects.toThrow(/chunks of \d+ bytes in all, in a file of \d+ bytes/);
  });
});

test("unlimited dimensions that do not fit the index are refused", async () => {
  const file = new Patched("chunks_v110");
  // Dataspace messages of one dimension (43), of version 2, with a maximum: it becomes unlimited for all of them.
  const wanted = [2, 1, 1, 1, 43, 0, 0, 0, 0, 0, 0, 0, 87];
  let changed = 0;
  for (let at = 0; at < file.bytes.length - 40; at++) {
    if (!wanted.every((byte, i) => file.bytes[at + i] === byte)) continue;
    file.bytes.fill(0xff, at + 12, at + 20);
    // The header around it is sealed again.
    const header =
      file
        .all("OHDR")
        .filter((place) => place < at)
        .at(-1) ?? 0;
    const flags = file.bytes[header + 5];
    const prefix = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const length = flags & 1 ? file.view.getUint16(header + prefix, true) : file.bytes[header + prefix];
    file.seal(header, prefix + (1 << (flags & 3)) + length + 4);
    changed++;
  }
  expect(changed).toBeGreaterThan(1);
  expect((await file.problems()).join("\n")).toMatch(/for 0 unlimited dimensions, but the dataset has 1/);
});

/** Numerical Recipes' linear congruential generator: the same damage in every run. */
function* damage(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test.each([
  ["chunks_v108", ["TREE"]],
  ["chunks_v110", ["FAHD", "FADB", "EAHD", "EAIB", "EADB", "BTHD", "BTLF"]],
  ["chunks_many", ["EAHD", "EAIB", "EASB", "EADB", "BTHD", "BTIN", "BTLF"]],
])("%s.h5 with wrong bytes under right checksums gives values or named errors", async (name, signatures) => {
  const random = damage(name.length);
  const next = () => random.next().value ?? 0;
  const original = new Patched(name);
  // Trees of smaller types are those of links.
  const isOfChunks = (at: number) => original.bytes[at] !== 0x42 || original.bytes[at + 5] >= 10;
  const places = signatures.flatMap((signature) => original.all(signature)).filter(isOfChunks);
  let failed = 0;
  for (let round = 0; round < 60; round++) {
    const file = new Patched(name);
    for (let i = 0; i < 8; i++) {
      const at = places[Math.floor(next() * places.length)];
      file.bytes[at + 5 + Math.floor(next() ** 2 * 80)] = next() < 0.3 ? 255 : Math.floor(next() * 256);
      // Its length follows from where its checksum was right.
      for (let length = 12; length < 400 && at + length <= file.bytes.length; length++) {
        const before = original.bytes.subarray(at, at + length - 4);
        if (original.view.getUint32(at + length - 4, true) !== lookup3(before)) continue;
        file.seal(at, length);
        break;
      }
    }
    failed += (await file.problems()).length;
  }
  expect(failed).toBeGreaterThan(0);
});
