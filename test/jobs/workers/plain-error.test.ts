import { describe, expect, test } from "vitest";
import { createChunkError } from "../../../src/containers/zarr/chunks/chunk-copier.js";
import { fromSerializableError, toSerializableError } from "../../../src/jobs/workers/messages.js";
import { InvalidDataError, UnsupportedError } from "../../../src/model/errors.js";

const sent = (error: unknown) => fromSerializableError(structuredClone(toSerializableError(error)));

describe("errors on their way between threads", () => {
  test("keep their class, code, text and location", () => {
    const error = new UnsupportedError("c/0 is a symbolic link that leads out of the store", {
      source: "a.zarr",
      element: "X",
      code: "symlink-escape",
    });
    expect(sent(error)).toMatchObject({
      ...{ tag: "UnsupportedError", code: "symlink-escape", source: "a.zarr", element: "X" },
      message: "a.zarr: X: c/0 is a symbolic link that leads out of the store",
    });
  });

  test("keep the code where a chunk's key is added", () => {
    const error = new InvalidDataError("c/0 has changed since the store was looked at", { code: "source-changed" });
    expect(sent(createChunkError("c/0", error))).toMatchObject({ tag: "InvalidDataError", code: "source-changed" });
  });

  test("have none where nothing decides by it", () => {
    expect(sent(new InvalidDataError("cut off"))).toMatchObject({ code: undefined });
    expect(sent(new TypeError("cut off"))).not.toHaveProperty("code");
  });
});
