/**
 * Names of what is temporary, and the end of what a killed process has left under such names. A name tells the owner:
 * `.name.<system>-<machine>-<pid>-<began>-<random>.tmp`.
 */

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, opendir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { onDisk, reason } from "../model/system-error.node.js";
import { OWNER_PATTERN, type Owner, ownerFrom, ownerOf, ownerText, stateOf } from "./owner.node.js";

/** The longest name in bytes that is kept as it is; file systems take 255, and what follows has up to 79. */
const MAX_NAME = 170;

/** The end of the name of what is replaced, between two renames. */
const REPLACED = ".old";

const NAME = new RegExp(`^\\.(.+)\\.${OWNER_PATTERN}-[0-9a-f]{12}\\.tmp(\\.old)?$`, "s");

/** What uploads of a server are called. */
export const UPLOAD = "annarrow-upload";

/**
 * A folder of an upload of which nobody knows whether its owner lives is nobody's once it was not touched for so long, in
 * milliseconds: uploads end by themselves long before.
 */
const ABANDONED = 24 * 3_600_000;

/** How often the folder of an upload is touched while it lives, in milliseconds. */
export const TOUCH = 3_600_000;

/** No second passes between the two renames; so long after the first, in milliseconds, there is no second. */
const INTERRUPTED = 60_000;

/** Entries of a folder that are looked at. */
const MOST_ENTRIES = 100_000;

/** A temporary name for what will be called `name`; of this process unless another owner is given. */
export async function temporaryName(name: string, owner?: Owner): Promise<string> {
  const random = randomBytes(6).toString("hex");
  return `.${shortened(name)}.${ownerText(owner ?? (await ownerOf()))}-${random}.tmp`;
}

/** The name for what was there before, while it is replaced by what has the temporary name. */
export function replacedName(temporary: string): string {
  return temporary + REPLACED;
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

/** What was done with something that an ended process had left. */
export interface Leftover {
  readonly path: string;
  /** What it was and what became of it, as it stands after the path. */
  readonly done: string;
}

/** Whether what has that name was left by a process that has ended. */
async function isOver(found: RegExpExecArray, { mtimeMs }: Stats): Promise<boolean> {
  const state = await stateOf(ownerFrom(found.slice(2, 6)), mtimeMs);
  return state === "ended" || (state === "unknown" && found[1] === UPLOAD && Date.now() - mtimeMs > ABANDONED);
}

/** In a folder that many may write to, somebody else could put links into what is removed. */
function isOurs(info: Stats): boolean {
  if (!info.isFile() && !info.isDirectory()) return false;
  return process.getuid === undefined || info.uid === process.getuid();
}

/**
 * Removes from `folder` what processes that have ended were writing there, and gives back their names to folders that
 * they were replacing. What may have a living owner stays, and so does all that has no name of ours.
 * @param name what else than `name` is left alone; everything by default.
 */
export async function removeLeftovers(folder: string, name?: string): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const found of await temporaryIn(folder)) {
    if (name !== undefined && found[1] !== name) continue;
    const path = join(folder, found[0]);
    const info = await lstat(path).catch(() => null);
    if (info === null || !isOurs(info) || !(await isOver(found, info))) continue;
    if (found[6] === undefined) leftovers.push(await removed(path));
    else leftovers.push(await putBackUnlessTaken(folder, found));
  }
  return leftovers;
}

/**
 * Puts back the folder `name` of `folder` where nothing is in its place, and its process was killed between the two
 * renames of its replacement: what was there before is there still.
 * @throws {InvalidInputError} where the file system refuses.
 */
export async function putBack(folder: string, name: string): Promise<readonly Leftover[]> {
  if ((await lstat(join(folder, name)).catch(() => null)) !== null) return [];
  for (const found of await temporaryIn(folder)) {
    if (found[6] === undefined || found[1] !== shortened(name)) continue;
    const info = await lstat(join(folder, found[0])).catch(() => null);
    if (info === null || !isOurs(info)) continue;
    if (!(await isOver(found, info)) && Date.now() - info.ctimeMs < INTERRUPTED) continue;
    return [await onDisk(join(folder, name), () => renamed(folder, found[0], name))];
  }
  return [];
}

/** As the user is told of them. */
export function leftoverNotes(leftovers: readonly Leftover[]): readonly string[] {
  return leftovers.map(({ path, done }) => `${path}: ${done}`);
}

async function removed(path: string): Promise<Leftover> {
  const left = "left unfinished by a process that has ended";
  try {
    await rm(path, { recursive: true, force: true });
    return { path, done: `${left}; removed` };
  } catch (cause) {
    return { path, done: `${left}; it cannot be removed: ${reason(cause)}` };
  }
}

async function putBackUnlessTaken(folder: string, found: RegExpExecArray): Promise<Leftover> {
  const [temporary, name] = found;
  const isWhole = Buffer.byteLength(name) <= MAX_NAME - 4;
  const isTaken = (await lstat(join(folder, name)).catch(() => null)) !== null;
  const stood = `stood at ${name} while a process that has ended was replacing it`;
  try {
    if (isWhole && !isTaken) return await renamed(folder, temporary, name);
    return { path: join(folder, temporary), done: `${stood}; kept, remove it if you do not need it` };
  } catch (cause) {
    return { path: join(folder, temporary), done: `${stood}; it cannot be put back: ${reason(cause)}` };
  }
}

async function renamed(folder: string, temporary: string, name: string): Promise<Leftover> {
  await rename(join(folder, temporary), join(folder, name));
  return { path: join(folder, name), done: "was being replaced by a process that has ended; put back" };
}

/** The temporary names in a folder, apart in name, owner and what else they say. */
async function temporaryIn(folder: string): Promise<readonly RegExpExecArray[]> {
  const found: RegExpExecArray[] = [];
  let left = MOST_ENTRIES;
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 1024 })) {
      const match = NAME.exec(name);
      if (match !== null) found.push(match);
      if (--left === 0) break;
    }
  } catch {
    // What cannot be read has nothing of ours that could be removed.
  }
  return found;
}
