/**
 * Handles the location of output on disk: its path, its temporary name, existing files, and how a complete folder
 * replaces an existing one.
 */

import { tmpdir } from "node:os";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { createDiskError, describeSystemError, hasCode, runFileOperation } from "../../model/system-error.node.js";
import { createRemoteOutput, findFileScheme } from "../schemes/registry.js";
import { ConditionError, type RemoteOutput } from "../schemes/remote-output.js";
import type { RemoteOutputOptions } from "../schemes/scheme.js";
import { type FileSystem, nodeFiles } from "./file-system.node.js";
import { readFolderContents } from "./folder-contents.node.js";
import { isInUse, renameOver, replaceByRename } from "./renames.node.js";
import { createTemporaryName } from "./temporary-output.node.js";

export interface TargetOptions extends RemoteOutputOptions {
  readonly overwrite?: boolean;
  /** Called when the output is complete, before it becomes visible. If it throws, the output does not appear. */
  readonly beforeCommit?: () => Promise<void>;
  /** File system for the output; by default this machine's file system. */
  readonly files?: FileSystem;
}

export interface OutputPath {
  /** The path as entered by the user, for error messages. */
  readonly shown: string;
  /** Absolute path. A symbolic link is replaced by its target, so that the link itself is preserved. */
  readonly path: string;
  readonly folder: string;
  /** Temporary path in the same folder, and thus on the same disk, so that a rename completes the output. */
  readonly temporary: string;
  /** Path used in disk error messages. */
  readonly written: string;
  /** Upload destination; null for an output on disk. With an upload, `path` is the temporary path. */
  readonly remote: RemoteOutput | null;
  readonly files: FileSystem;
}

/**
 * Resolves the location of an output.
 * @throws {UnsupportedError} for an address that cannot be written to.
 * @throws {InvalidInputError} for a name that this system does not allow.
 */
