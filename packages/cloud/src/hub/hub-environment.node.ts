/** Reads the token and endpoint for Hugging Face from variables, and from the file that its own tools write. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HubOptions } from "../objects/options.js";

export async function readHubEnvironment(given: HubOptions, anonymous: boolean): Promise<HubOptions> {
  const { env } = process;
  const endpoint = given.endpoint ?? env.HF_ENDPOINT;
  const folder = env.HF_HOME ?? join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "huggingface");
  const stored = () => readFile(env.HF_TOKEN_PATH ?? join(folder, "token"), "utf8").catch(() => "");
  const token = anonymous ? "" : (given.token ?? env.HF_TOKEN ?? (await stored()).trim());
  return { endpoint: endpoint || undefined, token: token === "" ? undefined : token };
}
