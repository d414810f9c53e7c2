import { InvalidInputError } from "annarrow";
import type { RValue } from "../model/value.js";
import { ItemWriter, type SpooledVectors, type WrittenBlock } from "./item-writer.js";

export interface WriteRdsOptions {
  /**
   * The version of R's serialisation. R before 3.5.0 can read only version 2, which does not state the native encoding.
   * Default 3.
   */
  readonly version?: 2 | 3;
  readonly compression?: "gzip" | "none";
  /** The version of R that the file names as its writer. Default: the oldest version that can read the file. */
  readonly rVersion?: readonly [major: number, minor: number, patch: number];
}

/** The oldest R version that can read each version. Written as `major << 16 | minor << 8 | patch`. */
const OLDEST_READER = { 2: [2, 3, 0], 3: [3, 5, 0] } as const;

/**
 * Writes the file that `readRDS` reads as `value`, in XDR, piece by piece. This takes about 1 MiB of memory.
 * @throws {InvalidInputError} for values that R cannot represent: strings with a NUL, and values that contain
 * themselves other than through an environment. The first pieces may already have been yielded by then.
 */
export async function* writeRds(value: RValue, options: WriteRdsOptions = {}): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { version = 3, compression = "gzip", rVersion = OLDEST_READER[version] } = options;
  const blocks = wholeBlocks(encodeDocumentChunks(value, { version, rVersion }));
  switch (compression) {
    case "none":
      yield* blocks;
      return;
    case "gzip":
      yield* gzipped(blocks);
      return;
    default:
      throw new InvalidInputError(`compression ${compression satisfies never} of R objects: "gzip" or "none"`);
  }
}

/** Returns the whole file that `writeRds` writes. */
export async function encodeRds(value: RValue, options: WriteRdsOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of writeRds(value, options)) parts.push(part);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Returns the blocks of a value that is completely in memory. */
function* wholeBlocks(blocks: Iterable<WrittenBlock>): Generator<Uint8Array<ArrayBuffer>> {
  for (const block of blocks) {
    if (!(block instanceof Uint8Array)) throw new TypeError("elements that are not in memory");
    yield block;
  }
}

interface DocumentForm extends Pick<WriteRdsOptions, "version" | "rVersion"> {
  readonly spooled?: SpooledVectors;
}

/** Yields the bytes of a document in order, with references to the elements that are not in memory. */
export function* encodeDocumentChunks(
  value: RValue,
  { version = 3, rVersion = OLDEST_READER[version], spooled }: DocumentForm,
): Generator<WrittenBlock> {
  const writer = new ItemWriter(spooled);
  const encoder = new TextEncoder();
  writer.bytes(encoder.encode("X\n"));
  writer.int(version);
  writer.int(versionNumber(rVersion));
  writer.int(versionNumber(OLDEST_READER[version]));
  if (version === 3) {
    const encoding = encoder.encode("UTF-8");
    writer.int(encoding.length);
    writer.bytes(encoding);
  }
  yield* writer.item(value);
  yield* writer.finish();
}

function versionNumber([major, minor, patch]: readonly [number, number, number]): number {
  return (major << 16) | (minor << 8) | patch;
}

/** Compresses blocks to one gzip member with the platform's stream. */
async function* gzipped(blocks: Iterator<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let failure: unknown;
  const input = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        try {
          const { done, value } = blocks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          failure = error;
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
  const reader = input.pipeThrough(new CompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw failure ?? error;
      });
      if (done) return;
      yield value;
    }
  } finally {
    // The consumer may stop early. A stream that failed or ended has nothing left to cancel.
    await reader.cancel().catch(() => undefined);
  }
}
