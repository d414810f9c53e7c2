/** What killed processes have left: the next write removes it, and nothing else. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { convert } from "../../../packages/published/src/node.js";
import { bundled } from "../../../scripts/import-bundled.mjs";
import { createDirectoryTarget } from "../../../src/io/targets/directory.node.js";
import { createFileTarget } from "../../../src/io/targets/file.node.js";
import { getReplacedName } from "../../../src/io/targets/renames.node.js";
import {
  createTemporaryName,
  detectOwnerState,
  type Owner,
  readProcessOwner,
  UPLOAD,
} from "../../../src/io/targets/temporary-output.node.js";
import { createTemporarySpill } from "../../../src/jobs/external-sort/spill.node.js";

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-leftovers-"));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** A process that does nothing until it is killed. */
async function living(): Promise<{ readonly child: ChildProcess; readonly owner: Owner }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return { child, owner: await readProcessOwner(child.pid) };
}

async function ended(): Promise<Owner> {
  const { child, owner } = await living();
  child.kill("SIGKILL");
  await once(child, "exit");
  return owner;
}

async function leftFile(owner: Owner, name = "out.h5ad", where = folder): Promise<string> {
  const path = join(where, await createTemporaryName(name, owner));
  writeFileSync(path, "half");
  return path;
}

async function leftFolder(owner: Owner, name = "out.zarr"): Promise<string> {
  const path = join(folder, await createTemporaryName(name, owner));
  mkdirSync(join(path, "X"), { recursive: true });
  writeFileSync(join(path, "X", "0"), "half");
  return path;
}

/** Writes a file beside it all; gives the warnings. */
async function write(name = "beside.h5ad"): Promise<readonly string[]> {
  const target = await createFileTarget(join(folder, name), { overwrite: true });
  await target.commit();
  return target.warnings ?? [];
}

const HALF = "left unfinished by a process that has ended; removed";

