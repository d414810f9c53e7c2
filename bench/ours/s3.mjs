// A bucket on this machine, served as S3 serves it, by a thread of this process.

import { Worker } from "node:worker_threads";

/**
 * Starts the server, and tells the commands of the benchmarks where it is, by the environment.
 * @param folder whose files are the objects of the bucket.
 * @returns what stops it.
 */
export async function startS3(folder, bucket) {
  const server = new Worker(new URL("slow-server.mjs", import.meta.url), {
    workerData: { folder, prefix: `/${bucket}`, latency: 0 },
  });
  const port = await new Promise((resolve) => server.once("message", resolve));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
    AWS_REGION: "us-east-1",
  });
  return () => server.terminate();
}
