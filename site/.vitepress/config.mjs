/** The site. `node build.mjs` makes the pages in pages/ first. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { pictures } from "../make/inline-pictures.mjs";
import { PAGES, ROOT } from "../make/repository.mjs";
import { sidebar } from "../make/sidebar.mjs";

const { description } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Anchors as GitHub makes them, so that links within docs/ work in both places. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

export default defineConfig({
  lang: "en",
  title: "annarrow",
  description,
  // Below which path of its server the site lies, as "/annarrow/".
  base: process.env.SITE_BASE ?? "/",
  srcDir: PAGES,
  lastUpdated: false,
  // The links of all pages, those of the playground among them, are checked in what is built.
  ignoreDeadLinks: true,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify },
    config: pictures,
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/docs/guides/start", activeMatch: "/docs/guides/" },
      { text: "Mapping", link: "/docs/mapping" },
      { text: "Commands", link: "/commands", activeMatch: "/commands" },
      { text: "API", link: "/api/", activeMatch: "/api/" },
      { text: "Benchmarks", link: "/benchmarks" },
      { text: "Playground", link: "/try" },
    ],
    sidebar: await sidebar(),
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: true } },
    docFooter: { prev: false, next: false },
    footer: { message: "Apache License 2.0" },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
});
