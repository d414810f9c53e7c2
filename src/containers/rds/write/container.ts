/** R objects as they are written: the mirror of `container.ts`. */

import { locateError } from "../../../model/errors.js";
import type { ByteTarget } from "../../../targets/target.js";
import type { ContainerWriter } from "../../tree/container-writer.js";
import { ObjectWriter } from "./object-writer.js";
import { type WriteRdsOptions, writeRds } from "./write.js";

export interface CreateRdsOptions extends Pick<WriteRdsOptions, "compression"> {
  readonly signal?: AbortSignal;
}

/**
 * Begins an R object. A group with the attribute `class` (and `package`, and `slots`: their order) becomes an S4 object of
 * its children; one with the attribute `length` a list whose elements are called by their positions and are NULL where they
 * are missing, with the names that the attribute `names` has, or none; any other a list with the names of its children. Arrays become vectors: those of 32 bits integers of the
 * same bits, integers of 64 bits reals. All of it is in memory until `close` writes it.
 * @param target to commit or abort by the caller.
 */
export function createRds(target: ByteTarget, options: CreateRdsOptions = {}): ContainerWriter {
  const { signal, compression = "gzip" } = options;
  const root = new ObjectWriter({ name: target.name, isClosed: false }, "");
  return {
    kind: "rds",
    name: target.name,
    root,
    async close() {
      try {
        let at = 0;
        for await (const bytes of writeRds(root.finish(), { compression })) {
          signal?.throwIfAborted();
          await target.write(at, bytes);
          at += bytes.length;
        }
      } catch (error) {
        throw error instanceof TypeError ? error : locateError(error, { source: target.name });
      }
    },
  };
}
