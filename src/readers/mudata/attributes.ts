/** What the attributes of a MuData say: which axis its modalities share, and their order. */

import type { AttributeValue, Group } from "../../containers/tree/container.js";
import type { ReaderContext } from "../context.js";

/** The axis that all modalities have in common: 0 for observations, 1 for variables, -1 for both; null where none is stated. */
export function sharedAxis(root: Group, cx: ReaderContext): 0 | 1 | -1 | null {
  const stored = root.attributes.get("axis");
  if (stored === undefined) return null;
  const value = Array.isArray(stored) && stored.length === 1 ? stored[0] : stored;
  const axis = typeof value === "bigint" ? Number(value) : value;
  if (axis === 0 || axis === 1 || axis === -1) return axis;
  cx.warn(`axis is ${shown(stored)}, which is none of 0, 1 and -1; it is taken for 0`);
  return null;
}

/**
 * The names of the modalities in the order that `mod-order` gives, where it names nothing else.
 * @param names as the group lists them.
 */
export function orderedModalities(mod: Group, names: readonly string[], cx: ReaderContext): readonly string[] {
  const stored = mod.attributes.get("mod-order");
  // An empty list is stored as one of floats by h5py.
  if (stored === undefined || (Array.isArray(stored) && stored.length === 0)) return names;
  const order = typeof stored === "string" ? [stored] : stored;
  if (!Array.isArray(order) || !order.every((name) => names.some((known) => known === name))) {
    cx.warn(`mod-order ${shown(stored)} is no list of the modalities; they stand in the order of their names`);
    return names;
  }
  const first = names.filter((name) => order.includes(name)).toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  const others = names.filter((name) => !order.includes(name));
  if (others.length > 0) cx.warn(`mod-order leaves out ${shown(others)}, which mudata would not read`);
  return [...first, ...others];
}

function shown(value: AttributeValue): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
