/** Undoes the filters that a chunk went through, by the table of all codecs. */

import type { ByteCodec } from "../../../kernels/codecs/bounds/codec.js";
import { MAX_CHUNK_BYTES, type OutputSize } from "../../../kernels/codecs/bounds/output-size.js";
import { CODECS } from "../../../kernels/codecs/codecs.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { Filter } from "./filter-pipeline.js";

/** Whether `decodeChunk` knows all of them. */
export function areDecodable(filters: readonly Filter[]): boolean {
  return filters.every(({ id }) => CODECS.has(id));
}

/**
 * The chunk's own bytes.
 * @param mask bit k: filter k was skipped when the chunk was written.
 * @param size bytes that the chunk must have.
 * @param target of so many bytes, where they may go: they lie there, or in what is returned.
 * @throws {InvalidDataError} where a checksum is wrong, or the chunk gives another number of bytes.
 * @throws {UnsupportedError} for a filter that `areDecodable` does not know.
 */
export async function decodeChunk(
  stored: Uint8Array,
  filters: readonly Filter[],
  mask: number,
  size: number,
  elementSize: number,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const steps: { readonly codec: ByteCodec; readonly size: OutputSize }[] = [];
  let before: OutputSize = { bytes: size, exact: true };
  filters.forEach(({ id, values }, k) => {
    if ((mask >>> k) & 1) return;
    const make = CODECS.get(id);
    if (make === undefined) throw new UnsupportedError(`HDF5 filter ${id}`);
    const codec = make({ values, options: {}, itemBytes: elementSize });
    steps.push({ codec, size: before });
    const { bytes, exact } = before;
    // What a compressor made of it is hardly larger: none doubles what it cannot shrink.
    const most = Math.min(MAX_CHUNK_BYTES, 2 * bytes + 2 ** 16);
    const encoded = codec.encodedSize(bytes);
    before = encoded === null ? { bytes: most, exact: false } : { bytes: encoded, exact };
  });
  let bytes = stored;
  for (let k = steps.length - 1; k >= 0; k--) {
    const { codec, size: expected } = steps[k];
    const result = codec.decode(bytes, expected, k === 0 ? target : undefined);
    bytes = result instanceof Promise ? await result : result;
  }
  if (bytes.length !== size) throw new InvalidDataError(`chunk gives ${bytes.length} bytes instead of ${size}`);
  return bytes;
}
