/** State of the tab `quality`, stored in the address. */

import type { Signal } from "@preact/signals";
import { isText } from "../address/address.js";
import type { View } from "../state/view.js";

const STATES = new WeakMap<View, { readonly by: Signal<string> }>();

/**
 * `by` is the categorical column that splits the numbers; empty for none. Created once, as the address is bound to it.
 */
export function qualityState(view: View): { readonly by: Signal<string> } {
  const known = STATES.get(view);
  if (known !== undefined) return known;
  const state = { by: view.address.signal("split", "", isText) };
  STATES.set(view, state);
  return state;
}
