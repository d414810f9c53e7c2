/** Derives names from inputs, for outputs, keys and datasets. */

import { fileEndings, findEnding, folderEndings } from "./formats/registry.js";

/** Extensions that are removed from a name, in addition to those of the formats. */
const OTHERS = ["fragments.tsv", "fragments.tsv.gz", "txt", "txt.gz", "ipc"];

/**
 * True if an input is a URL, such as `https://…` or `s3://…`, rather than a local path. A single letter is a Windows
 * drive, because Windows treats `C://data` as `C:\data`.
 */
export function hasScheme(input: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(input);
}

/** Returns the name of an input without its folder and known extension. */
export function getInputStem(input: string): string {
  const path = hasScheme(input) ? input.replace(/[?#].*$/, "") : input;
  const name = path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "");
  const ending = findEnding(name, new Set([...folderEndings(), ...fileEndings(), ...OTHERS]));
  const short = ending === null ? name : name.slice(0, -ending.length - 1);
  return short === "" || short === "." || short === ".." ? "input" : short;
}

/** Returns a key for each input: its name without extension, or its path if two inputs have the same name. */
export function createInputKeys(inputs: readonly string[]): readonly string[] {
  const names = inputs.map(getInputStem);
  return new Set(names).size === names.length ? names : inputs;
}