describe("of a process that was killed", () => {
  test("files and folders are removed by the next write of a file, which says so", async () => {
    const owner = await ended();
    const paths = [await leftFile(owner), await leftFolder(owner)];
    const warnings = await write();
    expect([...warnings].sort()).toEqual(paths.map((path) => `${path}: ${HALF}`).sort());
    expect(readdirSync(folder)).toEqual(["beside.h5ad"]);
  });

  test("and by the next write of a folder", async () => {
    const path = await leftFile(await ended());
    const target = await createDirectoryTarget(join(folder, "new.zarr"));
    expect(target.warnings).toEqual([`${path}: ${HALF}`]);
    await target.abort();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["new.h5ad", {}],
    ["new.zarr", {}],
    ["new.zarr.zip", {}],
    ["obs.csv", { tables: ["obs"] }],
    ["tables", { format: "parquet" }],
  ] as const)("and a conversion to %s warns of it once", async (name, options) => {
    const path = await leftFile(await ended());
    const { warnings } = await convert("test/fixtures/data/annotated/counts.h5ad", join(folder, name), options);
    expect(warnings.filter((warning) => warning.includes(path))).toEqual([`${path}: ${HALF}`]);
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("what sorts spilled is removed by the next sort that spills there", async () => {
    const owner = await ended();
    await leftFile(owner, "annarrow-sort");
    const other = await leftFile(owner, "out.h5ad");
    const spill = createTemporarySpill(folder);
    await spill.append([new Uint8Array(10)]);
    await spill.remove();
    expect(readdirSync(folder)).toEqual([basename(other)]);
  });

  test("what cannot be removed is named, and in nobody's way", async () => {
    const path = await leftFolder(await ended());
    // Root may remove everything but where something is mounted.
    const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", join(path, "X")]).status === 0;
    if (!mounted) return;
    try {
      const [warning] = await write();
      expect(warning).toMatch(`${path}: left unfinished by a process that has ended; it cannot be removed: `);
      expect(warning).toMatch(/\(EBUSY\)$/);
    } finally {
      spawnSync("umount", [join(path, "X")]);
    }
  });

  test("also where it has ended and nobody asked after it", async () => {
    // The shell starts a process that ends at once, and becomes one that never asks.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    children.push(parent);
    const [chunk] = await once(parent.stdout, "data");
    const pid = Number(String(chunk));
    const owner = await readProcessOwner(pid);
    const stat = () => readFileSync(`/proc/${pid}/stat`, "utf8");
    if (process.platform !== "linux") return;
    await expect.poll(() => / [ZX] /.test(stat()), { timeout: 10_000 }).toBe(true);
    await leftFile(owner);
    expect(await write()).toHaveLength(1);
  });
});

describe("what may have a living owner stays", () => {
  test("of this process, and of another one that runs or is stopped", async () => {
    const { child, owner } = await living();
    child.kill("SIGSTOP");
    const names = [await leftFile(await readProcessOwner()), await leftFile(owner), await leftFolder(owner)].map(
      (path) => basename(path),
    );
    expect(await write()).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual([...names, "beside.h5ad"].sort());
  });

  test.runIf(process.platform === "linux")("but of one whose number another has now", async () => {
    const { owner } = await living();
    expect(Number(owner.began)).toBeGreaterThan(0);
    await leftFile({ ...owner, began: String(Number(owner.began) - 1) });
    // Where the system did not tell when it began, the one of its number is taken for it.
    const untold = await leftFile({ ...owner, began: "" });
    await write();
    expect(readdirSync(folder).sort()).toEqual([basename(untold), "beside.h5ad"].sort());
  });

  test("of another machine, another container, or an unknown one, however old", async () => {
    const owner = await ended();
    const old = new Date("2020-01-01");
    for (const other of [
      { ...owner, system: "0123456789ab", machine: "0123456789ab" },
      { ...owner, system: "0123456789ab", machine: "" },
      { ...owner, system: "", machine: "" },
    ]) {
      utimesSync(await leftFile(other), old, old);
      utimesSync(await leftFolder(other), old, old);
    }
    expect(await write()).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(7);
  });

  test.runIf(process.platform === "linux")(
    "in a container of its own, where the numbers of processes are others",
    async () => {
      const writer = await bundled("test/io/targets/writer.ts");
      const [outside, beside] = [await leftFile((await living()).owner), join(folder, "beside.h5ad")];
      const command = [process.execPath, writer.file, "file", beside, "1", "1"];
      const { status, stderr } = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", ...command]);
      await writer.remove();
      if (status !== 0) {
        expect(String(stderr), "only one who may not have containers has none").toMatch(/not permitted|denied|ENOENT/i);
        return;
      }
      expect(readdirSync(folder).sort()).toEqual([basename(outside), "beside.h5ad"].sort());
    },
  );

  test("but of this machine from before it was started again", async () => {
    const owner = await ended();
    if (owner.machine === "") return;
    const before = { ...owner, system: "0123456789ab", pid: process.pid };
    expect(await detectOwnerState(before, Date.now())).toBe("unknown");
    expect(await detectOwnerState(before, Date.parse("2000-01-01"))).toBe("ended");
    expect(await detectOwnerState({ ...before, machine: "0123456789ab" }, Date.parse("2000-01-01"))).toBe("unknown");
  });
});

describe("what is not ours stays", () => {
  test.each([
    ".out.h5ad.tmp",
    ".out.h5ad.0123456789ab.tmp",
    "out.h5ad.OWNER-0123456789ab.tmp",
    ".out.h5ad.OWNER-0123456789ab.tmp.bak",
    ".out.h5ad.OWNER-0123456789ab.tmp~",
    ".out.h5ad.OWNER-0123456789abcd.tmp",
    ".out.h5ad.OWNER-0123456789AB.tmp",
    ".out.h5ad.OWNER.tmp",
    ".OWNER-0123456789ab.tmp",
    ".annarrow-upload-thesis",
    ".annarrow.0123456789abcdef.tmp",
  ])("%s", async (pattern) => {
    const [, owned = ""] = /^\.x\.(.*)-[0-9a-f]{12}\.tmp$/.exec(await createTemporaryName("x", await ended())) ?? [];
    const name = pattern.replace("OWNER", owned);
    writeFileSync(join(folder, name), "mine");
    expect(await write()).toEqual([]);
    expect(readdirSync(folder)).toContain(name);
  });

  test("links, and what they lead to", async () => {
    const owner = await ended();
    const outside = mkdtempSync(join(tmpdir(), "annarrow-outside-"));
    writeFileSync(join(outside, "thesis.doc"), "mine");
    symlinkSync(outside, join(folder, await createTemporaryName("out.zarr", owner)));
    const left = await leftFolder(owner);
    symlinkSync(outside, join(left, "linked"));
    expect(await write()).toEqual([`${left}: ${HALF}`]);
    expect(readdirSync(outside)).toEqual(["thesis.doc"]);
    rmSync(outside, { recursive: true });
  });

  test("what belongs to another user", async () => {
    if (process.getuid?.() !== 0) return;
    const path = await leftFile(await ended());
    chownSync(path, 12345, 12345);
    expect(await write()).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});

describe("a folder whose replacement was killed between two renames", () => {
  /** What was at `name`. */
  async function replaced(name: string, owner: Owner): Promise<string> {
    const path = getReplacedName(join(folder, await createTemporaryName(name, owner)));
    mkdirSync(path);
    writeFileSync(join(path, "zarr.json"), "before");
    return path;
  }

  test("is put back before something is written there", async () => {
    await replaced("out.zarr", await ended());
    await expect(createDirectoryTarget(join(folder, "out.zarr"))).rejects.toThrow("exists already");
    expect(readdirSync(folder)).toEqual(["out.zarr"]);
    expect(readFileSync(join(folder, "out.zarr", "zarr.json"), "utf8")).toBe("before");
  });

  test("or beside it, and what was to replace it is removed", async () => {
    const owner = await ended();
    const half = await leftFolder(owner);
    await replaced("out.zarr", owner);
    const warnings = await write();
    expect([...warnings].sort()).toEqual(
      [
        `${half}: ${HALF}`,
        `${join(folder, "out.zarr")}: was being replaced by a process that has ended; put back`,
      ].sort(),
    );
    expect(readdirSync(folder).sort()).toEqual(["beside.h5ad", "out.zarr"]);
    expect(readFileSync(join(folder, "out.zarr", "zarr.json"), "utf8")).toBe("before");
  });

  test("stays where another has taken its place, and is named", async () => {
    const path = await replaced("out.zarr", await ended());
    mkdirSync(join(folder, "out.zarr"));
    expect(await write()).toEqual([expect.stringContaining(`${path}: stood at out.zarr`)]);
    expect(readdirSync(path)).toEqual(["zarr.json"]);
    expect(readdirSync(join(folder, "out.zarr"))).toEqual([]);
  });

  test("stays while its process may be at it", async () => {
    const { owner } = await living();
    const path = await replaced("out.zarr", owner);
    await (await createDirectoryTarget(join(folder, "out.zarr"))).abort();
    expect(await write()).toEqual([]);
    expect(readdirSync(path)).toEqual(["zarr.json"]);
  });

  test("is not mixed up with another", async () => {
    await replaced("out", await ended());
    await (await createDirectoryTarget(join(folder, "out.zarr"))).abort();
    expect(readdirSync(folder)).toEqual(["out"]);
  });
});

test("names of temporary files fit every file system", async () => {
  const owner = { system: "0123456789ab", machine: "0123456789ab", pid: 4294967295, began: "12345678901234" };
  for (const name of ["x".repeat(255), "é".repeat(127), "🧬".repeat(63)]) {
    expect(Buffer.byteLength(getReplacedName(await createTemporaryName(name, owner)))).toBeLessThanOrEqual(255);
  }
  // Folders of uploads are hidden.
  expect(await createTemporaryName(UPLOAD)).toMatch(/^\.annarrow-upload\./);
});
