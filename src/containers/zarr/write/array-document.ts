import type { ChunkCompression } from "./compression.js";
import { type JsonValue, jsonText } from "./json-text.js";
import type { ZarrType } from "./zarr-type.js";

export interface ArrayLayout {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** The shape of shards; null where chunks are stored by themselves. */
  readonly shards: readonly number[] | null;
}

/** `.zarray`. */
export function arrayDocumentV2(
  type: ZarrType,
  { shape, chunks }: ArrayLayout,
  { compressor }: ChunkCompression,
): string {
  return jsonText({
    zarr_format: 2,
    shape,
    chunks,
    dtype: type.name,
    fill_value: type.fill,
    order: "C",
    filters: type.maker === "bytes" ? null : [{ id: type.maker }],
    dimension_separator: ".",
    compressor,
  });
}

const LITTLE_ENDIAN = { name: "bytes", configuration: { endian: "little" } };

/** `zarr.json` of an array. */
export function arrayDocumentV3(
  type: ZarrType,
  { shape, chunks, shards }: ArrayLayout,
  compression: ChunkCompression,
  attributes: JsonValue,
): string {
  const codecs = [maker(type), ...compression.codecs];
  return jsonText({
    shape,
    data_type: type.name,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shards ?? chunks } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: type.fill,
    codecs: shards === null ? codecs : [sharding(chunks, codecs)],
    attributes,
    zarr_format: 3,
    node_type: "array",
    storage_transformers: [],
  });
}

function maker(type: ZarrType): JsonValue {
  if (type.maker !== "bytes") return { name: type.maker, configuration: {} };
  return type.multiByte ? LITTLE_ENDIAN : { name: "bytes" };
}

function sharding(chunks: readonly number[], codecs: readonly JsonValue[]): JsonValue {
  return {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: chunks,
      codecs,
      index_codecs: [LITTLE_ENDIAN, { name: "crc32c" }],
      index_location: "end",
    },
  };
}
