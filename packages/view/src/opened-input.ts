/** Opens the input of a page that has no server. */

import type { Dataset } from "annarrow";
import { InvalidInputError, open } from "annarrow";
import { openSource, toDataset } from "annarrow/core/api";
import { createPickedFilesSource, createPickedFolderSource, type FolderHandle } from "annarrow/core/io";

/** A file, a folder (given as files by path, or as a handle), or the address of a file or store. */
export type GivenInput =
  | { readonly kind: "file"; readonly file: File }
  | { readonly kind: "files"; readonly name: string; readonly files: ReadonlyMap<string, Blob> }
  | { readonly kind: "folder"; readonly handle: FolderHandle }
  | { readonly kind: "address"; readonly address: string };

/** Addresses that a page can open: web servers and object stores. */
const ADDRESS = /^(https?|s3|gs|az|hf):\/\/[^/]/i;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Returns the name of an input. Requests and links use this name. */
export function nameOfInput(given: GivenInput): string {
  switch (given.kind) {
    case "file":
      return given.file.name;
    case "files":
      return given.name;
    case "folder":
      return given.handle.name;
    case "address":
      return given.address;
    default:
      return given satisfies never;
  }
}

/** @throws {InvalidInputError} for text that is not an address, and all errors of `open`. */
export async function openInput(given: GivenInput): Promise<Dataset> {
  switch (given.kind) {
    case "file":
      return open(given.file);
    case "files":
      return toDataset(openSource(createPickedFilesSource(given.files, given.name), {}));
    case "folder":
      return toDataset(openSource(createPickedFolderSource(given.handle), {}));
    case "address":
      if (!isAddress(given.address)) {
        throw new InvalidInputError("an address begins with https://, s3://, gs:// or hf://", {
          source: given.address,
        });
      }
      return open(given.address);
    default:
      return given satisfies never;
  }
}
