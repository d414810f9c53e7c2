/**
 * Handles temporary output: its names, its removal when the process is interrupted, and leftovers from killed
 * processes; also locks, which have the same kind of owner.
 * The name identifies the owner (`.name.<system>-<machine>-<pid>-<began>-<random>.tmp`), so leftovers can be
 * distinguished from output that another process is writing. Only output that certainly has no living owner counts as a
 * leftover.
 */

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { hostname, networkInterfaces, uptime } from "node:os";
import { promisify } from "node:util";
import { once } from "../../kernels/values/once.js";
import { describeSystemError, hasCode, runFileOperation } from "../../model/system-error.node.js";
import { type EntryFacts, type FileSystem, nodeFiles } from "./file-system.node.js";
import { renameOver } from "./renames.node.js";

/** Identity of a process: its id, the system that assigned the id, and its start time, since ids are reused. */
export interface Owner {
  /** The machine (since its last boot) or container that assigns process ids. Empty if unknown. */
  readonly system: string;
  /** The machine, independent of reboots. Empty if unknown, and always in a container. */
  readonly machine: string;
  readonly pid: number;
  /** Start time of the process. Empty if the system does not report it. */
  readonly began: string;
}

type System = Pick<Owner, "system" | "machine">;

const UNKNOWN: System = { system: "", machine: "" };

/** Value of `began` for a process that has ended. */
const ENDED = "ended";

/** The PID namespace that Linux uses for the machine itself, outside all containers. */
const OUTERMOST = "pid:[4026531836]";

/** Pattern that matches the result of `encodeOwner`, with four groups, to be embedded in a larger pattern. */
const OWNER_PATTERN = "([0-9a-f]{12}|0)-([0-9a-f]{12}|0)-([1-9]\\d{0,9})-(\\d{1,14})";

export function encodeOwner({ system, machine, pid, began }: Owner): string {
  return `${system || "0"}-${machine || "0"}-${pid}-${began || "0"}`;
}

/** Returns the owner described by the four groups in `OWNER_PATTERN`. */
function decodeOwner([system, machine, pid, began]: readonly string[]): Owner {
  const known = (text: string) => (text === "0" ? "" : text);
  return { system: known(system), machine: known(machine), pid: Number(pid), began: known(began) };
}

/** Returns the process `pid` on this system as an owner; by default the current process. */
export async function readProcessOwner(pid = process.pid): Promise<Owner> {
  const system = await thisSystem();
  return { ...system, pid, began: system.system === "" ? "" : await beganAt(pid) };
}

/**
 * Determines whether the process has ended; unknown for a process on another machine or in another container.
 * @param touched time when the process's file was last changed, in milliseconds since 1970.
 */
export async function detectOwnerState(owner: Owner, touched: number): Promise<"ended" | "may be alive" | "unknown"> {
  const here = await thisSystem();
  if (here.system !== "" && here.system === owner.system) {
    if (!isRunning(owner.pid)) return "ended";
    const began = await beganAt(owner.pid);
    const isAnother = began !== "" && owner.began !== "" && began !== owner.began;
    return began === ENDED || isAnother ? "ended" : "may be alive";
  }
  // No process survives a restart of its machine. The start time also distinguishes copies of the same machine.
  const started = Date.now() - 1000 * uptime();
  return here.machine !== "" && here.machine === owner.machine && touched < started ? "ended" : "unknown";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process cannot be signalled, but it is running.
    return !hasCode(error, "ESRCH");
  }
}

/**
 * The system on which this process runs; unknown if containers on this platform (jails and similar) cannot be
 * distinguished.
 */
const thisSystem = once(async (): Promise<System> => {
  switch (process.platform) {
    case "linux":
      return linuxSystem();
    case "darwin":
    case "win32":
      return { system: addressesHash(), machine: "" };
    default:
      return UNKNOWN;
  }
});

async function linuxSystem(): Promise<System> {
  const text = (path: string) => readFile(path, "utf8").catch(() => "");
  const link = (path: string) => readlink(path).catch(() => "");
  const [boot, machine, self, processes, time] = await Promise.all([
    text("/proc/sys/kernel/random/boot_id"),
    text("/etc/machine-id"),
    link("/proc/self"),
    link("/proc/self/ns/pid"),
    link("/proc/self/ns/time"),
  ]);
  // This /proc belongs to another namespace, in which the pid identifies a different process.
  if (boot === "" || processes === "" || self !== String(process.pid)) return UNKNOWN;
  const isMachine = processes === OUTERMOST && /^[0-9a-f]{32}\s*$/.test(machine);
  return { system: hash(boot, processes, time), machine: isMachine ? hash(machine, hostname()) : "" };
}

/** Hashes the host name and network addresses. Two machines may have the same name, but not the same addresses. */
function addressesHash(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const macs = new Set(all.flatMap(({ internal, mac }) => (internal || /^[0:]*$/.test(mac) ? [] : [mac])));
  return macs.size === 0 ? "" : hash(hostname(), ...[...macs].sort());
}

