/**
 * Whose an upload is, in the name of its folder: what a server that was killed has left is told from what another one
 * has under way, from the moment that the folder is there.
 */

import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** A process: where its number means something, the number, and when it began, since numbers are given again. */
export interface Owner {
  readonly machine: string;
  readonly pid: number;
  /** Empty where the system does not tell. */
  readonly began: string;
}

const PREFIX = ".annarrow-upload-";
const NAME = /^\.annarrow-upload-([0-9a-f]{12})-(\d{1,10})-(\d*)-[A-Za-z0-9]{6}$/;

/** A folder that nobody who lives has touched for so long, in milliseconds, is nobody's. */
const ABANDONED = 24 * 3_600_000;

/** In place of when a process began. */
const ENDED = "ended";

/** How often the folder of an upload is touched while it lives, in milliseconds. */
export const TOUCH = 3_600_000;

/** The beginning of the name of an upload's folder, for `mkdtemp`. */
export function uploadPrefix({ machine, pid, began }: Owner): string {
  return `${PREFIX}${machine}-${pid}-${began}-`;
}

/** Whether a folder of that name is, or was, an upload's. */
export function isUpload(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** That process; this one by default. */
export async function ownerOf(pid = process.pid): Promise<Owner> {
  return { machine: await thisMachine(), pid, began: (await beganAt(pid)) ?? "" };
}

/**
 * Whether the folder of an upload has no owner any more. Of a process elsewhere, on another machine, in another
 * container, or before the machine was started last, nothing is known but when it touched the folder.
 * @param touched in milliseconds since 1970.
 */
export async function isAbandoned(name: string, touched: number, now = Date.now()): Promise<boolean> {
  const found = NAME.exec(name);
  if (found === null || found[1] !== (await thisMachine())) return now - touched > ABANDONED;
  const pid = Number(found[2]);
  if (!isRunning(pid)) return true;
  const began = await beganAt(pid);
  return began === ENDED || (began !== null && found[3] !== "" && began !== found[3]);
}

/** The system as it runs since it was started, and the numbers of processes in it. */
async function thisMachine(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const processes = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update([hostname(), boot, processes].join("\0")).digest("hex").slice(0, 12);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of somebody else may not be signalled, but it is there.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Field 22 of `/proc/…/stat`, in ticks since the system was started; null where it cannot be read. */
async function beganAt(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name of the program stands in parentheses in front, and may have any characters.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  // One that has ended, and that its parent did not ask after yet.
  if (fields[0] === "Z" || fields[0] === "X") return ENDED;
  return /^\d+$/.test(fields[19] ?? "") ? fields[19] : null;
}
