/**
 * A plugin of markdown-it: pictures of docs/pictures/ become part of the page, so that they follow its light and dark
 * colours. On their own they follow those of the system.
 */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./repository.mjs";

export function pictures(markdown) {
  const usual = markdown.renderer.rules.image;
  markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
    const token = tokens[index];
    const source = token.attrGet("src") ?? "";
    if (!/(^|\/)pictures\/[\w-]+\.svg$/.test(source)) return usual(tokens, index, options, environment, self);
    const svg = readFileSync(join(ROOT, "docs/pictures", basename(source)), "utf8");
    return `<span class="picture" v-pre>${svg.replace(/<style>[\s\S]*?<\/style>/, "").trim()}</span>`;
  };
}
