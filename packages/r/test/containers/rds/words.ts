/** Files of R, written word by word. */

/** A file of version 2: what is in words, behind the header. Text stands for its bytes. */
export function file(...words: (number | string)[]): Uint8Array {
  const parts = words.map((word) => (typeof word === "string" ? [...new TextEncoder().encode(word)] : bytesOf(word)));
  return Uint8Array.from([0x58, 0x0a, ...[2, 0x040202, 0x020300].flatMap(bytesOf), ...parts.flat()]);
}

function bytesOf(word: number): number[] {
  return [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff];
}

export const NULL = 254;
export const HAS_ATTRIBUTES = 0x200;
export const TAGGED_CELL = 0x402;

export const symbol = (name: string) => [1, 0x00040009, name.length, name];

/** A character vector, without the word of its type. */
export const strings = (...all: string[]) => [all.length, ...all.flatMap((one) => [9, one.length, one])];
