/**
 * Draws docs/pictures/*.svg, which show how stored elements become tables: node scripts/mapping-pictures.mjs. With --check
 * it only tells whether they are as it would draw them. They follow light and dark colours of the system.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { PICTURES } from "./mapping-pictures/pictures.mjs";

const FOLDER = "docs/pictures";
const isCheck = process.argv.includes("--check");

mkdirSync(FOLDER, { recursive: true });
for (const [name, svg] of Object.entries(PICTURES)) {
  const file = `${FOLDER}/${name}.svg`;
  if (!isCheck) writeFileSync(file, svg);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== svg) {
    process.stderr.write(`${file} is not what scripts/mapping-pictures.mjs draws: run it\n`);
    process.exitCode = 1;
  }
}
