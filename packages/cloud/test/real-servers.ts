/**
 * Servers of object stores that others have written. `CLOUD_SERVERS` has their addresses, as `.ci/cloud/servers.sh` starts
 * them: `moto=http://127.0.0.1:1 rclone=… gcs=… azurite=…`.
 */

import { parseAddress } from "../src/objects/address.js";
import type { CloudOptions } from "../src/objects/options.js";
import { openCloudStore } from "../src/open-cloud-store.js";

const servers = new Map(
  (process.env.CLOUD_SERVERS ?? "").split(" ").map((pair) => pair.split("=", 2) as [string, string]),
);

const credentials = { accessKeyId: "testing", secretAccessKey: "testing" };
const emulator = {
  account: "devstoreaccount1",
  // The key of the emulator, which its documentation publishes.
  key: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
};

const OPTIONS: Readonly<Record<string, (endpoint: string) => CloudOptions>> = {
  moto: (endpoint) => ({ s3: { endpoint, credentials, region: "us-east-1" } }),
  rclone: (endpoint) => ({ s3: { endpoint, credentials, region: "us-east-1" } }),
  gcs: (endpoint) => ({ gs: { endpoint } }),
  azurite: (endpoint) => ({ az: { ...emulator, endpoint: `${endpoint}/devstoreaccount1` } }),
};

const SCHEMES: Readonly<Record<string, string>> = { moto: "s3", rclone: "s3", gcs: "gs", azurite: "az" };

/** A server with a bucket of the name `bucket`. */
export interface RealServer {
  readonly name: string;
  /** Empty where the server does not run. */
  readonly endpoint: string;
  readonly options: CloudOptions;
  /** Address of the bucket. */
  readonly root: string;
  /** Makes the bucket, unless an earlier run has made it. */
  begin(): Promise<void>;
}

export const realServers: readonly RealServer[] = Object.keys(OPTIONS).map((name) => {
  const endpoint = servers.get(name) ?? "";
  const options = OPTIONS[name](endpoint);
  const root = `${SCHEMES[name]}://bucket`;
  return {
    ...{ name, endpoint, options, root },
    async begin() {
      if (endpoint === "") return;
      const store = await openCloudStore(parseAddress(`${root}/`), options);
      const send = store.http.fetch ?? fetch;
      const place = store.url("").replace(/\/$/, "");
      if (name === "gcs") {
        const body = JSON.stringify({ name: "bucket" });
        await send(`${endpoint}/storage/v1/b?project=p`, {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
        });
      } else await send(name === "azurite" ? `${place}?restype=container` : place, { method: "PUT" });
    },
  };
});
