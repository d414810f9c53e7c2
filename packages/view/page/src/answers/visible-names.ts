/**
 * Shows characters in names and texts of files that change the text direction by their code points, because they could
 * make a name look like another name. This is done in one place for the whole page, before anything is rendered.
 */

import { Fragment, options } from "preact";

const DIRECTIONS = /\p{Bidi_Control}/u;

/** Replaces each bidirectional control character by its code, such as `⟨U+202E⟩`. */
export function visibleDirections(text: string): string {
  if (!DIRECTIONS.test(text)) return text;
  return text.replaceAll(/\p{Bidi_Control}/gu, (character) => {
    return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Attributes that browsers display or screen readers read out. */
const SHOWN = ["title", "aria-label", "aria-description", "aria-valuetext", "alt", "placeholder", "label"];

/** Installs a hook that makes direction characters visible in all elements rendered from now on. */
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
    // Without a `value`, the value of an option is its text.
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

/** Makes direction characters visible in a drawing that Preact did not render. */
export function showDirectionsIn(drawing: Element): void {
  const texts = document.createTreeWalker(drawing, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    node.nodeValue = visibleDirections(node.nodeValue ?? "");
  }
}
