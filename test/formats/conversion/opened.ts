/** A folder for what a test file writes, and datasets that are closed after each test. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open as openPath } from "../../../packages/published/src/node.js";
import { cleanups } from "../../cleanups.js";

let current: string | undefined;

/** Removed after the tests of the file. */
export function folder(): string {
  if (current === undefined) {
    const made = mkdtempSync(join(tmpdir(), "annarrow-annotated-"));
    current = made;
    cleanups.file.add(() => {
      current = undefined;
      rmSync(made, { recursive: true });
    });
  }
  return current;
}

export const open: typeof openPath = async (...input) => {
  const data = await openPath(...input);
  cleanups.test.add(() => data.close());
  return data;
};

let made = 0;

/** A path where nothing is yet. */
export const place = (extension: string): string => join(folder(), `${made++}.${extension}`);
