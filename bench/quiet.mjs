// Waiting for a machine that has nothing else to do.

import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const WINDOW_MS = 250;

/** Seconds that all cores together have been busy since the machine began. */
export function busySeconds() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
}

/**
 * Waits until the load average of the last minute is below `limit`.
 * @returns whether it came to that within `seconds`.
 */
export async function untilIdle(limit, seconds) {
  const end = Date.now() + seconds * 1000;
  while (loadavg()[0] >= limit) {
    if (Date.now() >= end) return false;
    await sleep(2000);
  }
  return true;
}

/**
 * Waits until the cores were 95 % idle for a quarter of a second: what the load average, full of the runs before, does
 * not tell.
 * @returns whether it came to that within `seconds`.
 */
export async function untilQuiet(seconds) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const before = busySeconds();
    await sleep(WINDOW_MS);
    if (busySeconds() - before <= 0.05 * cpus().length * (WINDOW_MS / 1000)) return true;
  }
  return false;
}
