import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const MAIN = "dist/cli/main.js";
const PBMC = "examples/pbmc.h5ad";
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "annarrow-cli-"));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function run(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const options = { encoding: "buffer" as const, maxBuffer: 2 ** 26 };
    const child = execFile(process.execPath, [MAIN, ...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr: stderr.toString() }),
    );
  });
}

describe("help", () => {
  test("has examples, and is quick", async () => {
    const started = performance.now();
    const { code, stdout } = await run("--help");
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(String(stdout)).toContain("annarrow convert pbmc.h5ad pbmc/ --to parquet");
    // What is not in columns, which are wrapped in a terminal, fits into one.
    const wide = String(stdout)
      .split("\n")
      .filter((line) => /^\S/.test(line) && line.length > 105);
    expect(wide).toEqual([]);
  });

  test.each(["inspect", "convert", "query"])("%s --help has examples", async (command) => {
    const { code, stdout } = await run(command, "--help");
    expect(code).toBe(0);
    expect(String(stdout)).toContain(`annarrow ${command} pbmc`);
  });

  test.each([
    ["convert", ["Output", "Cells, genes and elements", "Tables", "From tables", "BPCells", "Loom", "MATLAB", "R"]],
    ["concat", ["Concatenation", "Output"]],
    ["split", ["Split", "Output", "Cells, genes and elements"]],
  ])("%s --help has its options below headings, in lines of 80 characters", async (command, headings) => {
    const help = String((await run(command, "--help")).stdout);
    const found = help.split("\n").filter((line) => /^[A-Z].*:$/.test(line));
    const wanted = ["Examples", "Arguments", ...headings, "Opening the input", "General"];
    expect(found.slice(0, wanted.length).map((line, i) => line.slice(0, wanted[i].length))).toEqual(wanted);
    const options = help.slice(help.indexOf("Arguments:"), help.indexOf("--help")).split("\n");
    expect(options.filter((line) => line.length > 80)).toEqual([]);
  });

  test("--version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(String((await run("--version")).stdout)).toBe(`${version}\n`);
  });
});

