/**
 * Kills a command that writes at random moments, and looks at what is there afterwards, before and after something else is
 * written beside it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFileTarget } from "../../../src/io/targets/file.node.js";
import { Random } from "../../fuzz/random.js";
import { tree } from "./tree.js";

export interface KillOptions {
  /** The program and its arguments. It writes `place`, replacing what is there, the same bytes whenever it runs. */
  readonly command: readonly string[];
  /** In a folder that holds nothing but this, or not even this: what is there is there before every run. */
  readonly place: string;
  readonly moments: number;
  readonly seed: number;
}

export interface KillResult {
  /** How often it was killed before, and after the output had appeared. */
  readonly before: number;
  readonly after: number;
  /** How often something was left that the next write had to remove. */
  readonly left: number;
  /** What was wrong, and when. */
  readonly failures: readonly string[];
}

export async function killAtRandomMoments(options: KillOptions): Promise<KillResult> {
  const { command, place, moments, seed } = options;
  const folder = dirname(place);
  const kept = `${folder}.kept`;
  const before = tree(place);
  const restore = () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    if (before !== null) cpSync(join(kept, basename(place)), place, { recursive: true });
  };
  cpSync(folder, kept, { recursive: true });
  try {
    const began = performance.now();
    await finished(start(command), "");
    let duration = performance.now() - began;
    const after = tree(place);
    if (after === null || after === before) throw new Error(`${command.join(" ")} does not write ${place}`);
    const counts = { before: 0, after: 0, left: 0 };
    const failures: string[] = [];
    const random = new Random("kill", seed);
    const fraction = () => random.below(1e6) / 1e6;
    const killAfter = async (moment: number) => {
      restore();
      const again = performance.now();
      const child = start(command);
      await Promise.race([sleep(moment), ended(child)]);
      // The first run may have been slow: on a busy machine none would be killed before its end.
      if (child.exitCode === 0) duration = Math.min(duration, performance.now() - again);
      child.kill("SIGKILL");
      await ended(child);
      const names = readdirSync(folder);
      const problem = wrong(place, before, after) ?? (await wrongAfterwards(place, before, after));
      if (names.some((name) => name !== basename(place))) counts.left++;
      if (problem !== null) failures.push(`killed after ${moment.toFixed(1)} of ${duration.toFixed(0)} ms: ${problem}`);
      else counts[tree(place) === after ? "after" : "before"]++;
    };
    // Every other kill comes around the end, when the output takes its place.
    for (let i = 0; i < moments; i++)
      await killAfter(duration * (i % 2 === 0 ? 1.05 * fraction() : 0.8 + 0.3 * fraction()));
    // A busy machine wakes this process late, and few kills may all have come after the end: further ones come earlier.
    for (let earlier = duration / 2; counts.before === 0 && earlier >= 1; earlier /= 2) await killAfter(earlier);
    // What was left behind is in nobody's way.
    await finished(start(command), "after it was killed: ");
    if (tree(place) !== after) failures.push("the next run writes something else");
    return { ...counts, failures };
  } finally {
    rmSync(kept, { recursive: true });
  }
}

/** What is wrong with a folder in which a process was killed; null for nothing. */
export function wrong(place: string, before: string | null, after: string): string | null {
  const name = basename(place);
  const others = readdirSync(dirname(place)).filter((other) => other !== name);
  const owned = "([0-9a-f]{12}|0)-([0-9a-f]{12}|0)-\\d+-\\d+-[0-9a-f]{12}";
  const temporary = new RegExp(`^\\.${name.replaceAll(".", "\\.")}\\.${owned}\\.tmp(\\.old)?$`);
  const strange = others.filter((other) => !temporary.test(other));
  if (strange.length > 0) return `there is ${strange.join(", ")}`;
  const there = tree(place);
  if (there === before || there === after) return null;
  if (there !== null) return "what is there is neither what was there before nor what was to be written";
  // Between two renames what was there before has another name, and the next run puts it back.
  const old = others.find((other) => other.endsWith(".old"));
  if (old !== undefined && tree(join(dirname(place), old)) === before) return null;
  return "what was there before is gone";
}

/** What is wrong once a file has been written beside what the process left; null for nothing. */
async function wrongAfterwards(place: string, before: string | null, after: string): Promise<string | null> {
  const beside = join(dirname(place), "beside");
  await (await createFileTarget(beside)).commit();
  rmSync(beside);
  const there = tree(place);
  // Between the last two renames both are whole: nobody but the user may remove what was there before.
  const isKept = (other: string) =>
    there === after && other.endsWith(".old") && tree(join(dirname(place), other)) === before;
  const others = readdirSync(dirname(place)).filter((other) => other !== basename(place) && !isKept(other));
  if (others.length > 0) return `the next write leaves ${others.join(", ")}`;
  return there === before || there === after ? null : "what was there before is not put back";
}

function start([program, ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((settle) => child.once("exit", settle));
}

/** @throws where it fails. */
async function finished(child: ChildProcess, when: string): Promise<void> {
  let errors = "";
  child.stderr?.on("data", (text) => {
    errors += text;
  });
  await new Promise((settle) => child.once("close", settle));
  if (child.exitCode !== 0) throw new Error(`${when}it ends with ${child.signalCode ?? child.exitCode}: ${errors}`);
}
