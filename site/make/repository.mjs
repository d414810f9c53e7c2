/** The folder of the repository, and what its pages are called in the site. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const SITE = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const ROOT = resolve(SITE, "..");
/** Where the pages lie that VitePress makes HTML of; they have the paths that they have in the repository. */
export const PAGES = join(SITE, "pages");

/** The folders below whose paths Markdown files become pages, and files that do so alone. */
export const PAGE_FOLDERS = ["docs", "docs/guides", "bench"];
export const PAGE_FILES = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

/** Address of a file of the repository on the web, or null where package.json names no repository. */
export function addressOf(path) {
  const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const url = (typeof repository === "string" ? repository : repository?.url)
    ?.replace(/^git\+/, "")
    .replace(/\.git$/, "");
  return url === undefined ? null : `${url}/blob/main/${path}`;
}
