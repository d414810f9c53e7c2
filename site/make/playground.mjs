/** The page of `annarrow view` as files, below /playground/, with the example beside it. */

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PAGES, ROOT } from "./repository.mjs";

export function makePlayground() {
  // What lies in public/ is copied into the site as it is.
  const folder = join(PAGES, "public/playground");
  rmSync(folder, { recursive: true, force: true });
  execFileSync(process.execPath, [join(ROOT, "dist/cli/main.js"), "view", "--static", folder], { stdio: "inherit" });
  cpSync(join(ROOT, "examples/pbmc.h5ad"), join(folder, "pbmc.h5ad"));
}