function hash(...texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 12);
}

/**
 * Returns the start time of process `pid`, which distinguishes it from a later process with the same number; empty if
 * the system does not provide it.
 */
async function beganAt(pid: number): Promise<string> {
  switch (process.platform) {
    case "linux":
      return linuxBegan(pid);
    case "darwin":
      return psBegan(pid);
    default:
      return "";
  }
}

/** Reads the start time of a process from field 22 of `/proc/…/stat`, in ticks since boot. */
async function linuxBegan(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name precedes this field, in parentheses, and may contain any characters.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  // Z and X mark a process that has ended but for which its parent has not waited yet.
  if (fields[0] === "Z" || fields[0] === "X") return ENDED;
  return /^\d{1,14}$/.test(fields[19] ?? "") ? fields[19] : "";
}

/** Reads a process's start time from `ps` (`Sun Nov 22 19:07:06 2026`), in seconds since 1970. */
async function psBegan(pid: number): Promise<string> {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  const asked = promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], { env, timeout: 5000 });
  const text = await asked.then(({ stdout }) => stdout.trim()).catch(() => "");
  const seconds = Date.parse(`${text} UTC`) / 1000;
  return Number.isSafeInteger(seconds) && seconds > 0 ? String(seconds) : "";
}

/**
 * Maximum length of a name in bytes. Longer names are shortened. File systems allow 255 bytes, of which the suffix
 * takes up to 79.
 */
const MAX_NAME = 170;

const NAME = new RegExp(`^\\.(.+)\\.${OWNER_PATTERN}-[0-9a-f]{12}\\.tmp(\\.old)?$`, "s");

export const UPLOAD = "annarrow-upload";

/**
 * Milliseconds after which an unchanged upload with an unknown owner counts as a leftover. Active uploads end long
 * before that.
 */
const ABANDONED = 24 * 3_600_000;

/** Milliseconds between two updates of the modification time of a running upload's folder. */
export const TOUCH = 3_600_000;

/** Milliseconds to wait for the second of two renames, which normally follows the first within a second. */
const INTERRUPTED = 60_000;

/** Maximum number of entries that are read from a folder. */
const MAX_ENTRIES = 100_000;

/** Returns a temporary name for the output `name`, owned by this process by default. */
export async function createTemporaryName(name: string, owner?: Owner): Promise<string> {
  const random = randomBytes(6).toString("hex");
  return `.${shortened(name)}.${encodeOwner(owner ?? (await readProcessOwner()))}-${random}.tmp`;
}

function shortened(name: string): string {
  let kept = "";
  let length = 0;
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > MAX_NAME) break;
    kept += character;
  }
  return kept;
}

/** A leftover from a process that has ended, and the action taken on it. */
export interface Leftover {
  readonly path: string;
  /** Message about the leftover and the action taken, to be appended to the path. */
  readonly done: string;
}

/** True if the process that created the output `found` has ended. */
async function isOver(found: RegExpExecArray, { mtimeMs }: EntryFacts): Promise<boolean> {
  const state = await detectOwnerState(decodeOwner(found.slice(2, 6)), mtimeMs);
  return state === "ended" || (state === "unknown" && found[1] === UPLOAD && Date.now() - mtimeMs > ABANDONED);
}

/**
 * Whether this user owns a file or folder, which may then be removed. In a folder to which many users may write, others
 * could place links inside a folder.
 */
function isOurs(info: EntryFacts): boolean {
  if (!info.isFile() && !info.isDirectory()) return false;
  return process.getuid === undefined || info.uid === process.getuid();
}

/**
 * Removes unfinished output of processes that have ended from `folder`, and restores folders that they were replacing.
 * Output whose owner may be alive is kept, as is everything whose name is not a temporary name from this library.
 * @param options with `name`, only output with this name is removed; by default all of it.
 */
export async function removeLeftovers(
  folder: string,
  { name, files = nodeFiles }: { readonly name?: string; readonly files?: FileSystem } = {},
): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  const { fold, path: paths } = files.rules;
  for (const found of await temporaryIn(folder, files)) {
    if (name !== undefined && fold(found[1]) !== fold(name)) continue;
    const path = paths.join(folder, found[0]);
    const info = await files.entry(path);
    if (info === null || !isOurs(info) || !(await isOver(found, info))) continue;
    if (found[6] === undefined) leftovers.push(await removed(path, files));
    else leftovers.push(await putBackUnlessTaken(folder, found, files));
  }
  return leftovers;
}

/**
 * Restores the folder `name` in `folder` if nothing has this name because a process was killed between the two renames
 * of a replacement.
 * @throws {InvalidInputError} if the file system refuses.
 */
