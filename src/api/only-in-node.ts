/**
 * Browser stubs for functions that need Node.js files, threads or packages. They throw when they are called. Without
 * these stubs, a bundler would fail at a module that both browsers and Node.js import. Separate types for each entry
 * would not work either: with TypeScript's `bundler` resolution, programs for Node.js would get the browser types.
 */

import { UnsupportedError } from "../model/errors.js";

const onlyInNode = (name: string, instead: string) => async (): Promise<never> => {
  throw new UnsupportedError(`${name} needs Node.js${instead}`);
};

const CONVERT = "; in pages, write(store, dataset), writeBytes, parquetFile and csv make the same bytes";
const FOLDERS = ", whose files it reads and writes";

export const convert = onlyInNode("convert", CONVERT);
export const split = onlyInNode("split", "; in pages, select makes one part after the other");
export const toPolars = onlyInNode("toPolars", ", for which nodejs-polars is made");
export const fromPolars = onlyInNode("fromPolars", ", for which nodejs-polars is made");
export const listCompanions = onlyInNode("listCompanions", FOLDERS);
export const removeCompanion = onlyInNode("removeCompanion", FOLDERS);
export const writeCompanion = onlyInNode("writeCompanion", FOLDERS);
