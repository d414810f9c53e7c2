import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import {
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  MissingDependencyError,
  NotFoundError,
  runWithLocation,
  UnsupportedError,
} from "../../src/model/errors.js";

const failing = (error: unknown) => async () => {
  throw error;
};

describe("errors", () => {
  test.each([NotFoundError, InvalidDataError, UnsupportedError, InvalidInputError, MissingDependencyError])(
    "%o are told apart by their tag",
    (kind) => {
      const error = new kind("a problem", { cause: 1 });
      expect([error.tag, error.name, error.message, error.cause]).toEqual([kind.name, kind.name, "a problem", 1]);
      expect(isAnnarrowError(error)).toBe(true);
      expect(isAnnarrowError(error, "NotFoundError")).toBe(kind === NotFoundError);
    },
  );

  test("keep their names in minified bundles, which shorten those of classes", async () => {
    const { outputFiles } = await build({
      entryPoints: ["src/model/errors.ts"],
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const bundle: typeof import("../../src/model/errors.js") = await import(
      `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
    );
    const { InvalidDataError: shortened, UnsupportedElementError: refused } = bundle;
    expect(shortened.name).not.toBe("InvalidDataError");
    expect([new shortened("x").name, String(new shortened("x"))]).toEqual(["InvalidDataError", "InvalidDataError: x"]);
    expect(new refused("x").name).toBe("InvalidInputError");
  });

  test("of another loaded copy are known by their shape, others are not", () => {
    const copy = Object.assign(new Error("x"), { tag: "NotFoundError", problem: "x" });
    expect(isAnnarrowError(copy, "NotFoundError", "UnsupportedError")).toBe(true);
    for (const other of [new Error("x"), { tag: "NotFoundError", problem: "x" }, null, "x"]) {
      expect(isAnnarrowError(other)).toBe(false);
    }
  });

  test("have no cause where none is given", () => {
    expect("cause" in new NotFoundError("x")).toBe(false);
  });
});

describe("where an error happened", () => {
  test("leaves the root of a file unnamed", () => {
    expect(new NotFoundError("nothing", { source: "a.zarr", element: "" }).message).toBe("a.zarr: nothing");
  });

  test("is said once, source first, however often it is located", async () => {
    const error = new InvalidDataError("3 of 4");
    const inner = () => runWithLocation({ element: "obs/x" }, failing(error));
    const outer = () => runWithLocation({ source: "a.h5ad", element: "obs" }, inner);
    await expect(runWithLocation({ source: "b.h5ad" }, outer)).rejects.toBe(error);
    expect(error.message).toBe("a.h5ad: obs/x: 3 of 4");
    expect(error.problem).toBe("3 of 4");
    expect(String(error)).toBe("InvalidDataError: a.h5ad: obs/x: 3 of 4");
  });

  test("makes an error of someone else ours, with its cause", async () => {
    const cause = new RangeError("offset is out of bounds");
    const expected = { tag: "InvalidDataError", cause, message: "X: offset is out of bounds" };
    await expect(runWithLocation({ element: "X" }, failing(cause))).rejects.toMatchObject(expected);
    await expect(runWithLocation({ element: "X" }, failing("text"))).rejects.toMatchObject({
      message: "X: text",
      cause: "text",
    });
  });

  test("is not put on a cancellation", async () => {
    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(0)]) {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      expect(isCancellation(signal.reason)).toBe(true);
      await expect(runWithLocation({ element: "X" }, failing(signal.reason))).rejects.toBe(signal.reason);
    }
    expect(isCancellation(new Error("x"))).toBe(false);
  });

  test("leaves results alone", async () => {
    expect(await runWithLocation({ element: "X" }, () => 7)).toBe(7);
  });
});
