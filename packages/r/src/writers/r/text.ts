/** Text as R's character vectors. */

import type { Column } from "annarrow/core/arrow";
import { isBitSet } from "annarrow/core/kernels";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnSink } from "annarrow/core/writers";
import { ASCII_LEVEL, LEVELS_SHIFT, SEXP, UTF8_LEVEL } from "../../containers/rds/model/sexp-type.js";
import type { RValue } from "../../containers/rds/model/value.js";
import type { RWriterContext } from "./context.js";
import { ElementSink } from "./vector.js";

const ASCII = SEXP.chars | (ASCII_LEVEL << LEVELS_SHIFT);
const UTF8 = SEXP.chars | (UTF8_LEVEL << LEVELS_SHIFT);

/** Number of bytes that flags and length take before each string. */
const HEAD = 8;

export function createTextSink(cx: RWriterContext): ColumnSink<RValue> {
  const elements = (column: Column) => {
    if (column.layout !== "variable") throw new TypeError("text expected");
    return encodeStringItems(column);
  };
  return new ElementSink(cx, { kind: "character", wordBytes: 1, elements });
}

/**
 * Encodes strings in the form of R's serialisation: flags, length and bytes for each string.
 * @throws {UnsupportedElementError} for a string with a NUL.
 */
export function encodeStringItems({
  offsets,
  bytes,
  length,
  validity,
}: Extract<Column, { layout: "variable" }>): Uint8Array {
  const out = new Uint8Array(HEAD * length + offsets[length] - offsets[0]);
  const view = new DataView(out.buffer);
  let at = 0;
  for (let i = 0; i < length; i++) {
    if (validity !== null && !isBitSet(validity.bitmap, i)) {
      view.setInt32(at, SEXP.chars);
      view.setInt32(at + 4, -1);
      at += HEAD;
      continue;
    }
    const [start, end] = [offsets[i], offsets[i + 1]];
    let bits = 0;
    for (let from = start, to = at + HEAD; from < end; from++, to++) {
      const byte = bytes[from];
      if (byte === 0) throw new UnsupportedElementError(`row ${i} of a batch is text with a NUL, which R cannot hold`);
      bits |= byte;
      out[to] = byte;
    }
    view.setInt32(at, bits < 0x80 ? ASCII : UTF8);
    view.setInt32(at + 4, end - start);
    at += HEAD + end - start;
  }
  return out.subarray(0, at);
}
