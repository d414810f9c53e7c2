/** Detects a directory of tables, or a single Parquet or Arrow file, before the code that opens it is loaded. */

import { isZarrFolder } from "../../containers/open/containers.js";
import type { ByteSource, ReadOptions, Source } from "../../io/sources/source.js";

/** Whether `source` contains tables. Returns false for a store that cannot be listed. */
export async function isTables(source: Source, options: ReadOptions): Promise<boolean> {
  if (source.kind === "bytes") return (await detectTableFileKind(source, options)) !== null;
  const names = await source.list("", options);
  return names?.includes("manifest.json") === true && !isZarrFolder(names);
}

/** Detects a file's kind by its first bytes. An Arrow stream begins with its schema message. */
export async function detectTableFileKind(
  source: ByteSource,
  options: ReadOptions,
): Promise<"parquet" | "arrow" | "arrows" | null> {
  if (source.size < 8) return null;
  const head = await source.read(0, 8, options);
  const magic = String.fromCharCode(...head);
  if (magic.startsWith("PAR1") || magic.startsWith("PARE")) return "parquet";
  if (magic.startsWith("ARROW1")) return "arrow";
  const view = new DataView(head.buffer, head.byteOffset, 8);
  const length = view.getInt32(4, true);
  if (view.getUint32(0, true) === 0xffffffff) return length > 0 && length <= source.size - 8 ? "arrows" : null;
  return (await isUnmarkedStream(source, view.getInt32(0, true), options)) ? "arrows" : null;
}

/** Number of leading bytes of a message that are enough to detect its kind. */
const KIND_BYTES = 4096;

/**
 * Whether the file is a stream in the format used before Arrow 0.15, which begins with a length instead of a marker.
 * The schema after the length is checked.
 */
async function isUnmarkedStream(source: ByteSource, length: number, options: ReadOptions): Promise<boolean> {
  if (length < 16 || length % 4 !== 0 || length > source.size - 4) return false;
  const start = await source.read(4, Math.min(length, KIND_BYTES), options);
  const { isSchemaMessage } = await import("../../ipc/flatbuffers/reader.js");
  return isSchemaMessage(start);
}
