/**
 * Decodes chunks with zarrita. Only this file depends on zarrita. Codecs that this folder lacks may be in zarrita's
 * registry, to which programs can add their own. Keys, shards, missing chunks and metadata are handled by this folder's
 * own code.
 */

import type * as Zarrita from "zarrita";
import { InvalidDataError, isCancellation, UnsupportedError } from "../../../model/errors.js";
import { allocate, countElements } from "../../../model/stored.js";
import type { ChunkCodec, ChunkSpec, ZarrChunk } from "../codecs/codec.js";
import { isKnownCodec } from "../codecs/registry.js";
import { type DataType, getItemSize } from "../metadata/data-type.js";
import { show } from "../metadata/json-fields.js";
import type { CodecSpec } from "../metadata/metadata.js";
import { computeStrides } from "./box.js";

/**
 * Creates a codec from these specifications, using zarrita. The codec checks the number and type of the decoded items.
 * @throws {UnsupportedError} if zarrita's registry does not have a codec either, or zarrita does not have the type,
 * with the name of either.
 */
export async function createZarritaCodec(specs: readonly CodecSpec[], spec: ChunkSpec): Promise<ChunkCodec> {
  const zarr = await import("zarrita");
  const missing = specs.find(({ name }) => !isKnownCodec(name)) ?? specs[0];
  const codecs = zarritaCodecs(specs, spec.type);
  for (const { name } of codecs) {
    if (zarr.registry.has(name)) continue;
    const stored = name.replace(/^numcodecs\./, "");
    const also = stored === missing.name ? "" : `, which stands beside ${show(missing.name)},`;
    throw new UnsupportedError(
      `codec ${show(stored)}${also} is not known; zarrita's registry takes codecs, this one under ${show(name)}`,
    );
  }
  const type = zarritaType(spec.type);
  if (type === null) {
    throw new UnsupportedError(
      `codec ${show(missing.name)} is zarrita's, which has no values of type ${spec.type.stored.kind}`,
    );
  }
  const encoded = new Map<string, Uint8Array>();
  const array = new zarr.Array({ get: async (key) => encoded.get(key) }, "/", {
    zarr_format: 3,
    node_type: "array",
    shape: [...spec.shape],
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: [...spec.shape] } },
    chunk_key_encoding: { name: "v2", configuration: { separator: "." } },
    codecs,
    // Missing chunks are never passed to zarrita, so no fill value is needed.
    fill_value: null,
    attributes: {},
  });
  let decoded = 0;

  return {
    encodedSize: null,
    async decode(bytes) {
      const position = decoded++;
      const key = `/${position}`;
      // The bytes are copied, because zarrita's codecs read the whole underlying buffer.
      encoded.set(key, bytes.slice());
      try {
        return itemsOf(await array.getChunk([position]), spec);
      } catch (cause) {
        if (isCancellation(cause) || cause instanceof InvalidDataError) throw cause;
        throw new InvalidDataError(`zarrita cannot decode it: ${reasonOf(cause)}`, { cause });
      } finally {
        encoded.delete(key);
      }
    },
  };
}

/**
 * Translates codec names to the names used in zarrita, in which v2 codecs have the prefix `numcodecs.`, and filters
 * precede `bytes`.
 */
function zarritaCodecs(specs: readonly CodecSpec[], { layout }: DataType): Zarrita.CodecMetadata[] {
  const isV2 = specs.some(({ name, configuration }) => name === "bytes" && configuration.endian === "type");
  if (!isV2) return specs.map(({ name, configuration }) => ({ name, configuration: { ...configuration } }));
  const big = layout.kind === "fixed" && layout.big;
  const renamed = specs.flatMap(({ name, configuration }): Zarrita.CodecMetadata[] => {
    if (name === "bytes") return [];
    return [{ name: name === "transpose" ? name : `numcodecs.${name}`, configuration: { ...configuration } }];
  });
  // Filters work on arrays and compressors on bytes, so `bytes` may come last, regardless of the preceding codecs.
  return [...renamed, { name: "bytes", configuration: { endian: big ? "big" : "little" } }];
}

/** Returns zarrita's name for the type; null if zarrita does not have the type. */
function zarritaType({ stored, layout }: DataType): Zarrita.DataType | null {
  if (stored.kind === "bool") return "bool";
  if (stored.kind === "int") {
    const { bits, signed } = stored;
    return signed ? `int${bits}` : `uint${bits}`;
  }
  if (stored.kind === "float") return stored.bits === 16 ? null : `float${stored.bits}`;
  if (stored.kind === "text" && layout.kind === "variable") return "string";
  return null;
}

/** Returns the items of a chunk in C order. */
function itemsOf(
  { data, shape, stride }: Zarrita.Chunk<Zarrita.DataType>,
  { shape: wanted, type }: ChunkSpec,
): ZarrChunk {
  const count = countElements(wanted);
  if (data.length !== count || shape.length !== wanted.length || shape.some((size, axis) => size !== wanted[axis])) {
    throw new InvalidDataError(`a chunk of [${shape}] with ${data.length} items, expected ${count} of [${wanted}]`);
  }
  const order = itemOrder(wanted, stride);
  if (type.layout.kind === "variable") return textItems(data, order);
  const size = getItemSize(type.layout) ?? 0;
  if (Array.isArray(data) || !("buffer" in data) || data.byteLength !== count * size || !isOfType(data, type)) {
    throw new InvalidDataError(`a chunk of other values than ${type.stored.kind} of ${size} bytes`);
  }
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  if (order === null) return { kind: "fixed", bytes };
  const ordered = new Uint8Array(bytes.length);
  for (let i = 0; i < count; i++) ordered.set(bytes.subarray(order[i] * size, (order[i] + 1) * size), i * size);
  return { kind: "fixed", bytes: ordered };
}

function isOfType(data: object, type: DataType): boolean {
  if (type.stored.kind === "bool") return true;
  return Object.prototype.toString.call(data) === Object.prototype.toString.call(allocate(type.stored, 0));
}

/** Returns the positions of the items in C order; null if they are already stored in this order. */
function itemOrder(shape: readonly number[], stride: readonly number[]): Int32Array | null {
  const usual = computeStrides(shape);
  if (shape.every((size, axis) => size === 1 || stride[axis] === usual[axis])) return null;
  const count = countElements(shape);
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    let at = 0;
    for (let axis = 0; axis < shape.length; axis++) at += (Math.floor(i / usual[axis]) % shape[axis]) * stride[axis];
    if (!(at >= 0 && at < count)) throw new InvalidDataError(`item ${i} of a chunk of ${count} lies at ${at}`);
    order[i] = at;
  }
  return order;
}

function textItems(data: ArrayLike<unknown> | object, order: Int32Array | null): ZarrChunk {
  if (!Array.isArray(data)) throw new InvalidDataError("a chunk of other values than text");
  const encoder = new TextEncoder();
  const items = data.map((_, i): Uint8Array => {
    const text: unknown = data[order === null ? i : order[i]];
    if (typeof text !== "string") throw new InvalidDataError(`item ${i} is ${typeof text}, expected text`);
    return encoder.encode(text);
  });
  const total = items.reduce((sum, { length }) => sum + length, 0);
  if (total > 2 ** 31 - 1) throw new InvalidDataError(`${total} bytes of text in one chunk, at most ${2 ** 31 - 1}`);
  const offsets = new Int32Array(items.length + 1);
  const bytes = new Uint8Array(total);
  items.forEach((item, i) => {
    bytes.set(item, offsets[i]);
    offsets[i + 1] = offsets[i] + item.length;
  });
  return { kind: "variable", offsets, bytes };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
