// Reads damaged files of all formats:
//   node .ci/fuzz.mjs [--mutations N] [--seed S] [--seconds S] [--file NAME] [--number N] [--processes N]
//
// Mutates the small files of test/fixtures/data and examples/. Every mutation must end in a named error or in values,
// within limits of time and memory; each that does not is printed with the command that runs it again. Without a seed
// one half has the seed 1, the other a seed of the day (in UTC). No portion of mutations begins after so many seconds,
// or once Ctrl+C was pressed.
// Ends with the line "N passed, N failed", one check per mutation.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { importBundled } from "../scripts/import-bundled.mjs";

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "50000" },
    seed: { type: "string" },
    seconds: { type: "string" },
    file: { type: "string" },
    number: { type: "string" },
    processes: { type: "string", default: String(Math.min(4, availableParallelism())) },
  },
});

const { fuzz } = await importBundled("test/fuzz/run.ts");

const print = (line) => process.stdout.write(`${line}\n`);

const today = Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));
const seeds = values.seed === undefined ? [1, today] : [Number(values.seed)];
print(`seeds ${seeds.join(" and ")}`);
const end = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => end.abort());
if (values.seconds !== undefined) setTimeout(() => end.abort(), 1000 * Number(values.seconds)).unref();
const began = performance.now();
const { files, byFormat, failures } = await fuzz({
  seeds,
  mutations: Number(values.mutations),
  processes: Number(values.processes),
  onFailure: print,
  signal: end.signal,
  ...(values.file === undefined ? {} : { only: values.file }),
  ...(values.number === undefined ? {} : { number: Number(values.number) }),
});
const seconds = Math.round((performance.now() - began) / 1000);
let all = 0;
for (const [format, { mutations, error, same, other, failed }] of [...byFormat].sort()) {
  print(`${format}: ${mutations} mutations, ${error} errors, ${same} same values, ${other} others, ${failed} failed`);
  all += mutations;
}
print(`${all} mutations of ${files} files in ${seconds} s`);
print(`${all - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 || all === 0 ? 1 : 0;
