/** Characters that change the direction of a text, in elements of the page. */

import { createElement, Fragment, options } from "preact";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showDirections, visibleDirections } from "../../page/src/answers/visible-names.js";

const NAME = "x\u202egnp.exe\u2066";
const SHOWN = "x⟨U+202E⟩gnp.exe⟨U+2066⟩";

const before = options.vnode;
beforeAll(showDirections);
afterAll(() => {
  if (before === undefined) delete options.vnode;
  else options.vnode = before;
});

test("each of them is shown by its number, and no other character", () => {
  expect(visibleDirections(NAME)).toBe(SHOWN);
  expect(visibleDirections("\u061c\u200e\u200f\u202a\u2069")).toBe("⟨U+061C⟩⟨U+200E⟩⟨U+200F⟩⟨U+202A⟩⟨U+2069⟩");
  expect(visibleDirections("שלום \n é ⟨U+202E⟩")).toBe("שלום \n é ⟨U+202E⟩");
});

test("texts, titles and labels of elements show them; values and the arguments of components keep them", () => {
  const { props } = createElement("b", { title: NAME, "aria-label": NAME, value: NAME }, "a", [NAME], 1);
  expect(props).toEqual({ title: SHOWN, "aria-label": SHOWN, value: NAME, children: ["a", [SHOWN], 1] });
  expect(createElement(Fragment, {}, NAME).props).toEqual({ children: SHOWN });
  expect(createElement("option", {}, NAME).props).toEqual({ children: SHOWN, value: NAME });
  const Shown = ({ name }: { readonly name: string }) => createElement("i", {}, name);
  expect(createElement(Shown, { name: NAME }).props).toEqual({ name: NAME });
});
