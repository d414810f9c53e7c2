// Converts one store after another in one process: node .ci/compare/conversions.mjs DIST
//
// Each line of the standard input is {"input", "output", "options"} as JSON; the answer is a line {"error": null}, or
// {"error": {"name", "message", "named", "left"}}: whether the error is one of the library's, and whether output is left.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { convert, isAnnarrowError } = await import(pathToFileURL(join(resolve(process.argv[2]), "node.js")).href);

for await (const line of createInterface({ input: process.stdin })) {
  const { input, output, options } = JSON.parse(line);
  let error = null;
  try {
    await convert(input, output, options);
  } catch (caught) {
    const { name, message } = caught instanceof Error ? caught : { name: typeof caught, message: String(caught) };
    error = { name, message, named: isAnnarrowError(caught), left: existsSync(output) };
  }
  process.stdout.write(`${JSON.stringify({ error })}\n`);
}
