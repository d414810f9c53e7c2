/** How notebooks and consoles ask objects to show themselves. */

/** Jupyter kernels of JavaScript (Deno); the answer is awaited. */
export const JUPYTER: unique symbol = Symbol.for("Jupyter.display");

/** `console.log` of Node.js, Deno and Bun; the answer is wanted at once. */
export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** What a notebook is given: the same in several media types. */
export interface Displayed {
  readonly "text/plain": string;
  readonly "text/html": string;
}