export async function putBack(
  folder: string,
  name: string,
  files: FileSystem = nodeFiles,
): Promise<readonly Leftover[]> {
  const { fold, path } = files.rules;
  if ((await files.entry(path.join(folder, name))) !== null) return [];
  // A system may list a name in a different form than the one in which it was created.
  const wanted = fold(shortened(name));
  for (const found of await temporaryIn(folder, files)) {
    if (found[6] === undefined || fold(found[1]) !== wanted) continue;
    const info = await files.entry(path.join(folder, found[0]));
    if (info === null || !isOurs(info)) continue;
    if (!(await isOver(found, info)) && Date.now() - info.ctimeMs < INTERRUPTED) continue;
    return [
      await runFileOperation(path.join(folder, name), () => renamed(folder, { temporary: found[0], name }, files)),
    ];
  }
  return [];
}

export function describeLeftovers(leftovers: readonly Leftover[]): readonly string[] {
  return leftovers.map(({ path, done }) => `${path}: ${done}`);
}

async function removed(path: string, files: FileSystem): Promise<Leftover> {
  const left = "left unfinished by a process that has ended";
  try {
    await files.remove(path);
    return { path, done: `${left}; removed` };
  } catch (cause) {
    return { path, done: `${left}; it cannot be removed: ${describeSystemError(cause)}` };
  }
}

async function putBackUnlessTaken(folder: string, found: RegExpExecArray, files: FileSystem): Promise<Leftover> {
  const [temporary, name] = found;
  const { join } = files.rules.path;
  const isWhole = Buffer.byteLength(name) <= MAX_NAME - 4;
  const isTaken = (await files.entry(join(folder, name))) !== null;
  const stood = `stood at ${name} while a process that has ended was replacing it`;
  try {
    if (isWhole && !isTaken) return await renamed(folder, { temporary, name }, files);
    return { path: join(folder, temporary), done: `${stood}; kept, remove it if you do not need it` };
  } catch (cause) {
    return { path: join(folder, temporary), done: `${stood}; it cannot be put back: ${describeSystemError(cause)}` };
  }
}

async function renamed(
  folder: string,
  { temporary, name }: { readonly temporary: string; readonly name: string },
  files: FileSystem,
): Promise<Leftover> {
  const { join } = files.rules.path;
  await renameOver(files, join(folder, temporary), join(folder, name));
  return { path: join(folder, name), done: "was being replaced by a process that has ended; put back" };
}

/** Returns the temporary names in a folder, as matches of `NAME`. */
async function temporaryIn(folder: string, files: FileSystem): Promise<readonly RegExpExecArray[]> {
  const found: RegExpExecArray[] = [];
  let left = MAX_ENTRIES;
  try {
    for await (const name of files.names(folder)) {
      const match = NAME.exec(name);
      if (match !== null) found.push(match);
      if (--left === 0) break;
    }
  } catch {
    // An unreadable folder contains no removable leftovers.
  }
  return found;
}

/** Temporary paths that this process is writing. */
const unfinished = new Set<string>();

/** Registers `path` as temporary. The returned function removes it from the register. */
export function registerCleanup(path: string): () => void {
  unfinished.add(path);
  return () => {
    unfinished.delete(path);
  };
}

/** Removes all temporary output synchronously, for signal handlers. */
export function removeUnfinished(): void {
  for (const path of unfinished) {
    const moved = movedAway(path);
    try {
      // Retries, because a write that is still running may add a file meanwhile.
      rmSync(moved, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
    } catch {
      // Continues with the other paths; a later process recognizes this path by its name and removes it.
    }
  }
  unfinished.clear();
}

/**
 * Renames temporary output if the system allows it, and returns the new path. Threads that are still writing know only
 * the old name, so their writes fail. Otherwise they could prevent the removal of the folder.
 */
function movedAway(path: string): string {
  const moved = path.replace(/-[0-9a-f]{12}\.tmp$/, () => `-${randomBytes(6).toString("hex")}.tmp`);
  if (moved === path) return path;
  try {
    renameSync(path, moved);
    return moved;
  } catch {
    return path;
  }
}

/**
 * Creates the lock file `path`. A lock that belongs to a process that has ended is taken over.
 * @returns a function that releases the lock; null if another process holds it.
 */
export async function acquireLock(path: string): Promise<(() => Promise<void>) | null> {
  const own = encodeOwner(await readProcessOwner());
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const handle = await open(path, "wx");
      const unregister = registerCleanup(path);
      await handle.writeFile(own);
      await handle.close();
      return async () => {
        await rm(path, { force: true });
        unregister();
      };
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    if (!(await takeFromEnded(path, own))) break;
  }
  return null;
}

/** Removes the lock of a process that has ended. */
async function takeFromEnded(path: string, own: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return true;
  const owner = new RegExp(`^${OWNER_PATTERN}$`).exec(text);
  const touched = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();
  if (owner === null || (await detectOwnerState(decodeOwner(owner.slice(1)), touched)) !== "ended") return false;
  // If two processes find a stale lock, only one of them can rename it.
  const taken = `${path}.${own}`;
  try {
    await rename(path, taken);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    throw error;
  }
  await rm(taken, { force: true });
  return true;
}
