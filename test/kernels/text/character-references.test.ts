import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeReferences } from "../../../src/kernels/text/character-references.js";

const encoder = new TextEncoder();

function stored(texts: readonly string[]) {
  const parts = texts.map((text) => encoder.encode(text));
  const offsets = new Int32Array(texts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length;
  });
  return { kind: "variable", offsets, bytes: Uint8Array.from(parts.flatMap((part) => [...part])) } as const;
}

function decoded(...texts: string[]): string[] {
  const { offsets, bytes } = decodeReferences(stored(texts));
  return texts.map((_, i) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(offsets[i], offsets[i + 1])),
  );
}

describe("references to characters", () => {
  test.each([
    ["caf&#233;", "café"],
    ["&#x1F600;&#X1f600;", "😀😀"],
    ["&#1114111;", "\u{10ffff}"],
    ["&#0000065;", "A"],
    ["&lt;g&gt;&amp;&quot;&apos;", "<g>&\"'"],
    ["&#128;&#2047;&#2048;&#65535;&#65536;", "\u0080\u07ff\u0800\uffff\u{10000}"],
    ["a&#10;b", "a\nb"],
  ])("%s", (text, expected) => {
    expect(decoded(text)).toEqual([expected]);
  });

  test.each(["&", "&;", "&#;", "&#x;", "&nbsp;", "&AMP;", "50& more;", "&#0;", "&#xD800;", "&#57343;", "&#1114112;"])(
    "%s stays",
    (text) => {
      expect(decoded(text)).toEqual([text]);
    },
  );

  test.each(["&#00000065;", "&#x0000041;", "&#-5;", "&# 65;", "&amp", "&#65"])("%s is none", (text) => {
    expect(decoded(text)).toEqual([text]);
  });

  test("what a reference gives is not read again", () => {
    expect(decoded("&amp;#233;", "&amp;amp;", "&&amp;&")).toEqual(["&#233;", "&amp;", "&&&"]);
  });

  test("no reference begins in one text and ends in the next", () => {
    expect(decoded("&am", "p;", "&lt;", "")).toEqual(["&am", "p;", "<", ""]);
  });

  test("text without any is not copied", () => {
    const values = stored(["a", "ü;"]);
    expect(decodeReferences(values)).toBe(values);
  });

  test("what is written with references is read back", () => {
    // As Python's xmlcharrefreplace writes it, the ampersand too.
    const withReferences = (text: string) =>
      Array.from(text, (one) => (/^[ -%'-~]$/.test(one) ? one : `&#${one.codePointAt(0)};`)).join("");
    const character = fc.integer({ min: 1, max: 0x10ffff }).filter((code) => code < 0xd800 || code > 0xdfff);
    const text = fc.array(character, { maxLength: 12 }).map((codes) => String.fromCodePoint(...codes));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        expect(decoded(...texts.map(withReferences))).toEqual(texts);
      }),
    );
  });
});
