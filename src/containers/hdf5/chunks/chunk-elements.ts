/** The elements of the indexes that are arrays: address, and for filtered chunks their stored size and filter mask. */

import { InvalidDataError } from "../../../model/errors.js";
import { isUndefinedAt, unsignedAt, viewOf } from "../bytes/unsigned.js";

export interface ElementFormat {
  readonly elementBytes: number;
  readonly addressBytes: number;
  /** Bytes of a chunk without filters. */
  readonly chunkBytes: number;
  /** Whether chunks have sizes of their own. */
  readonly filtered: boolean;
}

/** Elements side by side; a chunk that was never written has the address -1. */
export interface ChunkElements {
  readonly addresses: Float64Array;
  /** Null where all chunks have the size of their values, and no mask. */
  readonly sizes: Float64Array | null;
  readonly masks: Uint32Array | null;
}

const MASK_BYTES = 4;

/**
 * @param client what the array's header says: 0 for plain chunks, 1 for filtered ones.
 * @throws {InvalidDataError} where elements of that size cannot be.
 */
export function elementFormat(
  client: number,
  elementBytes: number,
  addressBytes: number,
  chunkBytes: number,
): ElementFormat {
  if (client > 1) throw new InvalidDataError(`chunk index has elements of kind ${client}; 0 and 1 exist`);
  const sizeBytes = elementBytes - addressBytes - MASK_BYTES;
  if (client === 0 ? elementBytes !== addressBytes : sizeBytes < 1 || sizeBytes > 8) {
    throw new InvalidDataError(
      `chunk index has elements of ${elementBytes} bytes for addresses of ${addressBytes} bytes`,
    );
  }
  return { elementBytes, addressBytes, chunkBytes, filtered: client === 1 };
}

/** `count` elements from position `at` on, which lie within `bytes`. @throws {InvalidDataError} beyond 2^53. */
export function parseElements(bytes: Uint8Array, at: number, count: number, format: ElementFormat): ChunkElements {
  const { elementBytes, addressBytes, filtered } = format;
  const sizeBytes = elementBytes - addressBytes - MASK_BYTES;
  const addresses = new Float64Array(count);
  const sizes = filtered ? new Float64Array(count) : null;
  const masks = filtered ? new Uint32Array(count) : null;
  const view = viewOf(bytes);
  for (let i = 0, position = at; i < count; i++, position += elementBytes) {
    addresses[i] = isUndefinedAt(view, position, addressBytes) ? -1 : unsignedAt(view, position, addressBytes);
    if (sizes === null || masks === null) continue;
    sizes[i] = unsignedAt(view, position + addressBytes, sizeBytes);
    masks[i] = unsignedAt(view, position + addressBytes + sizeBytes, MASK_BYTES);
  }
  return { addresses, sizes, masks };
}
