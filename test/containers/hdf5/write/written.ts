/** Short forms for what tests write. */

import { openHdf5 } from "../../../../src/containers/hdf5/container.js";
import { createHdf5, type Hdf5Options, type Hdf5Writer } from "../../../../src/containers/hdf5/write/container.js";
import type { Container } from "../../../../src/containers/tree/container.js";
import type { WrittenAttribute } from "../../../../src/containers/tree/container-writer.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import { createBytesTarget } from "../../../../src/io/targets/memory.js";
import type { FixedValues, IntType, NumberArray, StoredType, VariableValues } from "../../../../src/model/stored.js";
import { inlineEncoder } from "./inline-encoder.js";

export const int = (bits: IntType["bits"], signed = true): IntType => ({ kind: "int", bits, signed });
export const INT32 = int(32);
export const FLOAT64: StoredType = { kind: "float", bits: 64 };
export const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

export const fixed = (values: NumberArray): FixedValues => ({ kind: "fixed", values });
export const int32 = (...values: number[]): FixedValues => fixed(Int32Array.from(values));
export const float64 = (...values: number[]): FixedValues => fixed(Float64Array.from(values));

export function text(...values: string[]): VariableValues {
  const encoded = values.map((value) => new TextEncoder().encode(value));
  const offsets = new Int32Array(values.length + 1);
  encoded.forEach((bytes, i) => {
    offsets[i + 1] = offsets[i] + bytes.length;
  });
  const bytes = new Uint8Array(offsets[values.length]);
  encoded.forEach((one, i) => {
    bytes.set(one, offsets[i]);
  });
  return { kind: "variable", offsets, bytes };
}

export const scalar = (type: StoredType, values: WrittenAttribute["values"]): WrittenAttribute => ({
  type,
  shape: [],
  values,
});

export const NO_COMPRESSION = { kind: "none" } as const;
export const GZIP = { kind: "gzip", level: 4 } as const;

/** The file that `write` makes; `commit` is left to this. */
export async function written(
  write: (file: Hdf5Writer) => Promise<void>,
  options: Partial<Hdf5Options> = {},
): Promise<Uint8Array> {
  const target = createBytesTarget("new.h5");
  const file = createHdf5(target, { encoder: inlineEncoder(), compression: NO_COMPRESSION, ...options });
  await write(file);
  await file.close();
  await target.commit();
  return target.bytes();
}

/** The same, opened by our own reader. */
export async function reopened(
  write: (file: Hdf5Writer) => Promise<void>,
  options: Partial<Hdf5Options> = {},
): Promise<Container> {
  return openHdf5(createBytesSource(await written(write, options)));
}
