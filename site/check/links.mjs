/**
 * Checks what is built: every link and every source inside the site leads to a file, every anchor to an element, and no
 * page loads anything from elsewhere. node check/links.mjs; the last line is "N passed, N failed".
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { SITE } from "../make/repository.mjs";

const DIST = join(SITE, ".vitepress/dist");
const BASE = process.env.SITE_BASE ?? "/";

const files = readdirSync(DIST, { recursive: true }).filter((path) => statSync(join(DIST, path)).isFile());
const pages = files.filter((path) => path.endsWith(".html"));
const texts = new Map(pages.map((path) => [path, readFileSync(join(DIST, path), "utf8")]));
const anchors = new Map();
for (const [path, text] of texts) anchors.set(path, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)));

const decoded = (text) => decodeURIComponent(text.replaceAll("&amp;", "&").replaceAll("&quot;", '"'));

/** @returns what is wrong with a link of a page, or null. */
function problem(page, link) {
  const [path, anchor] = link.split("#");
  if (/^[a-z][a-z+.-]*:/.test(path) || path.startsWith("//")) return null;
  let target = page;
  if (path !== "") {
    const whole = path.startsWith("/") ? path : posix.join(BASE, posix.dirname(page), path);
    if (!whole.startsWith(BASE)) return `${link} leads out of the site`;
    target = decoded(whole.slice(BASE.length));
    if (target === "" || target.endsWith("/")) target += "index.html";
    if (!existsSync(join(DIST, target)) && existsSync(join(DIST, `${target}.html`))) target += ".html";
    if (!existsSync(join(DIST, target))) return `${link} leads nowhere`;
  }
  if (!anchor || !anchors.has(target) || target.startsWith("playground/")) return null;
  return anchors.get(target).has(decoded(anchor)) ? null : `${link} names no part of ${target}`;
}

let checked = 0;
const problems = [];
for (const [page, text] of texts) {
  const links = new Set([...text.matchAll(/<[a-z][^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, link]) => link));
  for (const link of links) {
    checked += 1;
    const found = problem(page, link);
    if (found !== null) problems.push(`${page}: ${found}`);
  }
  const loaded = text.match(
    /<(?:script|img|iframe|source|video)\b[^>]*\ssrc="(?:https?:)?\/\/[^"]*"|<link\b[^>]*\shref="(?:https?:)?\/\/[^"]*"/g,
  );
  checked += 1;
  if (loaded !== null) problems.push(`${page}: loads from elsewhere: ${loaded.join(" ")}`);
}
for (const path of files.filter((name) => name.endsWith(".css"))) {
  checked += 1;
  if (/url\(["']?(?:https?:)?\/\//.test(readFileSync(join(DIST, path), "utf8")))
    problems.push(`${path}: loads from elsewhere`);
}
for (const one of problems) process.stdout.write(`${one}\n`);
process.stdout.write(`${pages.length} pages\n${checked - problems.length} passed, ${problems.length} failed\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
