/**
 * Writes a file that appears completely or not at all: it is written next to its final path under a temporary name, and
 * then renamed. Also writes to a stream of this process, such as stdout.
 */

import type { Writable } from "node:stream";
import { InvalidInputError } from "../../model/errors.js";
import { createDiskError, createFolderError, hasCode } from "../../model/system-error.node.js";
import { FileWriter } from "./file-writer.node.js";
import {
  createExistsError,
  detectOutputKind,
  type OutputPath,
  resolveOutputPath,
  runReplacement,
  syncFolder,
  type TargetOptions,
  uploadOutput,
} from "./output-path.node.js";
import { isInUse, renameOver, replaceByRename } from "./renames.node.js";
import type { ByteTarget, Target } from "./target.js";
import { describeLeftovers, registerCleanup, removeLeftovers } from "./temporary-output.node.js";

/**
 * Opens a target for the file `path`. Several writes may run concurrently if they do not overlap. Leftovers next to
 * `path` from processes that have ended are removed.
 * @throws {InvalidInputError} if `path` exists and `overwrite` is not given, if it is not a regular file, or if its
 * folder cannot be written to.
 * @throws {NotFoundError} if the parent folder does not exist.
 */
export async function createFileTarget(path: string, options: TargetOptions = {}): Promise<ByteTarget> {
  const place = await resolveOutputPath(path, options);
  await refuseFile(place, options);
  const unregister = registerCleanup(place.temporary);
  try {
    const file = await FileWriter.create(place.temporary, place.written, {
      files: place.files,
      mode: place.remote === null ? 0o666 : 0o600,
    });
    const warnings = describeLeftovers(await removeLeftovers(place.folder, { files: place.files }));
    return target(place, options, { file, unregister, warnings });
  } catch (cause) {
    unregister();
    throw createFolderError(place.folder, cause);
  }
}

interface TemporaryFile {
  readonly file: FileWriter;
  /** Removes the file from the register of temporary output. */
  readonly unregister: () => void;
  readonly warnings: readonly string[];
}

function target(place: OutputPath, options: TargetOptions, { file, unregister, warnings }: TemporaryFile): ByteTarget {
  let state: "open" | "committed" | "aborted" = "open";
  const check = (verb: string) => {
    if (state !== "open") throw new TypeError(`${place.shown}: ${verb} after it was ${state}`);
  };
  const abort = async () => {
    if (state !== "open") return;
    state = "aborted";
    await file.discard();
    unregister();
  };
  return {
    kind: "bytes",
    name: place.shown,
    warnings,
    async write(offset, bytes) {
      check("written to");
      await file.write(offset, bytes);
    },
    async commit() {
      check("committed");
      await file.finish();
      await options.beforeCommit?.();
      await publishFile(place, options);
      state = "committed";
      unregister();
      await syncFolder(place.folder, place.files);
    },
    abort,
    async anew() {
      await abort();
      return createFileTarget(place.shown, options);
    },
  };
}

/** Renames the complete file to its final name in one step. */
export async function publishFile(place: OutputPath, options: TargetOptions): Promise<void> {
  await refuseFile(place, options);
  const { overwrite = false } = options;
  const { files, temporary, path } = place;
  if (place.remote !== null) {
    await uploadOutput(place, place.remote.putFile(temporary, { overwrite }));
    await files.remove(temporary).catch(() => undefined);
    return;
  }
  if (!overwrite) {
    try {
      // Unlike a rename, a link never replaces a file that another process has created in the meantime.
      await files.link(temporary, path);
      await files.remove(temporary).catch(() => undefined);
      return;
    } catch (cause) {
      if (hasCode(cause, "EEXIST")) throw createExistsError(place, cause);
      // The file system does not support links, so the file is renamed.
    }
  }
  await runReplacement(place, async () => {
    try {
      files.rename(temporary, path);
    } catch (cause) {
      if (!isInUse(files, cause)) throw cause;
      await besideOpenFile(place);
    }
  });
}

/**
 * Replaces a file that is open, possibly because this process reads it as input. Windows can rename an open file if the
 * program that opened it allows this, but never gives the file's name to another file while it is open.
 */
async function besideOpenFile({ files, temporary, path }: OutputPath): Promise<void> {
  if ((await files.entry(path)) === null) return renameOver(files, temporary, path);
  await replaceByRename(files, temporary, path);
  await files.remove(temporary).catch(() => undefined);
}

/**
 * Checks that the file may be written.
 * @throws {InvalidInputError} if the path belongs to a file or folder that must not be replaced.
 */
export async function refuseFile(place: OutputPath, options: TargetOptions): Promise<void> {
  const there = await detectOutputKind(place);
  if (there === "nothing") return;
  if (!options.overwrite) throw createExistsError(place);
  if (there !== "file") {
    const what = there === "folder" ? "is a folder" : "is no regular file";
    throw new InvalidInputError(`${what}, and not replaced; choose another name`, { source: place.shown });
  }
}

/** A target that writes directly to `stream`, as fast as the stream accepts data. Written data cannot be removed. */
export function streamTarget(stream: Writable): Target {
  return {
    async write(_path, chunks) {
      for await (const chunk of chunks) {
        await new Promise<void>((resolve, reject) => {
          stream.write(chunk, (error) => (error ? reject(writeError(error)) : resolve()));
        });
      }
    },
    async commit() {},
    async abort() {},
  };
}

/**
 * Converts an error from writing. If the reader has closed the stream, the stream's own error is passed on to the
 * caller.
 */
function writeError(error: Error): Error {
  return hasCode(error, "EPIPE", "ERR_STREAM_DESTROYED") ? error : createDiskError("the standard output", error);
}
