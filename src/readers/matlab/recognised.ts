/** Whether an HDF5 file is MATLAB's or hdf5storage's. */

import type { Container, Group } from "../../containers/tree/container.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { isMatlabHeader } from "./header.js";

/** Variables that are looked at. */
const LOOKED_AT = 16;

/** By its header, or by what only these files have. */
export function hasMatlabHeader({ kind, userBlock }: Container, keys: readonly string[]): boolean {
  if (kind !== "hdf5") return false;
  return (
    (userBlock !== undefined && isMatlabHeader(userBlock)) || keys.includes("#refs#") || keys.includes("#subsystem#")
  );
}

/** By the attributes of the first variables. */
export async function hasMatlabVariables(
  { kind }: Container,
  root: Group,
  keys: readonly string[],
  options: ReadOptions,
): Promise<boolean> {
  if (kind !== "hdf5") return false;
  for (const key of keys.slice(0, LOOKED_AT)) {
    try {
      const { attributes } = await root.open(key, options);
      if (["MATLAB_class", "Python.Type"].some((name) => attributes.has(name))) return true;
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
    }
  }
  return false;
}

/** Whether a file that is of no other format bears the name, or has the user block that hdf5storage leaves empty. */
export function isPlainMat({ kind, userBlock, name }: Container, keys: readonly string[]): boolean {
  return kind === "hdf5" && keys.length > 0 && (userBlock !== undefined || /\.mat$/i.test(name));
}
