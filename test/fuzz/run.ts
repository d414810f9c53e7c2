/** Runs mutations in processes of their own, and watches these: a crash or a hang ends one mutation, not the run. */

import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { fuzzFiles } from "./corpus.js";
import type { Report, Work } from "./protocol.js";

export interface FuzzOptions {
  readonly seed: number;
  /** Mutations in all, shared out among the files, small ones first. */
  readonly mutations: number;
  readonly processes: number;
  /** Only files whose name holds this. */
  readonly only?: string;
  /** Only files of at most so many bytes. */
  readonly largest?: number;
  /** Only this mutation of the file whose name `only` is. */
  readonly number?: number;
}

export interface FuzzResult {
  readonly mutations: number;
  readonly files: number;
  readonly error: number;
  readonly same: number;
  readonly other: number;
  /** One text per failed mutation: how to run it again, and what was wrong. */
  readonly failures: readonly string[];
}

/** Without a word from a process, it is stopped: far longer than the 5 s of processor time that it measures itself. */
const SILENCE_MS = 30_000;

/** Mutations that a process is given at once. */
const PORTION = 100;

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const bundle = await bundleChild();
  try {
    const portions = portionsOf(options);
    const counts = { error: 0, same: 0, other: 0 };
    const failures: string[] = [];
    const mutations = portions.reduce((sum, { from, to }) => sum + to - from, 0);
    const files = new Set(portions.map(({ file }) => file)).size;
    const fail = ({ file, seed }: Work, number: number, problem: string) => {
      const again = number < 0 ? "undamaged" : `node .ci/fuzz.mjs --seed ${seed} --file ${file} --number ${number}`;
      failures.push(`${file}, ${again}\n    ${problem}`);
    };
    const lanes = Array.from({ length: options.processes }, () => runLane(bundle, portions, fail, counts));
    await Promise.all(lanes);
    return { mutations, files, ...counts, failures };
  } finally {
    rmSync(bundle);
  }
}

function portionsOf({ seed, mutations, only = "", largest = Number.POSITIVE_INFINITY, number }: FuzzOptions): Work[] {
  const files = fuzzFiles().filter(({ name, size }) =>
    number === undefined ? name.includes(only) && size <= largest : name === only,
  );
  const total = files.reduce((sum, { weight }) => sum + weight, 0);
  return files.flatMap(({ name: file, weight }) => {
    if (number !== undefined) return [{ seed, file, from: number, to: number + 1 }];
    const count = Math.ceil((mutations * weight) / total);
    return Array.from({ length: Math.ceil(count / PORTION) }, (_, i) => ({
      seed,
      file,
      from: i * PORTION,
      to: Math.min(count, (i + 1) * PORTION),
    }));
  });
}

type Fail = (work: Work, number: number, problem: string) => void;

async function runLane(
  bundle: string,
  portions: Work[],
  fail: Fail,
  counts: { error: number; same: number; other: number },
): Promise<void> {
  let child = start(bundle);
  for (let work = portions.shift(); work !== undefined; ) {
    const end = await runPortion(child, work, fail);
    if (end.kind === "done") {
      for (const outcome of ["error", "same", "other"] as const) counts[outcome] += end[outcome];
      work = portions.shift();
      continue;
    }
    fail(work, end.number, end.problem);
    await stop(child);
    child = start(bundle);
    work = end.number + 1 < work.to ? { ...work, from: Math.max(work.from, end.number + 1) } : portions.shift();
    if (end.number < 0) work = portions.shift();
  }
  await stop(child);
}

type End = Extract<Report, { kind: "done" }> | { readonly kind: "stopped"; number: number; problem: string };

function runPortion(child: ChildProcess, work: Work, fail: Fail): Promise<End> {
  return new Promise((settle) => {
    let number = -1;
    let errors = "";
    const finish = (end: End) => {
      clearTimeout(watchdog);
      child.off("message", hear);
      child.off("exit", ended);
      child.stderr?.off("data", print);
      settle(end);
    };
    const watchdog = setTimeout(() => {
      finish({ kind: "stopped", number, problem: `nothing happens for ${SILENCE_MS / 1000} s` });
    }, SILENCE_MS);
    const hear = (report: Report) => {
      watchdog.refresh();
      if (report.kind === "begins") number = report.number;
      else if (report.kind === "failed") fail(work, report.number, report.problem);
      else if (report.kind === "done") finish(report);
    };
    const ended = (code: number | null, signal: string | null) => {
      finish({ kind: "stopped", number, problem: `the process ends (${signal ?? code}): ${errors.slice(-2000)}` });
    };
    const print = (text: Buffer) => {
      errors = (errors + text).slice(-4000);
    };
    child.on("message", hear);
    child.on("exit", ended);
    child.stderr?.on("data", print);
    child.send(work);
  });
}

function start(bundle: string): ChildProcess {
  return fork(bundle, { execArgv: ["--max-old-space-size=1024"], stdio: ["ignore", "ignore", "pipe", "ipc"] });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((settle) => {
    if (child.exitCode !== null || child.signalCode !== null) return settle();
    child.once("exit", () => settle());
    child.kill("SIGKILL");
  });
}

/** Beside the packages that it imports. */
async function bundleChild(): Promise<string> {
  const bundle = resolve(`node_modules/.cache/annarrow-fuzz-${process.pid}.mjs`);
  mkdirSync(resolve(bundle, ".."), { recursive: true });
  await build({
    entryPoints: ["test/fuzz/child.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: bundle,
    logLevel: "error",
  });
  return bundle;
}
