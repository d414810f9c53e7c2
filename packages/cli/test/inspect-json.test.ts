import { expect, test } from "vitest";
import { escapeJsonControlChars } from "../src/actions/inspect-json.js";

test("JSON has characters that a terminal would obey in JSON's own form, so that its values stay the same", () => {
  const value = { "a\u202eb": ["\u2066", "\u2028", "\u009b", "\u001b", "é", "\n"] };
  const text = escapeJsonControlChars(value);
  expect(text).toContain('"a\\u202eb"');
  expect(text).not.toMatch(/[\p{Bidi_Control}\p{Zl}\x7f-\x9f]/u);
  expect(JSON.parse(text)).toEqual(value);
});
