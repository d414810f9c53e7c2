/** An input that is opened repeatedly. Replacing it in the meantime is an error. */

import { stat } from "node:fs/promises";
import { getFileIdentity } from "../io/sources/file.node.js";
import { InvalidDataError } from "../model/errors.js";
import type { ReopenedInput } from "./concat-inputs.js";
import type { Input } from "./open.js";
import { getInputPath, openStored, type StoredOptions } from "./open.node.js";

/**
 * Opens the file or folder repeatedly, each time checking that its bytes are unchanged since it was first opened. Other
 * inputs (HTTP, bytes) are not checked.
 */
export function createReopenedInput(input: Input, options: StoredOptions): ReopenedInput {
  const path = getInputPath(input);
  if (path === null) return { open: () => openStored(input, options) };
  /** Expected state at a later opening: the identity of a file, or the time before which a folder was written. */
  let known: Pick<StoredOptions, "identity" | "unchangedSince"> | null = null;
  return {
    async open() {
      // File times have fractions of a millisecond: without the extra millisecond, a folder that was just written would
      // seem to be changing.
      const now = Date.now() + 1;
      // A missing path causes its error when it is opened.
      const found = await stat(path).catch(() => null);
      if (known === null && found !== null) {
        known = found.isDirectory() ? { unchangedSince: now } : { identity: getFileIdentity(found) };
      } else if (found === null || (known?.identity !== undefined && getFileIdentity(found) !== known.identity)) {
        if (known !== null) throw changed(path);
      }
      return openStored(input, { ...options, ...known });
    },
    async checkUnchanged() {
      if (known?.identity === undefined) return;
      const found = await stat(path).catch(() => null);
      if (found === null || getFileIdentity(found) !== known.identity) throw changed(path);
    },
  };
}

function changed(path: string): InvalidDataError {
  return new InvalidDataError("the file was changed while it was read", { source: path, code: "source-changed" });
}
