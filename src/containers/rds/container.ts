import { located, UnsupportedError } from "../../model/errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import type { Container } from "../tree/container.js";
import { nodeOf } from "./node.js";
import { readRds } from "./read.js";

/** Lists and objects in real files are few, however large their vectors are. */
const MAX_VALUES = 2 ** 20;

/**
 * Opens an R object as a tree: S4 objects and lists are groups of their slots and elements, atomic vectors are arrays.
 * All of it is read at once, since nothing in the file tells where a value begins.
 * @throws {InvalidDataError} {UnsupportedError} as `readRds`; the latter also for a single vector, which has no parts.
 */
export function openRds(source: ByteSource, options: ReadOptions = {}): Promise<Container> {
  return located({ source: source.name }, async () => {
    const value = await readRds(source, { ...options, maxValues: MAX_VALUES });
    const root = nodeOf(value, "", "");
    if (root.kind !== "group")
      throw new UnsupportedError(`an R object that is ${value.kind}, not an S4 object or a list`);
    return {
      kind: "rds",
      name: source.name,
      root,
      dereference: () => Promise.reject(new UnsupportedError("R objects have no references", { source: source.name })),
      close: () => source.close(),
    };
  });
}
