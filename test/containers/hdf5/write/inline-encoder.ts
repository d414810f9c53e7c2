import { deflateSync } from "node:zlib";
import type { ChunkEncoder, EncodingStep } from "../../../../src/containers/tree/container-writer.js";

export interface InlineEncoder extends ChunkEncoder {
  /** How many chunks were encoded. */
  readonly count: number;
  /** How many chunks were under way at once. */
  readonly most: number;
}

/** Encodes with node:zlib; chunks take their time, so that they end out of order where `scrambled` is set. */
export function inlineEncoder({ window = 4, scrambled = false } = {}): InlineEncoder {
  let count = 0;
  let underWay = 0;
  let most = 0;
  return {
    window,
    get count() {
      return count;
    },
    get most() {
      return most;
    },
    // As it might have been left.
    memory: (bytes) => new Uint8Array(bytes).fill(0xa5),
    async encode(chunk, encoding) {
      underWay++;
      most = Math.max(most, underWay);
      const delay = scrambled ? [7, 1, 4, 0, 5][count++ % 5] : count++ & 0;
      const encoded = encoding.reduce(step, chunk);
      await new Promise((resolve) => setTimeout(resolve, delay));
      underWay--;
      return encoded;
    },
    close: () => undefined,
  };
}

function step(bytes: Uint8Array, { kind, ...options }: EncodingStep): Uint8Array {
  if (kind === "shuffle" && "elementBytes" in options) return shuffled(bytes, options.elementBytes);
  if (kind === "deflate" && "level" in options) return deflateSync(bytes, { level: Number(options.level) });
  if (kind === "fletcher32") return checked(bytes);
  throw new Error(`no ${kind} here`);
}

function shuffled(bytes: Uint8Array, width: number): Uint8Array {
  const count = bytes.length / width;
  return Uint8Array.from(bytes, (_, i) => bytes[(i % count) * width + Math.floor(i / count)]);
}

/** From the specification: sums modulo 65535 of big-endian words. */
function checked(bytes: Uint8Array): Uint8Array {
  let [low, high] = [0, 0];
  for (let i = 0; i < bytes.length; i += 2) {
    low = (low + bytes[i] * 256 + (bytes[i + 1] ?? 0)) % 65535;
    high = (high + low) % 65535;
  }
  const all = new Uint8Array(bytes.length + 4);
  all.set(bytes);
  // Modulo 65535 has two zeros: HDF5's is 65535 unless all words are 0.
  const some = bytes.some((byte) => byte !== 0);
  const half = (sum: number) => (sum === 0 && some ? 65535 : sum);
  new DataView(all.buffer).setUint32(bytes.length, half(high) * 65536 + half(low), true);
  return all;
}
