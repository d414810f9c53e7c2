/** Runs mutations in processes of their own, and watches these: a crash or a hang ends one mutation, not the run. */

import { type ChildProcess, fork } from "node:child_process";
import { bundled } from "../../scripts/import-bundled.mjs";
import { type FuzzEntry, type FuzzFormat, fuzzFiles } from "./corpus.js";
import type { Report, Work } from "./protocol.js";
import { Random } from "./random.js";

export interface FuzzOptions {
  /** Each has its share of the mutations. */
  readonly seeds: readonly number[];
  /** Mutations in all, shared out among the files; small ones get more. */
  readonly mutations: number;
  readonly processes: number;
  /** Only files whose name holds this. */
  readonly only?: string;
  /** Only files of at most so many bytes. */
  readonly largest?: number;
  /** Only this mutation of the file whose name `only` is. */
  readonly number?: number;
  /** No portion begins once this is aborted. */
  readonly signal?: AbortSignal;
  /** Hears of each failure as it happens. */
  readonly onFailure?: (failure: string) => void;
}

export type Counts = { -readonly [K in "mutations" | "error" | "same" | "other" | "failed"]: number };

export interface FuzzResult {
  readonly files: number;
  readonly byFormat: ReadonlyMap<FuzzFormat, Counts>;
  /** One text per failed mutation: how to run it again, and what was wrong. */
  readonly failures: readonly string[];
}

/** Without a word from a process, it is stopped: far longer than the 5 s of processor time that it measures itself. */
const SILENCE_MS = 120_000;

/** Mutations that a process is given at once. */
const PORTION = 100;

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const bundle = await bundled("test/fuzz/child.ts");
  try {
    const entries = new Map(fuzzFiles().map((entry) => [entry.name, entry]));
    const portions = portionsOf(options, [...entries.values()]);
    const byFormat = new Map<FuzzFormat, Counts>();
    const files = new Set<string>();
    const failures: string[] = [];
    const countsOf = ({ file }: Work) => {
      const format = entries.get(file)?.format ?? "HDF5";
      const counts = byFormat.get(format) ?? { mutations: 0, error: 0, same: 0, other: 0, failed: 0 };
      byFormat.set(format, counts);
      return counts;
    };
    const fail = (work: Work, number: number, problem: string) => {
      const { file, seed } = work;
      const again = number < 0 ? "undamaged" : `node .ci/fuzz.mjs --seed ${seed} --file ${file} --number ${number}`;
      const failure = `${file}, ${again}\n    ${problem}`;
      countsOf(work).failed++;
      failures.push(failure);
      options.onFailure?.(failure);
    };
    const next = () => {
      const work = options.signal?.aborted ? undefined : portions.shift();
      if (work === undefined) return undefined;
      files.add(work.file);
      countsOf(work).mutations += work.to - work.from;
      return work;
    };
    await Promise.all(Array.from({ length: options.processes }, () => runLane(bundle.file, next, fail, countsOf)));
    return { files: files.size, byFormat, failures };
  } finally {
    await bundle.remove();
  }
}

/** In a random order, so that whatever is done until a moment is a sample of all. */
function portionsOf(
  { seeds, mutations, only = "", largest = Number.POSITIVE_INFINITY, number }: FuzzOptions,
  entries: readonly FuzzEntry[],
): Work[] {
  const files = entries.filter(({ name, size }) =>
    number === undefined ? name.includes(only) && size <= largest : name === only,
  );
  const total = files.reduce((sum, { weight }) => sum + weight, 0);
  const portions = seeds.flatMap((seed) =>
    files.flatMap(({ name: file, weight }) => {
      if (number !== undefined) return [{ seed, file, from: number, to: number + 1 }];
      const count = Math.ceil((mutations * weight) / total / seeds.length);
      return Array.from({ length: Math.ceil(count / PORTION) }, (_, i) => ({
        seed,
        file,
        from: i * PORTION,
        to: Math.min(count, (i + 1) * PORTION),
      }));
    }),
  );
  const random = new Random(...seeds, "order");
  return portions
    .map((work) => ({ work, place: random.below(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ work }) => work);
}

type Fail = (work: Work, number: number, problem: string) => void;

async function runLane(
  bundle: string,
  next: () => Work | undefined,
  fail: Fail,
  countsOf: (work: Work) => Counts,
): Promise<void> {
  let child = start(bundle);
  for (let work = next(); work !== undefined; ) {
    const end = await runPortion(child, work, fail);
    if (end.kind === "done") {
      const counts = countsOf(work);
      for (const outcome of ["error", "same", "other"] as const) counts[outcome] += end[outcome];
      work = next();
      continue;
    }
    fail(work, end.number, end.problem);
    await stop(child);
    child = start(bundle);
    work = end.number >= 0 && end.number + 1 < work.to ? { ...work, from: end.number + 1 } : next();
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
