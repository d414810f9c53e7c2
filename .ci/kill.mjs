// Kills a command that writes at random moments, and checks that its output is whole or what was there before, and that
// the next write removes what was left:
//   node .ci/kill.mjs [--moments N] [--seed S] [--before PATH] NAME -- COMMAND…
//
// NAME is what the output is called; in COMMAND its path is written {}. PATH is copied there before every run. The command
// must replace what is there, and write the same bytes whenever it runs. Ends with the line "N passed, N failed".
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importBundled } from "../scripts/import-bundled.mjs";

const end = process.argv.indexOf("--");
const { values, positionals } = parseArgs({
  args: process.argv.slice(2, end < 0 ? undefined : end),
  allowPositionals: true,
  options: {
    moments: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    before: { type: "string" },
  },
});
const [name] = positionals;
const command = end < 0 ? [] : process.argv.slice(end + 1);
if (name === undefined || command.length === 0) throw new Error("usage: node .ci/kill.mjs [OPTIONS] NAME -- COMMAND…");

const folder = mkdtempSync(join(tmpdir(), "annarrow-kill-"));
const place = join(folder, "outputs", name);
mkdirSync(join(folder, "outputs"));
if (values.before !== undefined) cpSync(values.before, place, { recursive: true });
try {
  const { killAtRandomMoments } = await importBundled("test/io/targets/kill.ts");
  const { before, after, left, failures } = await killAtRandomMoments({
    command: command.map((part) => part.replaceAll("{}", place)),
    place,
    moments: Number(values.moments),
    seed: Number(values.seed),
  });
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  process.stdout.write(
    `killed ${before} times before ${name} appeared, ${after} times after it; left something ${left} times\n`,
  );
  process.stdout.write(`${before + after} passed, ${failures.length} failed\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
