/** The version of this package. */

import { readFileSync } from "node:fs";

/** Reads `package.json` of the folder above this file, wherever the file is built to. */
export function packageVersion(): string {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      const content: unknown = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
      const known = typeof content === "object" && content !== null && "version" in content;
      return known ? String(content.version) : "unknown";
    } catch {
      if (folder.pathname === "/") return "unknown";
    }
  }
}
