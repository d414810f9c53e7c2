/** Headers of version 1 by hand, which differ in where the values lie or in more than that. */

import { expect, test } from "vitest";
import type { Hdf5Dataset } from "../../../../src/containers/hdf5/dataset/dataset.js";
import { HeaderCache } from "../../../../src/containers/hdf5/dataset/header-cache.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import type { ByteSource } from "../../../../src/io/sources/source.js";

const LAYOUT = 0x08;
const MODIFIED = 0x12;
const CONTINUATION = 0x10;

type Message = readonly [type: number, flags: number, body: readonly number[]];

const layout = (address: number): Message => [LAYOUT, 0, [3, 1, address, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]];

function header(...messages: readonly Message[]): number[] {
  const body = messages.flatMap(([type, flags, bytes]) => [type, 0, bytes.length, 0, flags, 0, 0, 0, ...bytes]);
  return [1, 0, messages.length, 0, 1, 0, 0, 0, body.length, 0, 0, 0, 0, 0, 0, 0, ...body];
}

/** The headers one after the other, all of them at hand. */
function fileOf(...headers: readonly (readonly number[])[]): { file: Hdf5File; at: number[] } {
  const bytes = Uint8Array.from(headers.flat());
  const source: ByteSource = {
    ...{ kind: "bytes", name: "by hand", size: bytes.length },
    read: async (start, end) => bytes.slice(start, end),
    peek: (start, end) => bytes.subarray(start, end),
    close: async () => {},
  };
  const at = headers.map((_, i) => headers.slice(0, i).flat().length);
  return { file: new Hdf5File(source, 0, { offsets: 8, lengths: 8 }), at };
}

const dataset: Hdf5Dataset = {
  datatype: { class: "float", size: 8, bigEndian: false, odd: null, parts: null },
  ...{ extent: [1, 1], maximum: [], filters: [], fill: new Uint8Array(8) },
  layout: { kind: "compact", bytes: new Uint8Array(8) },
};
const content = {
  ...{ dataset, attributes: new Map(), length: 8 },
  element: { type: { kind: "float", bits: 64 }, shape: [] },
} as const;

test("another address and another time", () => {
  const { file, at } = fileOf(
    header([1, 0, [1, 2, 3]], layout(40), [MODIFIED, 0, [1, 0, 0, 0, 7, 7, 7, 7]]),
    header([1, 0, [1, 2, 3]], layout(90), [MODIFIED, 0, [1, 0, 0, 0, 8, 8, 8, 8]]),
  );
  const headers = new HeaderCache();
  expect(headers.find(file, at[0])).toBeNull();
  headers.add(file, at[0], content);
  expect(headers.find(file, at[1])).toEqual({ content, address: 90 });
  expect(headers.find(file, at[0])).toEqual({ content, address: 40 });
});

test("another shape, and no address", () => {
  const none: Message = [LAYOUT, 0, [3, 1, ...Array(8).fill(255), 8, 0, 0, 0, 0, 0, 0, 0]];
  const { file, at } = fileOf(
    header([1, 0, [1, 2, 3]], layout(40)),
    header([1, 0, [1, 2, 4]], layout(40)),
    header([1, 0, [1, 2, 3]], none),
  );
  const headers = new HeaderCache();
  headers.add(file, at[0], content);
  expect(headers.find(file, at[1])).toBeNull();
  expect(headers.find(file, at[2])).toBeNull();
});

test.each<[string, readonly Message[]]>([
  ["a continuation", [layout(40), [CONTINUATION, 0, [0]]]],
  ["a shared message", [layout(40), [3, 2, [0]]]],
  ["two layouts", [layout(40), layout(50)]],
  ["no layout", [[1, 0, [1, 2, 3]]]],
  ["a layout in chunks", [[LAYOUT, 0, [3, 2, 40, 0, 0, 0, 0, 0, 0, 0]]]],
])("%s is no header to be known again", (_, messages) => {
  const { file, at } = fileOf(header(...messages));
  const headers = new HeaderCache();
  headers.add(file, at[0], content);
  expect(headers.find(file, at[0])).toBeNull();
});
