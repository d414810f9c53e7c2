/** An input that is opened repeatedly. It is an error if the input is replaced in the meantime. */

import { stat } from "node:fs/promises";
import { getFileIdentity } from "../io/sources/file.node.js";
import { InvalidDataError } from "../model/errors.js";
import type { ReopenedInput } from "./concat-inputs.js";
import type { Input } from "./open.js";
import { getInputPath, openStored, type StoredOptions } from "./open.node.js";

/**
 * Opens the file or folder repeatedly. Each time, checks that its bytes have not changed since it was first opened.
 * Other inputs (HTTP, bytes) are not checked.
 */
export function createReopenedInput(input: Input, options: StoredOptions): ReopenedInput {
  const path = getInputPath(input);
  if (path === null) return { open: () => openStored(input, options) };
  /** State that later openings expect: the identity of a file, or the time before which a folder was last written. */
  let known: Pick<StoredOptions, "identity" | "unchangedSince"> | null = null;
  return {
    async open() {
      // File times have fractions of a millisecond. Without the extra millisecond, a folder that was just written would
      // seem to be changing.
      const now = Date.now() + 1;
      // If a path is missing, the error occurs when it is opened.
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
