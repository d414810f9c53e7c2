/**
 * Reads a seekable file, which is either a whole source or the value of a key. Reads the file's end or ranges in it,
 * and merges neighbouring ranges.
 */

import { InvalidDataError } from "../../model/errors.js";
import type { ByteSource, KeyValueSource, ReadOptions } from "./source.js";

export interface FileRange {
  readonly start: number;
  readonly end: number;
}

export interface SeekableFile {
  /** Name in errors. */
  readonly name: string;
  /** Reads the last `count` bytes, or the whole file if it is shorter. */
  tail(count: number, options?: ReadOptions): Promise<Uint8Array>;
  /**
   * Returns exactly the bytes in `ranges`, possibly as views of the source's own memory.
   * @throws {InvalidDataError} if the file is too short.
   */
  read(ranges: readonly FileRange[], options?: ReadOptions): Promise<readonly Uint8Array[]>;
}

export function createSourceFile(source: ByteSource): SeekableFile {
  const { name, size } = source;
  return {
    name,
    tail: (count, options) => source.read(Math.max(0, size - count), size, options),
    async read(ranges, options) {
      for (const range of ranges) check(range, size, name);
      const parts: Uint8Array[] = ranges.map(() => new Uint8Array(0));
      for (const { start, end, members } of mergeRanges(ranges)) {
        const bytes = await source.read(start, end, options);
        for (const i of members) parts[i] = bytes.subarray(ranges[i].start - start, ranges[i].end - start);
      }
      return parts;
    },
  };
}

export function createKeyFile(source: KeyValueSource, key: string): SeekableFile {
  const name = `${source.name.replace(/\/$/, "")}/${key}`;
  const absent = () => new InvalidDataError(`the file ${key} is not there`, { source: source.name });
  return {
    name,
    async tail(count, options) {
      const parts = await source.getRanges(key, [{ suffix: count }], options);
      if (parts === undefined) throw absent();
      return parts[0];
    },
    async read(ranges, options) {
      for (const range of ranges) check(range, Number.MAX_SAFE_INTEGER, name);
      const parts = await source.getRanges(key, ranges, options);
      if (parts === undefined) throw absent();
      parts.forEach((part, i) => {
        const { start, end } = ranges[i];
        if (part.length === end - start) return;
        throw new InvalidDataError(`the file ended at byte ${start + part.length}, expected ${end}`, { source: name });
      });
      return parts;
    },
  };
}

function check({ start, end }: FileRange, size: number, name: string): void {
  if (Number.isSafeInteger(start) && start >= 0 && start <= end && end <= size) return;
  throw new InvalidDataError(`bytes [${start}, ${end}) are asked for, there are ${size}`, { source: name });
}

/** A byte range that is fetched in one read, and the requested ranges in it. */
export interface MergedRange {
  readonly start: number;
  end: number;
  readonly members: number[];
}

/** Maximum gap in bytes between two merged ranges. Reading such a gap costs less than another request. */
const MAX_GAP = 32 * 1024;
/** Maximum size in bytes of merged ranges, so that several requests can run concurrently. */
const MAX_RUN = 8 * 1024 * 1024;

/** Merges neighbouring ranges [start, end). `members` are positions in `ranges`. Empty ranges are omitted. */
export function mergeRanges(ranges: readonly { readonly start: number; readonly end: number }[]): MergedRange[] {
  const order = ranges.map((_, index) => index).filter((index) => ranges[index].end > ranges[index].start);
  order.sort((a, b) => ranges[a].start - ranges[b].start);
  const runs: MergedRange[] = [];
  let run: MergedRange | undefined;
  for (const index of order) {
    const { start, end } = ranges[index];
    if (run !== undefined && start - run.end <= MAX_GAP && Math.max(end, run.end) - run.start <= MAX_RUN) {
      run.end = Math.max(run.end, end);
      run.members.push(index);
    } else {
      run = { start, end, members: [index] };
      runs.push(run);
    }
  }
  return runs;
}
