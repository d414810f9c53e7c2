// One process at a time: run, timed and weighed.

import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { busySeconds } from "./quiet.mjs";

const measurer = fileURLToPath(new URL("measure.py", import.meta.url));

/** What the command writes. @throws with what it wrote on standard error. */
export function run([program, ...args]) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim().slice(-1500));
  return stdout;
}

/**
 * One run of a command.
 * @returns {{ whole: number, inside: number | null, cpu: number, peak: number, foreign: number, result: object | null }}
 *   seconds of the whole process and of what it timed itself, its CPU seconds and largest resident size in bytes, unless
 *   it tells others itself, the share of the cores that others used meanwhile, and the result it printed.
 */
export function measured(python, command) {
  const busy = busySeconds();
  const { seconds, cpuSeconds, peakBytes, output } = JSON.parse(run([python, measurer, ...command]));
  // The measuring process itself takes some hundredths of a second.
  const others = Math.max(0, busySeconds() - busy - cpuSeconds - 0.05);
  return {
    whole: seconds,
    inside: typeof output?.seconds === "number" ? output.seconds : null,
    cpu: output?.cpu ?? cpuSeconds,
    peak: output?.peak ?? peakBytes,
    foreign: others / (seconds * cpus().length),
    result: output?.result ?? null,
  };
}

/** The first value in which two results differ by more than rounding; null where they are alike. */
export function difference(a, b) {
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [a[name], b[name]];
    const alike = typeof x === "number" && typeof y === "number" && Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x));
    if (!alike) return `${name}: ${x} and ${y}`;
  }
  return null;
}
