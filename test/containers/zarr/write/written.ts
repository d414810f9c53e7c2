/** Stores written to memory, for tests: their keys, documents and values. */

import type { Container } from "../../../../src/containers/tree/container.js";
import type {
  ArrayDescription,
  ChunkEncoder,
  ChunkEncoding,
  ContainerWriter,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "../../../../src/containers/tree/container-writer.js";
import { openZarr } from "../../../../src/containers/zarr/open.js";
import { createZarr, type ZarrWriterOptions } from "../../../../src/containers/zarr/write/container.js";
import { mapSource } from "../../../../src/io/sources/map.js";
import { mapTarget } from "../../../../src/io/targets/memory.js";
import type { KeyValueTarget } from "../../../../src/io/targets/target.js";
import { encodeChunk } from "../../../../src/kernels/codecs/encode-chunk.js";
import type { NumberArray, StoredType, StoredValues } from "../../../../src/model/stored.js";
import { TEXT, textOf, typeOf } from "../../../stored-array.js";

/** Encodes on the spot, in memory that is never clean. */
export function inlineEncoder(window = 4): ChunkEncoder {
  return {
    window,
    memory: (bytes) => new Uint8Array(bytes).fill(0xa5),
    encode: (chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding) => encodeChunk(chunk, encoding),
    close: () => undefined,
  };
}

export type Options = Partial<ZarrWriterOptions> & { readonly target?: KeyValueTarget };

export interface Written {
  readonly keys: ReadonlyMap<string, Uint8Array>;
  /** The document under a key; undefined where there is none. */
  document(key: string): unknown;
  text(key: string): string;
  open(): Promise<Container>;
}

/** Writes a store. Version 2 without compression is the default. */
export async function written(options: Options, fill: (container: ContainerWriter) => Promise<void>): Promise<Written> {
  const keys = new Map<string, Uint8Array>();
  const target = options.target ?? mapTarget(keys);
  const container = createZarr(target, {
    version: 2,
    encoder: inlineEncoder(),
    compression: { kind: "none" },
    ...options,
  });
  await fill(container);
  await container.close();
  await target.commit();
  const text = (key: string) => new TextDecoder().decode(keys.get(key));
  return {
    keys,
    text,
    document: (key) => (keys.has(key) ? JSON.parse(text(key)) : undefined),
    open: () => openZarr(mapSource(keys, "written")),
  };
}

/** A whole array at once. */
export async function put(
  group: GroupWriter,
  name: string,
  description: ArrayDescription,
  values: StoredValues,
  rows = description.shape?.[0] ?? 1,
): Promise<void> {
  const array = await group.array(name, description);
  await array.write(values, rows);
  await array.close();
}

/** A one-dimensional array of numbers. */
export function putNumbers(
  group: GroupWriter,
  name: string,
  values: NumberArray,
  more: Partial<ArrayDescription> = {},
) {
  return put(group, name, { type: typeOf(values), shape: [values.length], ...more }, { kind: "fixed", values });
}

export function putTexts(
  group: GroupWriter,
  name: string,
  values: readonly string[],
  more: Partial<ArrayDescription> = {},
) {
  return put(group, name, { type: TEXT, shape: [values.length], ...more }, textOf(values), values.length);
}

/** An attribute of a scalar or list. */
export function attribute(type: StoredType, values: StoredValues, shape: readonly number[] = []): WrittenAttribute {
  return { type, shape, values };
}

export function texts(members: Readonly<Record<string, string>>): WrittenAttributes {
  return new Map(Object.entries(members).map(([name, value]) => [name, attribute(TEXT, textOf([value]))]));
}
