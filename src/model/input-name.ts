/** The names of inputs, as outputs, keys and datasets have them. */

import { endingOf, fileEndings, folderEndings } from "./formats/registry.js";

/** Endings that are left out of a name, besides the ones of the formats. */
const OTHERS = ["fragments.tsv", "fragments.tsv.gz", "txt", "txt.gz", "ipc"];

/**
 * Whether an input is an address, as `https://…` or `s3://…`, and no path of this machine. One letter is a drive of Windows,
 * which takes `C://data` for `C:\data`.
 */
export function hasScheme(input: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(input);
}

/** The name of an input without its folder and its known ending. */
export function stem(input: string): string {
  const path = hasScheme(input) ? input.replace(/[?#].*$/, "") : input;
  const name = path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "");
  const ending = endingOf(name, new Set([...folderEndings(), ...fileEndings(), ...OTHERS]));
  const short = ending === null ? name : name.slice(0, -ending.length - 1);
  return short === "" || short === "." || short === ".." ? "input" : short;
}

/** A key for each input: its name without the ending, or its path where two inputs have one name. */
export function keysOf(inputs: readonly string[]): readonly string[] {
  const names = inputs.map(stem);
  return new Set(names).size === names.length ? names : inputs;
}
