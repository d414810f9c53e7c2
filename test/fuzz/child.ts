/** A process that runs mutations one after the other, and tells before each which one. */

import { readFuzzFile } from "./corpus.js";
import type { Report, Work } from "./protocol.js";
import { Subject } from "./subject.js";

const MAX_CPU_MS = 5000;
const MAX_GROWTH_BYTES = 2 ** 29;

const say = (report: Report) => process.send?.(report);
let strayErrors: unknown[] = [];
process.on("unhandledRejection", (error) => strayErrors.push(error));

const subjects = new Map<string, Subject>();

async function subjectOf(name: string): Promise<Subject> {
  const known = subjects.get(name);
  if (known !== undefined) return known;
  const subject = await Subject.of(await readFuzzFile(name));
  subjects.set(name, subject);
  return subject;
}

async function work({ seed, file, from, to }: Work): Promise<void> {
  const subject = await subjectOf(file);
  const counts = { error: 0, same: 0, other: 0 };
  if (from === 0) for (const problem of subject.defects) say({ kind: "failed", number: -1, problem });
  for (let number = from; number < to; number++) {
    say({ kind: "begins", number });
    const peak = process.resourceUsage().maxRSS;
    const cpu = process.cpuUsage();
    strayErrors = [];
    const { outcome, defects, description } = await subject.run(seed, number);
    const { user, system } = process.cpuUsage(cpu);
    const problems = [...defects, ...strayErrors.map((error) => `nobody caught: ${error}`)];
    if ((user + system) / 1000 > MAX_CPU_MS) problems.push(`took ${Math.round((user + system) / 1000)} ms`);
    const growth = (process.resourceUsage().maxRSS - peak) * 1024;
    if (growth > MAX_GROWTH_BYTES) problems.push(`took ${Math.round(growth / 2 ** 20)} MiB of memory`);
    if (problems.length > 0) {
      say({ kind: "failed", number, problem: `${description}\n    ${[...new Set(problems)].join("\n    ")}` });
    }
    counts[outcome]++;
  }
  say({ kind: "done", ...counts });
}

function isWork(message: unknown): message is Work {
  return typeof message === "object" && message !== null && "file" in message && "from" in message;
}

process.on("message", (message) => {
  if (!isWork(message)) return;
  // An error of the fuzzer itself ends the process, which the runner reports.
  work(message).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
say({ kind: "ready" });
