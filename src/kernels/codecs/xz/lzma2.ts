import { InvalidDataError } from "../../../model/errors.js";
import type { DecodedOutput } from "../bounds/decoded-output.js";
import { type EncodedInput, runSteps, type Steps } from "../bounds/steps.js";
import { LzmaDecoder, type LzmaProperties, parseLzmaProperties } from "./lzma-decoder.js";

/** Maximum size of a chunk in bytes: its header, and 2^16 of data. */
const MAX_CHUNK = 6 + 2 ** 16;

/** Decodes a complete LZMA2 stream into `out`. */
export function decodeLzma2(bytes: Uint8Array, start: number, out: DecodedOutput): void {
  runSteps(decodeLzma2InSteps({ bytes, at: start }, out));
}

/**
 * Decodes an LZMA2 stream, one chunk per step.
 * @param onChunk receives the decoded bytes of each chunk, valid during the call.
 */
export function* decodeLzma2InSteps(
  input: EncodedInput,
  out: DecodedOutput,
  onChunk: (bytes: Uint8Array) => void = () => undefined,
): Steps {
  let origin = out.length;
  let properties: LzmaProperties | undefined;
  let decoder: LzmaDecoder | undefined;
  for (;;) {
    yield MAX_CHUNK;
    const before = out.length;
    const control = takeByte(input);
    if (control === 0) return;
    if (control < 0x80) {
      // Control bytes 1 and 2 mark uncompressed bytes; 1 also resets the dictionary.
      if (control > 2) throw new InvalidDataError(`LZMA2 control byte ${control}`);
      if (control === 1) origin = out.length;
      out.append(takePart(input, takeWord(input) + 1));
    } else {
      const size = ((control & 0x1f) << 16) + takeWord(input) + 1;
      const encoded = takeWord(input) + 1;
      // The reset bits: 0 resets nothing; 1 the state; 2 also sets new properties; 3 also resets the dictionary.
      const reset = (control >> 5) & 3;
      if (reset === 3) origin = out.length;
      if (reset >= 2) properties = parseLzmaProperties(takeByte(input));
      if (properties === undefined) throw new InvalidDataError("LZMA2: a chunk without properties");
      if (reset >= 1) decoder = new LzmaDecoder(out, properties);
      if (decoder === undefined) throw new InvalidDataError("LZMA2: a chunk without state");
      decoder.decode(takePart(input, encoded), size, origin);
    }
    onChunk(out.last(out.length - before));
  }
}

function takePart(input: EncodedInput, size: number): Uint8Array {
  const { bytes, at } = input;
  if (at + size > bytes.length) {
    throw new InvalidDataError(`LZMA2: a chunk of ${size} bytes, ${bytes.length - at} are there`);
  }
  input.at += size;
  return bytes.subarray(at, at + size);
}

function takeByte(input: EncodedInput): number {
  if (input.at >= input.bytes.length) throw new InvalidDataError("truncated LZMA2 stream");
  return input.bytes[input.at++];
}

function takeWord(input: EncodedInput): number {
  return takeByte(input) * 256 + takeByte(input);
}
