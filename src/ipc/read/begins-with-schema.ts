import { isAnnarrowError } from "../../model/errors.js";
import { HEADER, METADATA_VERSION } from "../flatbuffers/format.js";
import { FlatBuffer } from "../flatbuffers/reader.js";

/** Whether `bytes`, the beginning of a flatbuffer, are a message of a schema of any version, without a body. */
export function beginsWithSchema(bytes: Uint8Array): boolean {
  try {
    const message = new FlatBuffer(bytes).root();
    const version = message.int16(0);
    return (
      version >= 0 && version <= METADATA_VERSION.V5 && message.uint8(1) === HEADER.schema && message.length(3) === 0
    );
  } catch (error) {
    if (isAnnarrowError(error)) return false;
    throw error;
  }
}
