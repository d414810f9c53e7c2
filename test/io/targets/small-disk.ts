/** A disk of one mebibyte, for tests of what happens when a disk is full. */

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { expect } from "vitest";

/** Mounts a small disk at `at`. @returns null, or why this process can mount nothing. */
export function mountSmallDisk(at: string): string | null {
  mkdirSync(at);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], { stdio: "pipe" });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a disk was mounted; fails where it was refused to a process that may mount disks. */
export function isMounted(refusal: string | null): boolean {
  if (refusal === null) return true;
  expect(refusal, "only one who may not mount has no small disk").toMatch(/permi|superuser|ENOENT|not permitted/i);
  return false;
}

export function unmount(at: string): void {
  execFileSync("umount", [at]);
}
