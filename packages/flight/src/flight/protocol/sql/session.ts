/** Options of a session: bodies and results of `SetSessionOptions`, `GetSessionOptions` and `CloseSession`. */

import { NO_BYTES } from "../descriptor.js";
import { parseProtoFields } from "../proto-reader.js";
import { ProtoWriter } from "../proto-writer.js";

/** The index of each entry is its number in `SetSessionOptionsResult.ErrorValue`. */
const OPTION_ERRORS = ["unspecified", "invalid-name", "invalid-value", "error"] as const;
export type OptionError = (typeof OPTION_ERRORS)[number];

const CLOSED = 1;

/** Reads the options in a request. The value is null if it is not text or if it removes the option. */
export function readSessionOptions(bytes: Uint8Array): ReadonlyMap<string, string | null> {
  const options = new Map<string, string | null>();
  for (const field of parseProtoFields(bytes, "SetSessionOptionsRequest")) {
    if (field.number !== 1) continue;
    let name = "";
    let value: Uint8Array = NO_BYTES;
    for (const part of parseProtoFields(field.bytes(), "SessionOptionsEntry")) {
      if (part.number === 1) name = part.string();
      else if (part.number === 2) value = part.bytes();
    }
    let text: string | null = null;
    for (const part of parseProtoFields(value, "SessionOptionValue")) text = part.number === 1 ? part.string() : null;
    options.set(name, text);
  }
  return options;
}

export function writeSessionOptions(options: ReadonlyMap<string, string>): ProtoWriter {
  const out = new ProtoWriter();
  for (const [name, value] of options) {
    // An empty text is written too, because an option without any field would be read as absent.
    const text = new ProtoWriter().pieces(1, [new TextEncoder().encode(value)]);
    out.message(1, new ProtoWriter().string(1, name).message(2, text));
  }
  return out;
}

/** Writes the result of `SetSessionOptions`, which lists the options that were not set. */
export function writeSessionErrors(errors: ReadonlyMap<string, OptionError>): ProtoWriter {
  const out = new ProtoWriter();
  for (const [name, error] of errors) {
    const value = new ProtoWriter().int64(1, BigInt(OPTION_ERRORS.indexOf(error)));
    out.message(1, new ProtoWriter().string(1, name).message(2, value));
  }
  return out;
}

/** The result of `CloseSession`. */
export function writeSessionClosed(): ProtoWriter {
  return new ProtoWriter().int64(1, BigInt(CLOSED));
}
