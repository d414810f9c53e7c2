/** One change to bytes: some become others, or fall out, or come in. */

/** Bytes [start, end). */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Mutation {
  readonly bytes: Uint8Array;
  /** What was changed, in the old bytes. */
  readonly changed: readonly Stretch[];
  /** Whether all other bytes lie where they were. */
  readonly inPlace: boolean;
  /** Whether whole structures stand elsewhere now, with checksums that are right. */
  readonly wholeStructures?: boolean;
  readonly description: string;
}

export function overwrite(bytes: Uint8Array, at: number, values: ArrayLike<number>): Mutation {
  const end = Math.min(bytes.length, at + values.length);
  const copy = bytes.slice();
  for (let i = at; i < end; i++) copy[i] = values[i - at];
  const description = `${end - at} bytes at ${at} become ${[...copy.subarray(at, Math.min(end, at + 16))]}`;
  return { bytes: copy, changed: [{ start: at, end }], inPlace: true, description };
}

export function splice(bytes: Uint8Array, at: number, removed: number, inserted: ArrayLike<number>): Mutation {
  const copy = new Uint8Array(bytes.length - removed + inserted.length);
  copy.set(bytes.subarray(0, at));
  copy.set(inserted, at);
  copy.set(bytes.subarray(at + removed), at + inserted.length);
  const description = `${removed} bytes at ${at} are removed, ${inserted.length} inserted`;
  return { bytes: copy, changed: [{ start: at, end: bytes.length }], inPlace: false, description };
}
