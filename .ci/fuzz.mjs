// Reads damaged files of all formats: node .ci/fuzz.mjs [--mutations N] [--seed S] [--file NAME] [--number N] [--processes N]
//
// Mutates the small files of test/fixtures/data and examples/. Every mutation must end in a named error or in values;
// each that does not is printed with the command that runs it again. Ends with the line "N passed, N failed", one
// check per mutation.
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "50000" },
    seed: { type: "string", default: "1" },
    file: { type: "string" },
    number: { type: "string" },
    processes: { type: "string", default: String(Math.min(4, availableParallelism())) },
  },
});

/** Beside the packages that it imports. */
const bundle = resolve(`node_modules/.cache/annarrow-fuzz-run-${process.pid}.mjs`);
mkdirSync(resolve(bundle, ".."), { recursive: true });
await build({
  entryPoints: ["test/fuzz/run.ts"],
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  outfile: bundle,
  logLevel: "error",
});
const { fuzz } = await import(pathToFileURL(bundle));
rmSync(bundle);

const print = (line) => process.stdout.write(`${line}\n`);

const began = performance.now();
const { mutations, files, error, same, other, failures } = await fuzz({
  seed: Number(values.seed),
  mutations: Number(values.mutations),
  processes: Number(values.processes),
  ...(values.file === undefined ? {} : { only: values.file }),
  ...(values.number === undefined ? {} : { number: Number(values.number) }),
});
for (const failure of failures) print(failure);
const seconds = Math.round((performance.now() - began) / 1000);
print(
  `${mutations} mutations of ${files} files in ${seconds} s: ${error} errors, ${same} same values, ${other} others`,
);
print(`${mutations - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 || mutations === 0 ? 1 : 0;
