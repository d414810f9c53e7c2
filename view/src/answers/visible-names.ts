/**
 * Shows names and texts of files with the numbers of the characters that change the direction of a text: they would make a
 * name look like another one. One place does it for all of the page, before anything is drawn.
 */

import { Fragment, options } from "preact";

const DIRECTIONS = /\p{Bidi_Control}/u;

/** The text with `⟨U+202E⟩` in the place of each character that changes its direction. */
export function visibleDirections(text: string): string {
  if (!DIRECTIONS.test(text)) return text;
  return text.replaceAll(/\p{Bidi_Control}/gu, (character) => {
    return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Attributes that browsers show, or read out. */
const SHOWN = ["title", "aria-label", "aria-description", "aria-valuetext", "alt", "placeholder", "label"];

/** Makes names visible in every element that is drawn from now on. */
export function showDirections(): void {
  const { vnode: before } = options;
  options.vnode = (vnode) => {
    const { type, props } = vnode;
    if (typeof type === "string" || type === Fragment) makeVisible(type, props);
    before?.(vnode);
  };
}

function makeVisible(type: unknown, props: object): void {
  const children: unknown = Reflect.get(props, "children");
  const shown = visibleChild(children);
  if (shown !== children) {
    // The value of an option is its text, where nothing else is given.
    if (type === "option" && Reflect.get(props, "value") === undefined) Reflect.set(props, "value", children);
    Reflect.set(props, "children", shown);
  }
  for (const name of SHOWN) {
    const value: unknown = Reflect.get(props, name);
    if (typeof value === "string" && DIRECTIONS.test(value)) Reflect.set(props, name, visibleDirections(value));
  }
}

function visibleChild(child: unknown): unknown {
  if (typeof child === "string") return visibleDirections(child);
  if (!Array.isArray(child)) return child;
  const shown = child.map(visibleChild);
  return shown.some((one, i) => one !== child[i]) ? shown : child;
}

/** Makes the texts of a drawing visible that something else than the page's elements has made. */
export function showDirectionsIn(drawing: Element): void {
  const texts = document.createTreeWalker(drawing, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    node.nodeValue = visibleDirections(node.nodeValue ?? "");
  }
}
