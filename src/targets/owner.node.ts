/**
 * Whose a temporary file or folder is: what a process that was killed has left is told from what another one is writing.
 * Only what certainly has no living owner counts as left.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname, networkInterfaces, uptime } from "node:os";
import { promisify } from "node:util";
import { hasCode } from "../model/system-error.node.js";

/** A process, where its number means something, and when it began, since numbers are given again. */
export interface Owner {
  /** Where numbers of processes mean the same: a container, or a machine, until it is started again. Empty if unknown. */
  readonly system: string;
  /** The machine, also after it was started again. Empty if unknown, as it always is in a container. */
  readonly machine: string;
  readonly pid: number;
  /** Empty where the system does not tell. */
  readonly began: string;
}

type System = Pick<Owner, "system" | "machine">;

const UNKNOWN: System = { system: "", machine: "" };

/** In place of when a process began. */
const ENDED = "ended";

/** The name that Linux gives the numbers of processes of the machine itself, outside of all containers. */
const OUTERMOST = "pid:[4026531836]";

/** What `ownerText` gives, within a larger pattern: four groups. */
export const OWNER_PATTERN = "([0-9a-f]{12}|0)-([0-9a-f]{12}|0)-([1-9]\\d{0,9})-(\\d{1,14})";

/** An owner as a part of a file name. */
export function ownerText({ system, machine, pid, began }: Owner): string {
  return `${system || "0"}-${machine || "0"}-${pid}-${began || "0"}`;
}

/** The owner of the four groups of `OWNER_PATTERN`. */
export function ownerFrom([system, machine, pid, began]: readonly string[]): Owner {
  const known = (text: string) => (text === "0" ? "" : text);
  return { system: known(system), machine: known(machine), pid: Number(pid), began: known(began) };
}

/** That process; this one by default. */
export async function ownerOf(pid = process.pid): Promise<Owner> {
  const system = await thisSystem();
  return { ...system, pid, began: system.system === "" ? "" : await beganAt(pid) };
}

/**
 * Whether that process is no more. Of one elsewhere, on another machine or in another container, nothing is known.
 * @param touched when its file was written to last, in milliseconds since 1970.
 */
export async function stateOf(owner: Owner, touched: number): Promise<"ended" | "may be alive" | "unknown"> {
  const here = await thisSystem();
  if (here.system !== "" && here.system === owner.system) {
    if (!isRunning(owner.pid)) return "ended";
    const began = await beganAt(owner.pid);
    const isAnother = began !== "" && owner.began !== "" && began !== owner.began;
    return began === ENDED || isAnother ? "ended" : "may be alive";
  }
  // No process outlives the start of its machine. Of copies of one machine the time tells too.
  const started = Date.now() - 1000 * uptime();
  return here.machine !== "" && here.machine === owner.machine && touched < started ? "ended" : "unknown";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of somebody else may not be signalled, but it is there.
    return !hasCode(error, "ESRCH");
  }
}

/** Jails and the like of other systems are not told apart: nobody is known there. */
async function thisSystem(): Promise<System> {
  switch (process.platform) {
    case "linux":
      return linuxSystem();
    case "darwin":
    case "win32":
      return { system: addressesHash(), machine: "" };
    default:
      return UNKNOWN;
  }
}

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
  // A /proc of other processes than ours, in which our number is somebody else's.
  if (boot === "" || processes === "" || self !== String(process.pid)) return UNKNOWN;
  const isMachine = processes === OUTERMOST && /^[0-9a-f]{32}\s*$/.test(machine);
  return { system: hash(boot, processes, time), machine: isMachine ? hash(machine, hostname()) : "" };
}

/** Two machines may share their name, no addresses of the network. */
function addressesHash(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const macs = new Set(all.flatMap(({ internal, mac }) => (internal || /^[0:]*$/.test(mac) ? [] : [mac])));
  return macs.size === 0 ? "" : hash(hostname(), ...[...macs].sort());
}

function hash(...texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 12);
}

/** A number that no later process of the same number has; empty where the system does not tell. */
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

/** Field 22 of `/proc/…/stat`, in ticks since the machine was started. */
async function linuxBegan(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name of the program stands in parentheses in front, and may have any characters.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  // One that has ended, and that its parent did not ask after yet.
  if (fields[0] === "Z" || fields[0] === "X") return ENDED;
  return /^\d{1,14}$/.test(fields[19] ?? "") ? fields[19] : "";
}

/** In seconds since 1970, from `Sun Nov 22 19:07:06 2026`. */
async function psBegan(pid: number): Promise<string> {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  const asked = promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], { env, timeout: 5000 });
  const text = await asked.then(({ stdout }) => stdout.trim()).catch(() => "");
  const seconds = Date.parse(`${text} UTC`) / 1000;
  return Number.isSafeInteger(seconds) && seconds > 0 ? String(seconds) : "";
}
