import { copyBytes } from "../../../kernels/text/copy-text.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { type Json, parseJson } from "../metadata/json.js";
import { checkJsonIntegers, checkJsonList, checkJsonText, isList, show } from "../metadata/json-fields.js";
import type { CodecModule, ZarrChunk } from "./codec.js";
import { parseNumberFormat, readNumbers } from "./number-filters.js";

/**
 * `vlen-utf8` and `vlen-bytes`: the number of items (u32, little-endian), then each item's length (u32) and bytes.
 */
export const vlen: CodecModule = { kind: "objects", make: () => ({ decode: decodeVlen }) };

function decodeVlen(bytes: Uint8Array, count: number): ZarrChunk {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = bytes.length < 4 ? 0 : view.getUint32(0, true);
  if (bytes.length < 4 || found !== count) throw new InvalidDataError(`${found} items, expected ${count}`);
  const room = bytes.length - 4 - 4 * count;
  if (room < 0) throw new InvalidDataError(`${count} items cannot lie in ${bytes.length} bytes`);
  const offsets = new Int32Array(count + 1);
  const out = new Uint8Array(room);
  const target = new DataView(out.buffer);
  let at = 4;
  let to = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw new InvalidDataError(`item ${i} begins at byte ${at} of ${bytes.length}`);
    const length = view.getUint32(at, true);
    at += 4;
    const end = at + length;
    if (end > bytes.length || to + length > room) {
      throw new InvalidDataError(`item ${i} ends at byte ${end} of ${bytes.length}`);
    }
    copyBytes(view, at, length, target, to);
    at = end;
    to += length;
    offsets[i + 1] = to;
  }
  if (at !== bytes.length) throw new InvalidDataError(`${bytes.length - at} bytes follow the last of ${count} items`);
  return { kind: "variable", offsets, bytes: out };
}

/** `json2`: a JSON list of the items, followed by numpy's type string and the shape. Only strings are supported. */
export const json2: CodecModule = {
  kind: "objects",
  make: () => ({
    decode(bytes, count) {
      const list = checkJsonList(parseJson(bytes), "a json2 chunk");
      const shape = checkJsonIntegers(list[list.length - 1], "shape of a json2 chunk", 0);
      const items = list.slice(0, -2).flatMap((item) => leaves(item));
      if (items.length !== count || countElements(shape) !== count) {
        throw new InvalidDataError(`${items.length} items of shape ${show(shape)}, expected ${count}`);
      }
      const texts = items.map((item) => {
        if (typeof item !== "string") throw new UnsupportedError(`json2 with ${show(item)}: only texts can be read`);
        return item;
      });
      return pickTexts(texts, count, (i) => i);
    },
  }),
};

/** Flattens a list whose nesting follows the shape. */
function leaves(item: Json): readonly Json[] {
  return isList(item) ? item.flatMap((inner) => leaves(inner)) : [item];
}

/**
 * `categorize`: 1-based indices into `labels`. As in numcodecs, index 0 means no label and decodes to an empty string.
 */
export const categorize: CodecModule = {
  kind: "objects",
  make(configuration) {
    const labels = checkJsonList(configuration.labels, "labels").map((label) => checkJsonText(label, "a label"));
    const texts = ["", ...labels];
    const format = parseNumberFormat(configuration.astype, "astype");
    return {
      decode(bytes, count) {
        const codes = readNumbers(bytes, format);
        if (codes.length !== count) throw new InvalidDataError(`${codes.length} items, expected ${count}`);
        for (const code of codes) {
          if (code < 0 || code >= texts.length) throw new InvalidDataError(`code ${code} of ${labels.length} labels`);
        }
        return pickTexts(texts, count, (i) => Number(codes[i]));
      },
    };
  },
};

/** Creates a chunk of `count` strings, in which string i is `texts[index(i)]`. */
function pickTexts(texts: readonly string[], count: number, index: (item: number) => number): ZarrChunk {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const offsets = new Int32Array(count + 1);
  let total = 0;
  for (let i = 0; i < count; i++) {
    total += encoded[index(i)].length;
    if (total > 2 ** 31 - 1) throw new InvalidDataError(`more than ${2 ** 31 - 1} bytes of text in one chunk`);
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < count; i++) bytes.set(encoded[index(i)], offsets[i]);
  return { kind: "variable", offsets, bytes };
}
