/** Reads tokens and endpoints for Google Cloud Storage from variables. Google's own library reads credential files. */

import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isAnnarrowError } from "annarrow";
import { loadOptionalPackage } from "../objects/optional-package.node.js";
import type { GcsOptions } from "../objects/options.js";

const LIBRARY = "google-auth-library";

const SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";

export async function readGcsEnvironment(given: GcsOptions, anonymous: boolean): Promise<GcsOptions> {
  const { env } = process;
  const emulator = env.STORAGE_EMULATOR_HOST;
  const endpoint = given.endpoint ?? (emulator && !/^https?:/.test(emulator) ? `http://${emulator}` : emulator);
  // An emulator requires no credentials, and must not receive real ones.
  const token = anonymous || emulator ? undefined : (given.token ?? (await foundToken()));
  const { token: _, ...rest } = given;
  return { ...rest, endpoint: endpoint || undefined, token };
}

async function foundToken(): Promise<GcsOptions["token"]> {
  const { env } = process;
  if (env.GOOGLE_OAUTH_ACCESS_TOKEN) return env.GOOGLE_OAUTH_ACCESS_TOKEN;
  const folder = env.CLOUDSDK_CONFIG ?? join(homedir(), ".config", "gcloud");
  const isNeeded = Boolean(env.GOOGLE_APPLICATION_CREDENTIALS) || (await exists(join(folder, FILE)));
  if (!isNeeded && env.NO_GCE_CHECK === "true") return undefined;
  try {
    const ask = await libraryToken();
    // Without a credentials file, the library only checks whether this machine belongs to Google Cloud.
    if (!isNeeded) await ask();
    return ask;
  } catch (error) {
    if (isNeeded || (isAnnarrowError(error) && error.tag !== "MissingDependencyError")) throw error;
    return undefined;
  }
}

const FILE = "application_default_credentials.json";

async function libraryToken(): Promise<() => Promise<string>> {
  const { GoogleAuth } = await loadOptionalPackage(LIBRARY, "credentials of Google");
  if (typeof GoogleAuth !== "function") throw new TypeError(`${LIBRARY} has no GoogleAuth`);
  const auth: unknown = Reflect.construct(GoogleAuth, [{ scopes: [SCOPE] }]);
  return async () => {
    const ask = typeof auth === "object" && auth !== null ? Reflect.get(auth, "getAccessToken") : null;
    if (typeof ask !== "function") throw new TypeError(`${LIBRARY}: GoogleAuth has no getAccessToken`);
    const token: unknown = await Reflect.apply(ask, auth, []);
    if (typeof token !== "string") throw new TypeError(`${LIBRARY} gave no token`);
    return token;
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
