// Runs every benchmark against its peer and writes bench/RESULTS.md.
//
//   node bench/run.mjs [--python PYTHON] [--repeat N] [--folder CACHE] [--cells N --genes N --values N --texts N]
//
// PYTHON has anndata and pyarrow (test/interop/requirements.txt). Both sides run as whole processes, alternately, with
// the page cache warm. Needs `npm run build`.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    python: { type: "string", default: "python3" },
    repeat: { type: "string", default: "5" },
    folder: { type: "string", default: join(tmpdir(), "annarrow-bench") },
    cells: { type: "string" },
    genes: { type: "string" },
    values: { type: "string" },
    texts: { type: "string" },
  },
});
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const cli = [process.execPath, path("../dist/cli/main.js")];
const python = (script, ...args) => [options.python, path(script), ...args];
const run = (command) =>
  execFileSync(command[0], command.slice(1), { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const measure = (command) => JSON.parse(run(python("measure.py", ...command)));
const repeat = Number(options.repeat);

const sizes = ["cells", "genes", "values", "texts"].flatMap((name) =>
  options[name] ? [`--${name}`, options[name]] : [],
);
console.log(run(python("make_matrix.py", options.folder, ...sizes)));
const input = (name) => join(options.folder, name);
const output = (name) => join(options.folder, "out", name);
const example = path("../examples/pbmc.h5ad");

/** Each: what it is, our command, the peer's command or none, and the folder a side writes. */
const BENCHMARKS = [
  { name: "`annarrow --help`", ours: [...cli, "--help"], repeat: 10, limit: "0.25 s" },
  { name: "`annarrow inspect examples/pbmc.h5ad`", ours: [...cli, "inspect", example], repeat: 10, limit: "0.5 s" },
  {
    name: "`matrix.h5ad` to Parquet (zstd)",
    ours: [...cli, "convert", input("matrix.h5ad"), `${output("ours")}/`, "--to", "parquet"],
    peer: python("peer.py", "parquet", input("matrix.h5ad"), output("peer")),
    writes: true,
    limit: "the peer's time; 600 MiB",
  },
  {
    name: "text column of `strings.h5ad` to Arrow",
    ours: [process.execPath, path("read-strings.mjs"), input("strings.h5ad")],
    peer: python("peer.py", "strings", input("strings.h5ad")),
  },
];

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const s = (seconds) => `${seconds.toFixed(seconds < 1 ? 3 : 2)} s`;
const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
const sizeOf = (folder) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
const clear = () => {
  rmSync(join(options.folder, "out"), { recursive: true, force: true });
  mkdirSync(join(options.folder, "out"));
};

function summarise(runs) {
  const seconds = runs.map((one) => one.seconds);
  const cpu = median(runs.map((one) => one.cpuSeconds));
  return {
    median: median(seconds),
    minimum: Math.min(...seconds),
    cpu,
    peak: Math.max(...runs.map((one) => one.peakBytes)),
  };
}

const rows = [];
const notes = [];
for (const benchmark of BENCHMARKS) {
  const sides = { ours: [], peer: [] };
  const names = benchmark.peer ? ["ours", "peer"] : ["ours"];
  // The first round warms the page cache and does not count.
  for (let round = -1; round < (benchmark.repeat ?? repeat); round++) {
    clear();
    for (const side of round % 2 ? [...names].reverse() : names) {
      const one = measure(benchmark[side]);
      if (round >= 0) sides[side].push(one);
    }
  }
  const ours = summarise(sides.ours);
  const row = (name, side, { median, minimum, cpu, peak }, ratio, aim) =>
    rows.push([name, side, s(median), s(minimum), s(cpu), mib(peak), ratio, aim]);
  const peer = benchmark.peer ? summarise(sides.peer) : null;
  row(benchmark.name, "annarrow", ours, peer ? (ours.median / peer.median).toFixed(2) : "", benchmark.limit ?? "");
  if (peer) row("", "anndata, pyarrow", peer, "1", "");
  console.log(
    rows
      .slice(peer ? -2 : -1)
      .map((cells) => cells.join(" | "))
      .join("\n"),
  );
  if (benchmark.writes) {
    const both = run(python("check_parquet.py", output("ours"), output("peer"))).trim();
    notes.push(`Both sides wrote the same values: \`${both}\`.`);
    notes.push(`Bytes written: ours ${mib(sizeOf(output("ours")))}, peer ${mib(sizeOf(output("peer")))}.`);
  }
}
rmSync(join(options.folder, "out"), { recursive: true, force: true });

const VERSIONS = `import platform; from importlib.metadata import version
print("Python", platform.python_version(), *(f", {name} {version(name)}" for name in ("anndata", "h5py", "pyarrow")))`;
const versions = run([options.python, "-c", VERSIONS]).trim().replaceAll(" ,", ",");
const head = ["", "", "median", "minimum", "CPU", "peak memory", "ratio of medians", "aim"];
const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
writeFileSync(
  path("RESULTS.md"),
  `# Benchmarks

${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0].model}, ${mib(totalmem())} of memory, Node ${process.versions.node}; peer: ${versions}.

Command: \`${["node bench/run.mjs", ...sizes].join(" ")}\` (\`--python\` and \`--folder\` say where Python and the input are)

Whole processes, both sides alternately in the same run, page cache warm; ${repeat} timed rounds (10 for the start-up
times) after one that is not. Memory is the largest resident size of the process. \`matrix.h5ad\` has ${statSync(input("matrix.h5ad")).size.toLocaleString("en")} bytes: ${sizes.length ? sizes.join(" ") : "25,000 x 20,000 with 55 M stored values"}; the peer
(\`bench/peer.py\`) reads it with anndata, builds the coordinate table and writes it with pyarrow, obs and var too.

${table}

${notes.map((note) => `- ${note}`).join("\n")}
`,
);
