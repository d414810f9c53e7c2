/** One file that appears whole or not at all. */

import { randomBytes } from "node:crypto";
import { access, constants, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { notWritable, refuseExisting, syncDirectory, type TargetOptions } from "./directory-target.node.js";
import type { Target } from "./target.js";
import { registerCleanup } from "./unfinished.node.js";
import { writeFileDurably } from "./write-file.node.js";

/**
 * A target for the single file `path`; the name that `write` is given does not matter.
 * @throws {InvalidInputError} where `path` exists and `overwrite` is not given.
 * @throws {NotFoundError} where the folder it should be in does not exist.
 */
export async function fileTarget(path: string, options: TargetOptions = {}): Promise<Target> {
  const place = resolve(path);
  await refuseExisting(place, path, options);
  const parent = dirname(place);
  await access(parent, constants.W_OK).catch((cause: unknown) => {
    throw notWritable(parent, cause);
  });
  const temporary = join(parent, `.${basename(place).slice(0, 200)}.${randomBytes(6).toString("hex")}.tmp`);
  const done = registerCleanup(temporary);
  return {
    write: (_path, chunks) => writeFileDurably(temporary, chunks),
    async commit() {
      await refuseExisting(place, path, options);
      await rename(temporary, place);
      done();
      await syncDirectory(parent);
    },
    async abort() {
      done();
      await rm(temporary, { force: true });
    },
  };
}
