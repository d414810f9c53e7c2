import { expect, test } from "vitest";
import { fileServer, serveFile } from "../../../test/io/sources/file-server.js";
import { openCloudSource } from "../src/cloud-source.js";

// The form of answers: Hub API, "GET /api/datasets/{namespace}/{repo}/tree/{rev}/{path}", and "resolve" URLs.
test("files and folders of a dataset; the token stays with the hub", async () => {
  const tokens: [string, string | undefined][] = [];
  const files = await fileServer((request, response) => {
    tokens.push(["files", request.headers.authorization]);
    serveFile(new Uint8Array(100_000), request, response);
  });
  const hub = await fileServer((request, response) => {
    tokens.push(["hub", request.headers.authorization]);
    const url = new URL(request.url ?? "", hub.origin);
    if (url.pathname === "/datasets/o/n/resolve/v%2F1/d/x%20y.h5ad") {
      response.writeHead(302, { location: `${files.origin}/blob?Signature=secret` }).end();
    } else if (url.pathname === "/api/datasets/o/n/tree/v%2F1/d/s.zarr") {
      const isFirst = url.searchParams.get("cursor") === null;
      const entry = isFirst
        ? { type: "file", path: "d/s.zarr/.zgroup", size: 1 }
        : { type: "directory", path: "d/s.zarr/X" };
      const link = isFirst ? { link: `<${hub.origin}${url.pathname}?cursor=1>; rel="next"` } : {};
      response.writeHead(200, link).end(JSON.stringify([entry]));
    } else response.writeHead(404).end();
  });
  const options = { hf: { endpoint: hub.origin, token: "hf_secret" } };
  const file = await openCloudSource("hf://datasets/o/n@v%2F1/d/x y.h5ad", options);
  expect(file).toMatchObject({ kind: "bytes", size: 100_000 });
  if (file.kind === "bytes") expect(await file.read(70_000, 99_999)).toHaveLength(29_999);
  expect(tokens.filter(([where]) => where === "hub")).toEqual([["hub", "Bearer hf_secret"]]);
  expect(tokens.filter(([where]) => where === "files").map(([, token]) => token)).toEqual([undefined, undefined]);
  const folder = await openCloudSource("hf://datasets/o/n@v%2F1/d/s.zarr", options);
  expect(folder.kind === "keys" && (await folder.list(""))).toEqual([".zgroup", "X"]);
});
