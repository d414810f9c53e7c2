/** The pages of the API, made by TypeDoc from the doc comments. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, SITE } from "./repository.mjs";

export function makeApi() {
  execFileSync(process.execPath, [join(SITE, "node_modules/typedoc/bin/typedoc")], { cwd: SITE, stdio: "inherit" });
  const folder = join(PAGES, "api");
  for (const path of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".md"))) {
    const file = join(folder, path);
    writeFileSync(file, withOneList(readFileSync(file, "utf8")));
  }
}

/** One heading for all errors of a call, where TypeDoc has one for each. */
function withOneList(text) {
  return text.replace(/(^#+ Throws\n\n[^#]*)+/gm, (found) => {
    const [level] = /^#+/.exec(found);
    const errors = found.split(/^#+ Throws$/m).map((error) => error.trim().replace(/\s*\n\s*/g, " "));
    const list = errors.filter((error) => error !== "").map((error) => `- ${error}`);
    return `${level} Throws\n\n${list.join("\n")}\n\n`;
  });
}