export async function resolveOutputPath(shown: string, options: TargetOptions): Promise<OutputPath> {
  if (findFileScheme(shown) !== null) return remotePlace(shown, options);
  if (/^https?:\/\//i.test(shown)) {
    throw new UnsupportedError("a web server is read, not written to; write a file, or to s3://, gs:// or az://", {
      source: shown.replace(/[?#].*$/, ""),
    });
  }
  const { files = nodeFiles } = options;
  const { basename, dirname, join, resolve } = files.rules.path;
  const given = resolve(shown);
  const problem = files.rules.nameProblem(basename(given));
  if (problem !== null) throw new InvalidInputError(`the name ${problem}; choose another name`, { source: shown });
  const link = await files.entry(given);
  const path = link?.isSymbolicLink() ? await files.realpath(given).catch(() => given) : given;
  const folder = dirname(path);
  const temporary = join(folder, await createTemporaryName(basename(path)));
  return { shown, path, folder, temporary, written: shown, remote: null, files };
}

/** Places the output in the system's temporary folder, from which it is uploaded. */
async function remotePlace(shown: string, options: TargetOptions): Promise<OutputPath> {
  const remote = await createRemoteOutput(shown, options);
  const { files = nodeFiles } = options;
  const folder = tmpdir();
  const temporary = files.rules.path.join(folder, await createTemporaryName("annarrow-output"));
  return { shown, path: temporary, folder, temporary, written: temporary, remote, files };
}

export function createExistsError(place: OutputPath, cause?: unknown): InvalidInputError {
  return new InvalidInputError("exists already; choose another name, or give overwrite (--overwrite)", {
    source: place.shown,
    cause,
  });
}

/** Returns the kind of entry that exists at an output's path. A broken link counts as a file. */
export async function detectOutputKind({
  path,
  remote,
  files,
}: OutputPath): Promise<"nothing" | "file" | "folder" | "other"> {
  if (remote !== null) return remote.found();
  if ((await files.entry(path)) === null) return "nothing";
  const there = await files.followed(path);
  if (there?.isDirectory()) return "folder";
  return there === null || there.isFile() ? "file" : "other";
}

/**
 * Uploads a complete output. @throws {InvalidInputError} if something else has been created at the address in the
 * meantime.
 */
export async function uploadOutput(place: OutputPath, upload: Promise<void>): Promise<void> {
  try {
    await upload;
  } catch (error) {
    throw error instanceof ConditionError ? createExistsError(place, error) : error;
  }
}

/** Flushes a folder, because a rename in it is durable only after that. Does nothing if folders cannot be flushed. */
export async function syncFolder(path: string, files: FileSystem = nodeFiles): Promise<void> {
  // Windows cannot open folders, and some network file systems cannot flush them.
  await files.flushFolder(path).catch(() => undefined);
}

/**
 * Checks a folder that the output is to replace. An empty folder may be replaced. A folder that contains anything other
 * than a store must not be replaced, even with `overwrite`.
 * @throws {InvalidInputError} if the folder must not be replaced.
 */
export async function refuseFolder(place: OutputPath, options: TargetOptions): Promise<void> {
  const there = await detectOutputKind(place);
  if (there === "nothing") return;
  if (there !== "folder") {
    if (!options.overwrite) throw createExistsError(place);
    throw new InvalidInputError("is a file, and not replaced by a folder; choose another name", {
      source: place.shown,
    });
  }
  const local = place.files.tree(place.path);
  if (!options.overwrite) {
    const entries = place.remote === null ? await runFileOperation(place.shown, () => local.entries([])) : null;
    if (entries?.length !== 0) throw createExistsError(place);
    return;
  }
  const tree = place.remote === null ? local : await place.remote.tree();
  const contents = await runFileOperation(place.shown, () => readFolderContents(tree));
  if (contents.kind !== "other") return;
  const file = JSON.stringify(contents.file);
  throw new InvalidInputError(
    contents.inside
      ? `holds ${file}, which is no part of the store around it, and is not replaced; move that away, or choose another name`
      : `holds ${file}, and is neither a Zarr store nor BPCells nor tables with a manifest.json of ours, nor parts with a split.json; it is not replaced, choose another name`,
    { source: place.shown },
  );
}

/**
 * Gives the complete folder `place.temporary` its final name. The folder that previously had this name is removed last.
 * @throws {InvalidInputError} like `refuseFolder`, or if the file system refuses.
 */
export async function publishFolder(place: OutputPath, options: TargetOptions): Promise<void> {
  await refuseFolder(place, options);
  const { path, temporary, folder, remote, files } = place;
  if (remote !== null) {
    await remote.putFolder(temporary, { overwrite: options.overwrite ?? false });
    await files.remove(temporary).catch(() => undefined);
    return;
  }
  if (await takesPlace(place)) return syncFolder(folder, files);
  if (!options.overwrite) await refuseFolder(place, options);
  // A rename cannot replace a folder that is not empty.
  await runReplacement(place, () => replaceByRename(files, temporary, path));
  await syncFolder(folder, files);
  // If the old folder cannot be removed, it remains under its temporary name. The output is complete nevertheless.
  await files.remove(temporary).catch(() => undefined);
}

/**
 * Runs the renames that replace an output.
 * @throws {InvalidInputError} if the file system refuses. The message mentions if a program has the output open.
 */
export async function runReplacement(place: OutputPath, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    if (!isInUse(place.files, cause)) throw createDiskError(place.shown, cause);
    throw new InvalidInputError(
      `cannot be replaced: ${describeSystemError(cause)}; close it where a program has it open, or choose another name`,
      { source: place.shown, cause },
    );
  }
}

/** Renames the output to an unused name, or over an empty folder. Returns false if the folder is not empty. */
async function takesPlace(place: OutputPath): Promise<boolean> {
  const { files, temporary, path } = place;
  try {
    files.rename(temporary, path);
    return true;
  } catch (cause) {
    // Windows does not rename onto a folder, not even onto an empty one.
    const isTaken = hasCode(cause, "ENOTEMPTY", "EEXIST", "EPERM", "EACCES") && (await files.followed(path)) !== null;
    if (isTaken) return false;
    if (!isInUse(files, cause)) throw createDiskError(place.shown, cause);
    // A program that scans new files (such as a virus scanner) has one of these files open.
    await runReplacement(place, () => renameOver(files, temporary, path));
    return true;
  }
}
