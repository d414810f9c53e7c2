/** The filters applied to a chunk. Source: HDF5 File Format Specification, IV.A.2.l. */

import { type ByteCodec, MAX_CHUNK_BYTES, type OutputSize } from "../../../kernels/codecs/bounds/byte-codec.js";
import { CODECS, isBuiltInCodec } from "../../../kernels/codecs/codecs.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";

export interface Filter {
  readonly id: number;
  readonly values: readonly number[];
}

const MAX_FILTERS = 32;

/** Names of HDF5's own filters and of registered filters (registry of filter plugins, The HDF Group), for errors. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, "deflate"],
  [2, "shuffle"],
  [3, "fletcher32"],
  [4, "szip"],
  [5, "nbit"],
  [6, "scaleoffset"],
  [305, "lzo"],
  [307, "bzip2"],
  [32000, "lzf"],
  [32001, "blosc"],
  [32002, "mafisc"],
  [32003, "snappy"],
  [32004, "lz4"],
  [32007, "apax"],
  [32008, "bitshuffle"],
  [32013, "zfp"],
  [32015, "zstd"],
  [32016, "b3d"],
  [32017, "sz"],
  [32018, "fcidecomp"],
  [32019, "jpeg"],
  [32022, "granular bitround"],
  [32023, "sz3"],
  [32026, "blosc2"],
]);

/** Returns the name of a filter; undefined for an unregistered filter. */
export function findFilterName(id: number): string | undefined {
  return NAMES.get(id);
}

/** Returns, for example, "32000 (lzf)", or only the number. */
export function filterName(id: number): string {
  const name = NAMES.get(id);
  return name === undefined ? String(id) : `${id} (${name})`;
}

/**
 * Parses the filters in the order in which they were applied.
 * @throws {InvalidDataError} if the message is truncated.
 */
export function parseFilterPipeline(body: Uint8Array): Filter[] {
  const cursor = new Cursor(body, "filter pipeline");
  const version = cursor.u8();
  const count = cursor.u8();
  if (version < 1 || version > 2) throw new InvalidDataError(`filter pipeline has version ${version}; 1 and 2 exist`);
  if (count > MAX_FILTERS) throw new InvalidDataError(`${count} filters; at most ${MAX_FILTERS} are legal`);
  if (version === 1) cursor.skip(6);
  const filters: Filter[] = [];
  for (let i = 0; i < count; i++) {
    const id = cursor.u16();
    const nameLength = version === 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const valueCount = cursor.u16();
    cursor.skip(nameLength);
    const values: number[] = [];
    for (let k = 0; k < valueCount; k++) values.push(cursor.u32());
    if (version === 1 && valueCount % 2 === 1) cursor.skip(4);
    filters.push({ id, values });
  }
  return filters;
}

/** True if `decodeChunk` supports all of the filters. */
export function areDecodable(filters: readonly Filter[]): boolean {
  return filters.every(({ id }) => CODECS.has(id));
}

/** True if `decodeChunk` supports all of the filters in a worker, where no registered codecs are available. */
export function areDecodableInWorkers(filters: readonly Filter[]): boolean {
  return filters.every(({ id }) => isBuiltInCodec(id));
}

/** @throws {UnsupportedError} naming the filters that `decodeChunk` does not support. */
export function checkDecodable(filters: readonly Filter[]): void {
  const missing = filters.filter(({ id }) => !CODECS.has(id));
  if (missing.length === 0) return;
  throw new UnsupportedError(`HDF5 filter ${missing.map(({ id }) => filterName(id)).join(", ")}`);
}

/**
 * Undoes the filters of a chunk.
 * @param mask bit k is set if filter k was skipped when the chunk was written.
 * @param size the number of bytes that the chunk must have.
 * @param target memory of `size` bytes that may be used for the result; if it is, the returned array lies in it.
 * @throws {InvalidDataError} if a checksum is wrong, or the chunk decodes to a different number of bytes.
 * @throws {UnsupportedError} for a filter that `areDecodable` does not accept.
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
  for (const [k, { id, values }] of filters.entries()) {
    if ((mask >>> k) & 1) continue;
    const loaded = CODECS.get(id)?.();
    if (loaded === undefined) throw new UnsupportedError(`HDF5 filter ${id}`);
    const make = loaded instanceof Promise ? await loaded : loaded;
    const codec = make({ values, options: {}, itemBytes: elementSize });
    steps.push({ codec, size: before });
    const { bytes, exact } = before;
    // A compressor's output is bounded too, because no compressor doubles the size of bytes that it cannot shrink.
    const most = Math.min(MAX_CHUNK_BYTES, 2 * bytes + 2 ** 16);
    const encoded = codec.encodedSize(bytes);
    before = encoded === null ? { bytes: most, exact: false } : { bytes: encoded, exact };
  }
  let bytes = stored;
  for (let k = steps.length - 1; k >= 0; k--) {
    const { codec, size: expected } = steps[k];
    const result = codec.decode(bytes, expected, k === 0 ? target : undefined);
    bytes = result instanceof Promise ? await result : result;
  }
  if (bytes.length !== size) throw new InvalidDataError(`chunk gives ${bytes.length} bytes instead of ${size}`);
  return bytes;
}
