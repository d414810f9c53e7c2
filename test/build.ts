/** Tests that run the command line, an example or the page need `dist/`; this builds it when it is missing or older. */

import { execSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const STAMP = "dist/.tsbuildinfo";
const LOCK = "node_modules/.annarrow-build";
const STALE_LOCK_MS = 120_000;

/** Folders of which `dist/` is made. */
const SOURCES = ["src", "packages"];

/** Resolves when `dist/` is as new as its sources; several test files may ask at the same time. */
export async function ensureBuilt(): Promise<void> {
  // The compiler writes the stamp before the other steps of the build.
  while (!isFresh() || existsSync(LOCK)) {
    if (takeLock()) {
      const started = new Date();
      try {
        execSync("npm run --silent build", { stdio: "pipe" });
        utimesSync(STAMP, started, started);
      } catch (error) {
        rmSync(STAMP, { force: true });
        const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
        throw new Error(`the build failed:\n${output}`, { cause: error });
      } finally {
        rmSync(LOCK, { recursive: true, force: true });
      }
    }
    await sleep(100);
  }
}

function isFresh(): boolean {
  if (!existsSync(STAMP) || !existsSync("dist/cli/main.js")) return false;
  const built = statSync(STAMP).mtimeMs;
  return SOURCES.every((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).every(
      (file) => statSync(join(folder, file)).mtimeMs <= built,
    ),
  );
}

function takeLock(): boolean {
  if (existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > STALE_LOCK_MS) rmSync(LOCK, { recursive: true });
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    return false;
  }
}
