// Kills unions, their tasks and their commits at random moments, and checks that no reader sees a part of a union, and that
// the commands, run again, make what they make undisturbed:
//   node .ci/kill-union.mjs [--moments N] [--seed S]
//
// Also lets two commits run at once, of which one must win. Ends with the line "N passed, N failed".
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { moments: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});
const moments = Number(options.moments);
const TASKS = 3;

let [passed, failed] = [0, 0];
function check(isRight, what) {
  if (isRight) passed++;
  else failed++;
  if (!isRight) process.stdout.write(`failed: ${what}\n`);
}

let state = Number(options.seed) >>> 0;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

const command = (...args) => ["dist/cli/main.js", ...args];

/** Runs a command to its end. */
function run(...args) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, command(...args), { encoding: "utf8" });
  if (status !== 0) throw new Error(`annarrow ${args.join(" ").slice(0, 200)}: ${stderr}`);
  return performance.now() - began;
}

/** Starts a command. @returns its exit code and what it wrote, once it has ended. */
function started(...args) {
  const child = spawn(process.execPath, command(...args), { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.on("data", (part) => {
    text += part;
  });
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ code, text })));
  return { child, ended };
}

/** Kills a command at a random moment of `milliseconds`. @returns whether it had ended before. */
async function killed(milliseconds, ...args) {
  const { child, ended } = started(...args);
  await Promise.race([ended, sleep(random() * milliseconds)]);
  child.kill("SIGKILL");
  return (await ended).code === 0;
}

/** Paths below a folder with hashes of their content. */
function contentOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${relative(folder, path)} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
    .sort();
}

const manifestOf = (folder) => {
  const path = join(folder, "manifest.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
};

/** The files that a manifest lists and that are not there as it says. */
function brokenParts(folder) {
  return (manifestOf(folder)?.tables ?? []).flatMap(({ parts }) =>
    parts.filter(({ file, sha256 }) => {
      const path = join(folder, file);
      return !existsSync(path) || createHash("sha256").update(readFileSync(path)).digest("hex") !== sha256;
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), "annarrow-kill-union-"));
const place = (name) => join(folder, name);
try {
  run("split", "examples/pbmc.h5ad", place("in"), "--rows", "100", "--elements", "X,obs,var");
  const files = readdirSync(place("in")).filter((name) => name.endsWith(".h5ad"));
  const inputs = files.map((name) => join(place("in"), name));
  const took = run("union", ...inputs, place("whole"));
  const whole = contentOf(place("whole"));
  const atlas = place("atlas");
  const planFile = place("plan.json");
  const planFor = (file, tasks, ...more) => run("union", "plan", ...more, atlas, "-o", file, "--tasks", String(tasks));
  const compared = (what) => {
    run("union", "clean", atlas);
    const found = contentOf(atlas);
    const unlike = [...found.filter((one) => !whole.includes(one)), ...whole.filter((one) => !found.includes(one))];
    check(unlike.length === 0, `${what} is not what it is undisturbed: ${unlike.slice(0, 3).join(", ")}`);
  };

  for (let moment = 0; moment < moments; moment++) {
    rmSync(atlas, { recursive: true, force: true });
    await killed(took, "union", ...inputs, atlas);
    check(brokenParts(atlas).length === 0, "a manifest lists files that are not there");
    if (manifestOf(atlas) === null) run("union", ...inputs, atlas);
    compared("a union that was killed");
  }

  for (let moment = 0; moment < moments; moment++) {
    rmSync(atlas, { recursive: true, force: true });
    planFor(planFile, TASKS, ...inputs);
    for (const task of [2, 0, 1]) {
      // Another run of a task may have ended before; some are killed, and some run twice at once.
      await Promise.all([0, 1].map(() => killed(took, "union", "task", planFile, String(task))));
      check(manifestOf(atlas) === null, "a reader sees a task");
      run("union", "task", planFile, String(task));
    }
    while (!(await killed(took, "union", "commit", planFile))) {
      check(brokenParts(atlas).length === 0, "a commit that was killed lists files that are not there");
    }
    compared("a union of tasks that were killed");
  }

  for (let moment = 0; moment < Math.ceil(moments / 4); moment++) {
    rmSync(atlas, { recursive: true, force: true });
    run("union", ...inputs.slice(2), atlas);
    const rivals = [0, 1].map((i) => {
      const own = place(`plan-${i}.json`);
      planFor(own, 1, inputs[i]);
      run("union", "task", own, "0");
      return own;
    });
    const both = await Promise.all(rivals.map((file) => started("union", "commit", file).ended));
    check(both.filter(({ code }) => code === 0).length === 1, `of two commits won: ${both.map(({ code }) => code)}`);
    const [second] = both.filter(({ code }) => code !== 0);
    check(/another commit|plan again/.test(second?.text), `the second commit says: ${second?.text}`);
    check(manifestOf(atlas).union.datasets.length === files.length - 1, "one dataset is added");
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
