/** A folder to serve, and the server, for tests. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FlightConnection } from "../../src/flight/connection.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { type BuiltFiles, type RunningServer, type ServeOptions, serve } from "../../src/serve/serve.node.js";
import { BUILT } from "./built-files.js";

export interface Served {
  readonly folder: string;
  /** Beside the folder: nothing of it may be seen. */
  readonly outside: string;
  readonly server: RunningServer;
  readonly lines: string[];
  readonly http: string;
  close(): Promise<void>;
}

/** pbmc.h5ad with a companion, sub/pbmc.zarr.zip, two links, a hidden file and a broken one. */
export async function served(options: ServeOptions = {}, built: BuiltFiles = BUILT): Promise<Served> {
  const base = mkdtempSync(join(tmpdir(), "annarrow-serve-"));
  const folder = join(base, "data");
  const outside = join(base, "outside");
  mkdirSync(join(folder, "sub"), { recursive: true });
  mkdirSync(outside);
  cpSync("examples/pbmc.h5ad", join(folder, "pbmc.h5ad"));
  mkdirSync(join(folder, "pbmc.h5ad.annarrow"));
  writeFileSync(join(folder, "pbmc.h5ad.annarrow", "manifest.json"), "{}");
  cpSync("examples/pbmc.zarr.zip", join(folder, "sub", "pbmc.zarr.zip"));
  cpSync("examples/pbmc.h5ad", join(outside, "secret.h5ad"));
  cpSync("examples/pbmc.h5ad", join(folder, ".hidden.h5ad"));
  writeFileSync(join(folder, "broken.h5ad"), "no HDF5");
  symlinkSync(join(outside, "secret.h5ad"), join(folder, "out.h5ad"));
  symlinkSync(outside, join(folder, "out"));
  symlinkSync("pbmc.h5ad", join(folder, "linked.h5ad"));
  const lines: string[] = [];
  const server = await serve(folder, { port: 0, httpPort: 0, log: (line) => lines.push(line), ...options }, built);
  return {
    ...{ folder, outside, server, lines },
    http: `http://127.0.0.1:${server.httpPort}`,
    async close() {
      await server.close(0);
      rmSync(base, { recursive: true });
    },
  };
}

export interface ServedToClient extends Served {
  readonly connection: FlightConnection;
}

/** The same, and a client of Flight. */
export async function servedToClient(options: ServeOptions = {}, built?: BuiltFiles): Promise<ServedToClient> {
  const it = await served(options, built);
  const connection = await connectFlight(it.server.location);
  return {
    ...it,
    connection,
    async close() {
      connection.close();
      await it.close();
    },
  };
}
