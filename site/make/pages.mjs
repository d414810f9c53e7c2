/** The Markdown pages of the repository as pages of the site. Links to files that are no pages lead to the repository. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { addressOf, PAGE_FILES, PAGE_FOLDERS, PAGES, ROOT } from "./repository.mjs";

/** Paths in the repository of all pages that it has as Markdown. */
export function pagePaths() {
  const inFolders = PAGE_FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  return [...inFolders, ...PAGE_FILES.filter((path) => existsSync(join(ROOT, path)))];
}

export function makePages() {
  const paths = new Set(pagePaths());
  for (const path of paths) {
    const text = readFileSync(join(ROOT, path), "utf8");
    write(path, withLinks(text, path, paths));
  }
  write("index.md", readFileSync(join(ROOT, "site/front.md"), "utf8"));
  cpSync(join(ROOT, "docs/view.png"), join(PAGES, "docs/view.png"));
  write("try.md", readFileSync(join(ROOT, "site/try.md"), "utf8"));
  cpSync(join(ROOT, "docs/view.png"), join(PAGES, "docs/view.png"));
}

export function write(path, text) {
  const file = join(PAGES, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text with links that work in the site. Code keeps what looks like a link. */
function withLinks(text, path, paths) {
  const code = [];
  const masked = text.replace(/^```[\s\S]*?^```$|``[^`\n]+``|`[^`\n]+`/gm, (part) => `\0${code.push(part) - 1}\0`);
  const mended = masked.replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, image, label, target) => {
    if (image !== "" || /^(https?:|#|mailto:)/.test(target)) return link;
    const [file] = target.split("#");
    const wanted = posix.normalize(posix.join(posix.dirname(path), file));
    if (paths.has(wanted)) return link;
    // The playground has the example.
    if (wanted === "examples/pbmc.h5ad") return `[${label}](${relativeTo(path, "playground/pbmc.h5ad")}){download}`;
    const address = wanted === "README.md" ? relativeTo(path, "index.md") : addressOf(wanted);
    return address === null ? label : `[${label}](${address})`;
  });
  return mended.replace(/\0(\d+)\0/g, (_, index) => code[index]);
}

const relativeTo = (path, target) => posix.relative(posix.dirname(path), target);
