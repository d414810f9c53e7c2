/** An input that is opened again and again: whatever takes its place in the meantime is an error. */

import { stat } from "node:fs/promises";
import { InvalidDataError } from "../model/errors.js";
import { fileIdentity } from "../sources/file.node.js";
import type { ReopenedInput } from "./concat-inputs.js";
import type { Input } from "./open.js";
import { filePath, openStored, type StoredOptions } from "./open.node.js";

/**
 * Opens the file or folder, each time with the bytes that it had when it was first opened. Of other inputs (HTTP, bytes)
 * nothing is checked.
 */
export function reopenedInput(input: Input, options: StoredOptions): ReopenedInput {
  const path = filePath(input);
  if (path === null) return { open: () => openStored(input, options) };
  /** What a later opening must find: a file's identity, or for a folder the time before which it was written. */
  let known: Pick<StoredOptions, "identity" | "unchangedSince"> | null = null;
  return {
    async open() {
      // File times have fractions of a millisecond: a folder that was written just now is none that changes.
      const now = Date.now() + 1;
      // The error of a path that is not there comes from opening it.
      const found = await stat(path).catch(() => null);
      if (known === null && found !== null) {
        known = found.isDirectory() ? { unchangedSince: now } : { identity: fileIdentity(found) };
      } else if (found === null || (known?.identity !== undefined && fileIdentity(found) !== known.identity)) {
        if (known !== null) throw changed(path);
      }
      return openStored(input, { ...options, ...known });
    },
    async checkUnchanged() {
      if (known?.identity === undefined) return;
      const found = await stat(path).catch(() => null);
      if (found === null || fileIdentity(found) !== known.identity) throw changed(path);
    },
  };
}

function changed(path: string): InvalidDataError {
  return new InvalidDataError("the file was changed while it was read", { source: path, code: "source-changed" });
}
