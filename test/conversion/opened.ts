/** A folder for what a test file writes, and datasets that are closed after each test. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import type { Dataset } from "../../src/index.js";
import { open as openPath } from "../../src/node.js";

/** Removed after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), "annarrow-annotated-"));
afterAll(() => rmSync(folder, { recursive: true }));

const opened: Dataset[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((data) => data.close()));
});

export const open: typeof openPath = async (...input) => {
  const data = await openPath(...input);
  opened.push(data);
  return data;
};

let made = 0;

/** A path where nothing is yet. */
export const place = (extension: string): string => join(folder, `${made++}.${extension}`);
