/** Repairs pages written by buggy old versions of writers. */

import { isAnnarrowError } from "../../model/errors.js";
import { ThriftStruct } from "../thrift.js";

export interface WriterFaults {
  /** Version 2 pages are compressed although their header states otherwise. Arrow C++ before 3.0 writes them. */
  readonly compressedUnsaid: boolean;
  /**
   * The chunk's size does not include the dictionary page's header. parquet-mr before 1.2.9 writes such chunks
   * (PARQUET-816).
   */
  readonly shortChunks: boolean;
}

/**
 * Returns the known faults of the program that wrote a file.
 * @param createdBy the footer's text, such as `parquet-mr version 1.2.8 (build …)`. A writer without a version counts
 * as older than any writer with one.
 */
export function detectWriterFaults(createdBy: string): WriterFaults {
  const [, application = "", ...numbers] = /^\s*(\S+)(?:\s+version\s+(\d+)\.(\d+)\.(\d+))?/.exec(createdBy) ?? [];
  const version = numbers.map((number) => Number(number ?? 0));
  return {
    // parquet-cpp's own versions end with 1.5.1. Arrow C++ also called itself parquet-cpp 1.5.1 until it got its own
    // name and version.
    compressedUnsaid: application === "parquet-cpp" && isBefore(version, [2, 0, 0]),
    shortChunks: application === "parquet-mr" && isBefore(version, [1, 2, 9]),
  };
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((number, i) => number !== version[i]);
  return at >= 0 && version[at] < other[at];
}

/** Maximum number of bytes by which a chunk's size may be too small. */
export const MISSING_BYTES = 100;

const DATA_PAGE = 0;
const DATA_PAGE_V2 = 3;

/**
 * Repairs the pages of a chunk. Bytes that do not form a page are left to the engine, which rejects them.
 * @param bytes the chunk, possibly followed by other bytes.
 * @param metadata the chunk's `ColumnMetaData`.
 */
export function repairChunk(bytes: Uint8Array, metadata: ThriftStruct, faults: WriterFaults): Uint8Array {
  try {
    return mended(bytes, metadata.size(5), faults);
  } catch (error) {
    if (isAnnarrowError(error)) return bytes;
    throw error;
  }
}

function mended(given: Uint8Array, values: number, { compressedUnsaid }: WriterFaults): Uint8Array {
  // The bytes may be the source's own memory, so this changes a copy.
  const bytes = compressedUnsaid ? given.slice() : given;
  let at = 0;
  for (let left = values; left > 0 && at < bytes.length; ) {
    const header = new ThriftStruct(bytes, at);
    const type = header.size(1);
    const page = header.struct(type === DATA_PAGE_V2 ? 8 : 5);
    if (type === DATA_PAGE || type === DATA_PAGE_V2) left -= page?.size(1) ?? 0;
    if (compressedUnsaid && type === DATA_PAGE_V2) page?.setTrue(7);
    at = header.end + header.size(3);
  }
  return bytes.subarray(0, at);
}
