/**
 * A registry of npm on this machine, which has one package, by its name: node named-registry.mjs PACKED.tgz. It prints its
 * address. What it has not, npm finds in its own registry.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const packed = readFileSync(process.argv[2]);
const elsewhere = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
const manifest = JSON.parse(
  execFileSync("tar", ["--extract", "--gzip", "--to-stdout", "--file", process.argv[2], "package/package.json"]),
);
const { name, version } = manifest;
const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;

const server = createServer((request, response) => {
  const address = `http://localhost:${server.address().port}`;
  switch (request.url) {
    case `/${name}`: {
      const dist = { tarball: `${address}/${name}.tgz`, integrity };
      const document = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
      return;
    }
    case `/${name}.tgz`:
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(packed);
      return;
    default:
      response.writeHead(302, { location: new URL(request.url, elsewhere).href }).end();
  }
});
server.listen(0, "localhost", () => process.stdout.write(`http://localhost:${server.address().port}/\n`));
