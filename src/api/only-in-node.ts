/**
 * Browser stubs for functions that need Node.js files, threads or packages. They throw when they are called. Without
 * these stubs, a bundler would fail at a module that both browsers and Node.js import. Separate types for each entry
 * would not work either: with TypeScript's `bundler` resolution, programs for Node.js would get the browser types.
 */

import { UnsupportedError } from "../model/errors.js";

/** Creates the stub of the function `name`. Its error ends with `instead`, which says what to use in browsers. */
export const createNodeStub = (name: string, instead: string) => async (): Promise<never> => {
  throw new UnsupportedError(`${name} needs Node.js${instead}`);
};

const CONVERT = "; in pages, write(store, dataset), writeBytes, parquetFile and csv make the same bytes";
/** The end of the error of functions that read and write folders. */
export const FOLDERS = ", whose files it reads and writes";

export const convert = createNodeStub("convert", CONVERT);
export const split = createNodeStub("split", "; in pages, select makes one part after the other");
export const toPolars = createNodeStub("toPolars", ", for which nodejs-polars is made");
export const fromPolars = createNodeStub("fromPolars", ", for which nodejs-polars is made");
export const listCompanions = createNodeStub("listCompanions", FOLDERS);
export const removeCompanion = createNodeStub("removeCompanion", FOLDERS);
export const writeCompanion = createNodeStub("writeCompanion", FOLDERS);
