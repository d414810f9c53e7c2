/** The table encoders by format name. To add an encoder, add a line here. */

import type { Encoder } from "../arrow/encoder.js";

export const ENCODERS = {
  arrow: async () => (await import("../ipc/write/encoder.js")).arrow,
  arrows: async () => (await import("../ipc/write/encoder.js")).arrows,
  parquet: async () => (await import("../parquet/write/encoder.js")).parquet,
} as const satisfies Readonly<Record<string, () => Promise<Encoder>>>;

export type EncoderName = keyof typeof ENCODERS;

export function isEncoderName(name: string): name is EncoderName {
  return Object.hasOwn(ENCODERS, name);
}
