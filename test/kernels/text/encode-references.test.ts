import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTextColumn, decodeTextValues, encodeStoredTexts } from "../../../src/arrow/text.js";
import { decodeReferences } from "../../../src/kernels/text/character-references.js";
import { encodeReferences } from "../../../src/kernels/text/encode-references.js";
import type { VariableValues } from "../../../src/model/stored.js";

function textsOf({ offsets, bytes }: VariableValues): (string | null)[] {
  return decodeTextValues({ ...createTextColumn([]), length: offsets.length - 1, offsets, bytes });
}

test.each([
  ["plain", "plain"],
  ["é", "&#233;"],
  ["😀", "&#128512;"],
  ["R&D & co", "R&D & co"],
  ["&#229;", "&#38;#229;"],
  ["&amp;", "&#38;amp;"],
  ["&#xe5;", "&#38;#xe5;"],
  ["\ufeffx", "&#65279;x"],
])("%j is %j", (text, expected) => expect(textsOf(encodeReferences(encodeStoredTexts([text])))).toEqual([expected]));

test("text without them stays in its memory", () => {
  const values = encodeStoredTexts(["a", "b"]);
  expect(encodeReferences(values)).toBe(values);
});

test("what is encoded is ASCII, and decodes to the same", () => {
  const part = fc.constantFrom("&", "&#", "#", "amp;", "38;", "229", "x", "&lt;", ";", " ", "é", "日", "😀", "\u0001");
  fc.assert(
    fc.property(
      fc.array(
        fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")),
        { maxLength: 5 },
      ),
      (texts) => {
        const encoded = encodeReferences(encodeStoredTexts(texts));
        expect(encoded.bytes.every((byte) => byte < 128)).toBe(true);
        expect(textsOf(decodeReferences(encoded))).toEqual(texts);
      },
    ),
  );
});