test("what a killed process has left is removed, and that is said", async () => {
  const top = mkdtempSync(join(folder, "left-"));
  const child = spawn(process.execPath, [MAIN, "convert", PBMC, join(top, "a.zarr")]);
  await expect.poll(() => readdirSync(top), { interval: 1, timeout: 20_000 }).toHaveLength(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  const [left] = readdirSync(top);
  expect(left).toMatch(/^\.a\.zarr\..*\.tmp$/);
  const { stderr } = await run("convert", PBMC, join(top, "obs.csv"), "--table", "obs");
  expect(stderr).toContain(
    `annarrow: warning: ${join(top, left)}: left unfinished by a process that has ended; removed\n`,
  );
  expect(readdirSync(top)).toEqual(["obs.csv"]);
});

test("a web server that does not answer is given up after --http-timeout", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/x.h5ad`;
  const { code, stderr } = await run("inspect", url, "--http-timeout", "0.5");
  expect(stderr).toMatch(
    /^annarrow: http:.*x\.h5ad: bytes 0-65535: only 0 bytes came in \d+\.\d s, after 1 attempt in /,
  );
  expect(code).toBe(1);
  server.closeAllConnections();
  server.close();
});

describe("wrong use is exit code 2 and one line", () => {
  test.each([
    [["nosuch"], /^annarrow: unknown command 'nosuch'/],
    [
      [PBMC],
      /^annarrow: examples\/pbmc\.h5ad is no command; to see what is in it: annarrow inspect examples\/pbmc\.h5ad\n$/,
    ],
    [["my file.zarr"], /: annarrow inspect 'my file\.zarr'\n$/],
    [
      ["convert", PBMC, "o", "--to", "parqet"],
      /argument 'parqet' is invalid\. Did you mean parquet\? Allowed choices are/,
    ],
    [["query", PBMC, "--format", "jsn"], /Did you mean json\? Allowed choices are/],
    [["inspect", PBMC, "--text", "latin"], /Did you mean latin1\? Allowed choices are error, latin1/],
    [["inspect", PBMC, "--open-as", "hdf"], /Did you mean hdf5\? Allowed choices are hdf5, zarr/],
    [["convert", PBMC], /^annarrow: missing the output: annarrow convert IN OUT/],
    [["convert", "o.h5ad", "--X", "x.parquet", "--table", "X"], /^annarrow: --table, --layout and --positions choose/],
    [["convert", "o.h5ad", "--element", "obsm"], /argument 'obsm' is invalid\. It must be name=file/],
    [["convert", "o.h5ad", "--X", "x.parquet", "--shape", "3"], /argument '3' is invalid\. It must be two numbers/],
    [["convert", PBMC, "out.zarr", "--zarr-format", "1"], /argument '1' is invalid\. Allowed choices are 2, 3/],
    [["convert", PBMC, "out", "--to", "feather"], /^annarrow: option '--to <format>' argument 'feather' is invalid/],
    [["convert", PBMC, "out"], /^annarrow: out: does not say which format to write: add --to/],
    [["convert", PBMC, "x.h5"], /^annarrow: x\.h5: \.h5 does not say which format to write: add --to bpcells/],
    [
      ["convert", PBMC, "x.bpcells", "--order", "col"],
      /argument 'col' is invalid\. Allowed choices are csr, csc, row, column/,
    ],
    [
      ["query", PBMC, "select 1", "-o", "x.txt"],
      /^annarrow: x.txt does not say which format to write: add --format csv/,
    ],
    [["inspect", PBMC, "--http-timeout", "0"], /argument '0' is invalid\. It must be a number of seconds above 0/],
    [["inspect", "-"], /^annarrow: the standard input is not read/],
    [["inspect", ""], /^annarrow: the name of the file is empty/],
    [["convert", PBMC, "-", "--to", "h5ad"], /not written to the standard output.*: name a file/],
    [["serve", "examples", "--path", "x"], /^annarrow: unknown option '--path'/],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(stdout).toHaveLength(0);
  });
});

describe("errors are exit code 1 and one line", () => {
  test.each([
    [["inspect", "nosuch.h5ad"], "annarrow: nosuch.h5ad: no such file or directory\n"],
    [
      ["inspect", "examples/pbmc.h5da"],
      /^annarrow: .*: no such file or directory; did you mean examples\/pbmc\.h5ad\b/,
    ],
    [["inspect", "package.json"], /^annarrow: package\.json: .+\n$/],
    [["inspect", "docs"], /^annarrow: docs: no Zarr store .*, no BPCells .*, no tables .*: it holds anndata\.md, /],
    [
      ["inspect", "ftp://host/x.h5ad"],
      /^annarrow: .*: ftp is no scheme that is read: http, https, s3, gs, az, abfss, hf/,
    ],
    [["inspect", "s3:///x.h5ad"], "annarrow: s3:///x.h5ad: names no bucket\n"],
    [["inspect", "file:///nosuch/x.h5ad"], "annarrow: /nosuch/x.h5ad: no such file or directory\n"],
    [["inspect", PBMC, "--path", "obsm/X_uma"], /^annarrow: .*: obsm: no group "X_uma"; did you mean X_umap, /],
    [["inspect", PBMC, "--path", "var"], /^annarrow: .*: no annotated matrix here: var holds /],
    [
      ["serve", "examples", "--tls-cert", "no.pem", "--tls-key", "no.pem"],
      "annarrow: no.pem: no such file or directory\n",
    ],
    [
      ["serve", "examples", "--tls-cert", "package.json", "--tls-key", "package.json"],
      /^annarrow: TLS needs a certificate and its key, both PEM: /,
    ],
    [
      ["convert", PBMC, "x.zarr", "--obs", "nosuch > 1"],
      /^annarrow: .*pbmc\.h5ad: .*"nosuch".* obs has _index, cell_type/,
    ],
    [["convert", PBMC, "x.mat", "--table", "nosuch"], /^annarrow: .*nosuch/],
    [
      ["convert", PBMC, "x.h5ad", "--compression", "blosc"],
      /^annarrow: .*x\.h5ad: \.h5ad is compressed by gzip or not at all/,
    ],
    [
      ["convert", PBMC, "x.bpcells"],
      /^annarrow: .*: BPCells has no place for .*choose what is written \(--table\), or allow losses \(--lossy\)\n$/,
    ],
    [
      ["convert", PBMC, "x.h5ad", "--unpacked"],
      /^annarrow: .*x\.h5ad: \.h5ad has no choice of packed arrays \(--unpacked\)/,
    ],
    [["convert", PBMC, "package.json", "--to", "h5ad"], /^annarrow: package\.json: exists already/],
    [["convert", PBMC, "package.json/", "--to", "arrow"], /^annarrow: package\.json\/: exists already/],
    [["query", PBMC, "select nope from obs"], /^annarrow: Binder Error: .*"nope" not found.* obs has .*cell_type.*\n$/],
    [["query", PBMC, "select * from nosuch"], /^annarrow: Catalog Error: .*nosuch does not exist! The file has X, /],
  ])("%j", async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(1);
  });

  test("--verbose shows where", async () => {
    const { stderr } = await run("inspect", "nosuch.h5ad", "--verbose");
    expect(stderr).toMatch(/\n {4}at /);
  });
});

describe("what of a file is opened", () => {
  const several = "test/fixtures/data/bpcells/several.h5";

  test("--path: one group", async () => {
    const { stdout } = await run("inspect", several, "--path", "rna/counts", "--json");
    expect(JSON.parse(String(stdout))).toMatchObject({ version: "packed-uint-matrix-v2", shape: [60, 45] });
    const output = join(folder, "one.bpcells");
    expect((await run("convert", several, output, "--path", "rna/counts")).stderr).toMatch(/3 tables, 834 rows\n$/);
    const sql = "select count(*) as n from matrix";
    const answer = await run("query", several, sql, "--path", "rna/counts", "--format", "csv");
    expect(String(answer.stdout)).toBe("n\n729\n");
  });
});

describe("convert", () => {
  test("writes a directory", async () => {
    const { code, stdout, stderr } = await run("convert", PBMC, join(folder, "all/"), "--to", "parquet");
    expect(stderr).toMatch(/: \d+ tables, [\d,]+ rows\n$/);
    expect([code, stdout.length]).toEqual([0, 0]);
    const manifest = JSON.parse(readFileSync(join(folder, "all", "manifest.json"), "utf8"));
    for (const { file } of manifest.tables) expect(existsSync(join(folder, "all", file)), file).toBe(true);
  });

  test("writes one table, with positions", async () => {
    const file = join(folder, "obs.csv");
    const { code } = await run("convert", PBMC, file, "--table", "obs", "--positions");
    expect(code).toBe(0);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(2701);
    expect(lines[0]).toMatch(/,row$/);
    expect(lines[2700]).toMatch(/,2699$/);
  });

  test("writes AnnData in another container, and from tables", async () => {
    const zarr = join(folder, "copy.zarr");
    expect((await run("convert", PBMC, zarr, "--zarr-format", "3")).stderr).toMatch(
      /copy\.zarr: 20 tables, [\d,]+ rows\n$/,
    );
    const parts = join(folder, "parts");
    await run("convert", zarr, parts, "--to", "parquet", "--table", "X", "--table", "obs", "--table", "obsm/X_pca");
    const h5ad = join(folder, "parts.h5ad");
    const files = ["--X", `${parts}/X.parquet`, "--obs", `${parts}/obs.parquet`];
    const element = ["--element", `obsm/X_pca=${parts}/obsm/X_pca.parquet`];
    expect((await run("convert", ...files, ...element, h5ad)).stderr).toMatch(/3 tables, [\d,]+ rows\n$/);
    const { stdout } = await run("inspect", h5ad, "--json");
    const found = JSON.parse(String(stdout));
    expect(found.shape).toEqual([2700, 800]);
    expect(found.tables.map(({ name }: { name: string }) => name)).toEqual(["X", "obs", "obsm/X_pca", "var", "uns"]);
  });

  test("writes BPCells, and inspect tells how it is stored", async () => {
    const hdf5 = join(folder, "counts.h5");
    const options = ["--to", "bpcells", "--group", "rna/counts", "--table", "layers/counts", "--type", "uint"];
    expect(await run("convert", PBMC, hdf5, ...options)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/counts\.h5: 3 tables, [\d,]+ rows\n$/),
    });
    const text = String((await run("inspect", hdf5)).stdout);
    expect(text).toMatch(/counts\.h5: BPCells packed-uint-matrix-v2 in HDF5, 800 genes x 2,700 cells\n/);
    expect(text).toMatch(/\nmatrix: packed-uint-matrix-v2, column order, [\d.]+ bits per index, [\d.]+ per value\n/);
    const plain = join(folder, "plain.bpcells");
    await run("convert", hdf5, plain, "--unpacked", "--order", "row");
    const { tables } = JSON.parse(String((await run("inspect", plain, "--json")).stdout));
    expect(tables[0]).toMatchObject({
      name: "matrix",
      storage: { version: "unpacked-uint-matrix-v2", packed: false, order: "row", bits: { index: 32, value: 32 } },
    });
    const back = join(folder, "back.h5ad");
    expect(await run("convert", plain, back)).toMatchObject({ code: 0 });
    const lossy = await run("convert", PBMC, join(folder, "lossy.bpcells"), "--lossy");
    expect(lossy.stderr).toContain("annarrow: warning: left out: obsm/X_pca: BPCells has no place for it\n");
    expect(lossy.code).toBe(0);
  });

  test("writes fragments as text, and a store of them", async () => {
    const store = "test/fixtures/data/fragments/packed";
    const { stdout, code } = await run("convert", store, "-", "--to", "10x");
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(/^chr2\t\d+\t\d+\tBC\d\d-1\n/);
    const text = join(folder, "fragments.tsv.gz");
    expect((await run("convert", store, text)).stderr).toMatch(/fragments\.tsv\.gz: 1 table, 777 rows\n$/);
    const parquet = join(folder, "fragments.parquet");
    await run("convert", text, parquet);
    const output = join(folder, "atac.bpcells");
    expect((await run("convert", "--element", `fragments=${parquet}`, output)).stderr).toMatch(/1 table, 777 rows\n$/);
    const shown = String((await run("inspect", output)).stdout);
    expect(shown).toMatch(
      /\nfragments: packed-fragments-v2, [\d.]+ bits per cell, [\d.]+ per start, [\d.]+ per end\n$/,
    );
  });

  test("writes an Arrow stream to stdout", async () => {
    const { code, stdout } = await run("convert", PBMC, "-", "--table", "obsm/X_umap");
    expect(code).toBe(0);
    expect(tableFromIPC(stdout).numRows).toBe(2700);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends it with %d and leaves nothing", async (signal, expected) => {
    const child = spawn(process.execPath, [MAIN, "convert", PBMC, join(folder, "cut"), "--to", "parquet"]);
    const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    while (child.exitCode === null && !readdirSync(folder).some((name) => name.startsWith(".cut."))) {
      await sleep(2);
    }
    child.kill(signal);
    expect(await ended).toBe(expected);
    expect(readdirSync(folder).filter((name) => name.includes("cut"))).toEqual([]);
  });
});

describe("query", () => {
  const SQL =
    "select cell_type, count(*) as n from X join obs using (row) join var using (col) where symbol like 'CD3%' group by 1 order by 2 desc";

  test("joins the matrix with what describes it", async () => {
    const { code, stdout, stderr } = await run("query", PBMC, SQL);
    expect(stderr).toMatch(/^\d+ rows?\n$/);
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(/^cell_type +n\n/);
  });

  test.each([
    ["csv", /^cell_type,n\n[\w+ 0-9]+,\d+\n/],
    ["tsv", /^cell_type\tn\n[\w+ 0-9]+\t\d+\n/],
    ["json", /^\[\{"cell_type":"[^"]+","n":\d+\}(,\n\{.+\})*\]\n$/],
    ["ndjson", /^(\{"cell_type":"[^"]+","n":\d+\}\n)+$/],
    ["markdown", /^\| cell_type \| n \|\n\| --- \| --: \|\n(\| [\w+ 0-9]+ \| \d+ \|\n)+$/],
  ])("--format %s", async (format, expected) => {
    const { stdout, stderr } = await run("query", PBMC, SQL, "--format", format);
    expect(String(stdout)).toMatch(expected);
    expect(stderr).toBe("");
  });

  test("-o writes what the extension says", async () => {
    const file = join(folder, "answer.arrow");
    expect((await run("query", PBMC, "select 1 as one", "-o", file)).code).toBe(0);
    expect(tableFromIPC(readFileSync(file)).toArray().map(String)).toEqual(['{"one": 1}']);
    expect((await run("query", PBMC, "select 1 as one", "-o", file)).stderr).toContain("exists already");
  });

  // The engine blocks the thread at most of these moments, and Node begins to listen at some others.
  test.each([50, 150, 300, 500, 700, 900, 1200, 1500, 1800, 3000])("Ctrl-C ends it after %d ms", async (time) => {
    const sql = "select count(*) from range(100000) a, range(1000000) b where hash(a.range + b.range) = 1";
    const child = spawn(process.execPath, [MAIN, "query", PBMC, sql, "--engine", "wasm"]);
    const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)));
    await sleep(time);
    child.kill("SIGINT");
    const late = sleep(30_000, "runs on");
    // A shell sees the exit code 130. Native DuckDB is interrupted in engine.test.ts.
    expect(await Promise.race([ended, late]).finally(() => child.kill("SIGKILL"))).toBe("SIGINT");
  });

  test("Ctrl-C leaves no part of an output file", async () => {
    const sql = "select a.* from X a, range(10000)";
    const child = spawn(process.execPath, [MAIN, "query", PBMC, sql, "-o", join(folder, "long.csv")]);
    const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    while (child.exitCode === null && !readdirSync(folder).some((name) => name.startsWith(".long."))) await sleep(2);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(readdirSync(folder).filter((name) => name.includes("long"))).toEqual([]);
  });

  test("a reader that goes away is no error", async () => {
    const command = `"${process.execPath}" ${MAIN} query ${PBMC} "select * from X" --format csv | head -n 2`;
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile("/bin/sh", ["-c", command], (_, out, err) => resolve({ stdout: out, stderr: err }));
    });
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stderr).toBe("");
  });
});

// A device that takes nothing; other systems have none.
describe.runIf(existsSync("/dev/full"))("a standard output that takes no more is an error", () => {
  test.each([[["inspect", PBMC]], [["--help"]], [["convert", PBMC, "-", "--table", "obs", "--to", "csv"]]])(
    "%j",
    async (args) => {
      const full = openSync("/dev/full", "w");
      const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", full, "pipe"] });
      let stderr = "";
      child.stderr?.on("data", (text) => {
        stderr += text;
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      closeSync(full);
      expect(stderr).toBe("annarrow: the standard output: cannot be written: no space left on device (ENOSPC)\n");
      expect(code).toBe(1);
    },
  );
});
