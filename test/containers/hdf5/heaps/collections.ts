/** Collections written by hand, as section III.E of the format's specification describes them. */

import type { FieldSizes } from "../../../../src/containers/hdf5/bytes/cursor.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import type { VariableStringDatatype } from "../../../../src/containers/hdf5/types/datatype.js";
import type { VariableValues } from "../../../../src/model/stored.js";
import { bytesSource } from "../fixture.js";

export const SIZES: FieldSizes = { offsets: 8, lengths: 8 };

/** Little-endian. */
export function uint(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 2 ** (8 * i)) % 256);
}

export const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
export const padded = (bytes: readonly number[]) => [...bytes, ...new Array(-bytes.length & 7).fill(0)];

export interface Entry {
  readonly index: number;
  readonly bytes: readonly number[];
  /** What its header says, if that is not how many bytes it has. */
  readonly size?: number;
}

/** A collection of `room` bytes, the rest of which is free. */
export function collection(entries: readonly Entry[], room = 4096, { lengths }: FieldSizes = SIZES): number[] {
  const header = padded([...ascii("GCOL"), 1, 0, 0, 0, ...uint(room, lengths)]);
  const objects = entries.flatMap(({ index, bytes, size = bytes.length }) => [
    ...padded([...uint(index, 2), 1, 0, 0, 0, 0, 0, ...uint(size, lengths)]),
    ...padded(bytes),
  ]);
  const used = header.length + objects.length;
  const free = room - used < 16 ? [] : [...uint(0, 8), ...uint(room - used, lengths)];
  const all = [...header, ...objects, ...free];
  return [...all, ...new Array(Math.max(0, room - all.length)).fill(0)];
}

export type Reference = readonly [length: number, address: number, index: number];

export function references(list: readonly Reference[], { offsets }: FieldSizes = SIZES): Uint8Array {
  return Uint8Array.from(
    list.flatMap(([length, address, index]) => [...uint(length, 4), ...uint(address, offsets), ...uint(index, 4)]),
  );
}

export const textType = ({ offsets }: FieldSizes = SIZES): VariableStringDatatype => ({
  class: "variable-string",
  size: 8 + offsets,
  encoding: "utf-8",
  bigEndian: false,
});

/** A file that begins with 64 bytes of something else. */
export function file(collections: readonly (readonly number[])[], sizes: FieldSizes = SIZES): Hdf5File {
  return new Hdf5File(bytesSource(Uint8Array.from([...new Array(64).fill(0xff), ...collections.flat()])), 0, sizes);
}

export function strings({ offsets, bytes }: VariableValues): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])),
  );
}

export const entries = (...texts: readonly string[]): Entry[] =>
  texts.map((text, i) => ({ index: i + 1, bytes: [...new TextEncoder().encode(text)] }));
