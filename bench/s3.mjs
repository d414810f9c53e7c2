// A local S3 that has one file: moto, in a process of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "./process.mjs";

const PORT = 5077;

const PUT = `import boto3, sys
client = boto3.client("s3")
client.create_bucket(Bucket="bench")
client.upload_file(sys.argv[1], "bench", sys.argv[2])`;

/**
 * Starts the server, and tells the commands of the benchmarks where it is, by the environment.
 * @param python with moto[server].
 * @returns what stops it.
 */
export async function startS3(python, file, key) {
  const server = spawn(python, ["-m", "moto.server", "-p", String(PORT)], { stdio: "ignore" });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${PORT}`,
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
    AWS_REGION: "us-east-1",
    AWS_DEFAULT_REGION: "us-east-1",
  });
  for (let tries = 0; !(await answers()); tries++) {
    if (tries === 100) throw new Error("moto does not answer");
    await sleep(200);
  }
  run([python, "-c", PUT, file, key]);
  return async () => {
    server.kill();
    await once(server, "exit");
  };
}

async function answers() {
  return fetch(process.env.AWS_ENDPOINT_URL).then(
    () => true,
    () => false,
  );
}
