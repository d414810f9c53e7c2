/**
 * The platform that tests run on: Node's, without workers, since they run from sources that no worker can load.
 * `#platform` leads here (vitest.config.ts).
 */

import type { Platform } from "../src/platform/platform.js";
import { platform as node } from "../src/platform/platform.node.js";

const usual: Platform = { ...node, threads: null };
const current = { ...usual };

export const platform: Platform = current;

/** Replaces parts of the platform, and what was replaced before; nothing is replaced by default. */
export function replacePlatform(parts: Partial<Platform> = {}): void {
  Object.assign(current, usual, parts);
}
