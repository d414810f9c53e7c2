/**
 * Region, endpoint and credentials for S3 from variables and profile files. Source: AWS SDKs and Tools Reference Guide.
 * Keys are read here. Roles, single sign-on, web identities and instance metadata are left to Amazon's own library.
 */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isAnnarrowError, NotFoundError } from "annarrow";
import { loadOptionalPackage } from "../objects/optional-package.node.js";
import type { S3Credentials, S3Options } from "../objects/options.js";

const LIBRARY = "@aws-sdk/credential-providers";

/** Profile settings that obtain credentials from a service or a program. */
const BY_LIBRARY = ["role_arn", "sso_session", "sso_start_url", "credential_process", "web_identity_token_file"];

/** Variables that obtain credentials from a service or a program. */
const VARIABLES_BY_LIBRARY = [
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

type Settings = ReadonlyMap<string, string>;

export async function readS3Environment(given: S3Options, anonymous: boolean): Promise<S3Options> {
  const { env } = process;
  const name = given.profile ?? env.AWS_PROFILE ?? "default";
  const profile = await profileSettings(name, given.profile !== undefined || env.AWS_PROFILE !== undefined);
  const region = given.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? profile.get("region");
  const endpoint = given.endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL ?? profile.get("endpoint_url");
  const credentials = anonymous ? undefined : (given.credentials ?? (await foundCredentials(given, name, profile)));
  return {
    ...given,
    region: region || undefined,
    endpoint: endpoint || undefined,
    credentials: credentials ?? given.credentials,
  };
}

/** Looks for credentials in the order of Amazon's tools. A profile from the caller takes precedence over variables. */
async function foundCredentials(
  given: S3Options,
  name: string,
  profile: Settings,
): Promise<S3Options["credentials"] | undefined> {
  const { env } = process;
  if (given.profile === undefined) {
    const own = keysOf(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN);
    if (own !== undefined) return own;
  }
  const keys = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"].map((key) => profile.get(key));
  const stored = keysOf(keys[0], keys[1], keys[2]);
  const isNeeded =
    BY_LIBRARY.some((key) => profile.has(key)) || VARIABLES_BY_LIBRARY.some((variable) => Boolean(env[variable]));
  if (stored !== undefined && !profile.has("role_arn")) return stored;
  if (!isNeeded && env.AWS_EC2_METADATA_DISABLED === "true") return undefined;
  try {
    return await libraryCredentials(name, isNeeded);
  } catch (error) {
    // If nothing indicates credentials, the library only checks whether this machine is an Amazon instance.
    if (isNeeded || !isAnnarrowError(error, "MissingDependencyError", "NotFoundError")) throw error;
    return undefined;
  }
}

function keysOf(
  id: string | undefined,
  secret: string | undefined,
  token: string | undefined,
): S3Credentials | undefined {
  if (!id || !secret) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, sessionToken: token || undefined };
}

async function libraryCredentials(profile: string, isNeeded: boolean): Promise<() => Promise<S3Credentials>> {
  const library = await loadOptionalPackage(LIBRARY, "credentials of roles, web identities and instances");
  const { fromNodeProviderChain } = library;
  if (typeof fromNodeProviderChain !== "function") throw new TypeError(`${LIBRARY} has no fromNodeProviderChain`);
  const chain: unknown = fromNodeProviderChain(profile === "default" ? {} : { profile });
  if (typeof chain !== "function") throw new TypeError(`${LIBRARY}: fromNodeProviderChain gives no function`);
  const ask = async () => checked(await chain());
  if (!isNeeded) {
    await ask().catch((cause: unknown) => {
      throw new NotFoundError("no credentials", { cause });
    });
  }
  return ask;
}

/** Validates the credentials that the library returns. */
function checked(found: unknown): S3Credentials {
  if (typeof found === "object" && found !== null && "accessKeyId" in found && "secretAccessKey" in found) {
    const { accessKeyId, secretAccessKey } = found;
    const token = "sessionToken" in found ? found.sessionToken : undefined;
    const expiration = "expiration" in found ? found.expiration : undefined;
    if (typeof accessKeyId === "string" && typeof secretAccessKey === "string") {
      return {
        ...{ accessKeyId, secretAccessKey },
        sessionToken: typeof token === "string" ? token : undefined,
        expiration: expiration instanceof Date ? expiration : undefined,
      };
    }
  }
  throw new TypeError(`${LIBRARY} gave no credentials`);
}

/**
 * Returns the settings of a profile from both files; the credentials file takes precedence.
 * @throws {NotFoundError} if the profile is requested by name and neither file contains it.
 */
async function profileSettings(name: string, isNamed: boolean): Promise<Settings> {
  const { env } = process;
  const folder = join(homedir(), ".aws");
  const [config, credentials] = await Promise.all(
    [env.AWS_CONFIG_FILE ?? join(folder, "config"), env.AWS_SHARED_CREDENTIALS_FILE ?? join(folder, "credentials")].map(
      (file) => readFile(file, "utf8").catch(() => ""),
    ),
  );
  const inConfig = parseSettingsSection(
    config,
    name === "default" ? ["default", "profile default"] : [`profile ${name}`],
  );
  const inCredentials = parseSettingsSection(credentials, [name]);
  if (isNamed && inConfig === null && inCredentials === null) {
    throw new NotFoundError(`no profile ${JSON.stringify(name)} in ~/.aws/config and ~/.aws/credentials`);
  }
  return new Map([...(inConfig ?? []), ...(inCredentials ?? [])]);
}

/** Returns the settings of a section; null if it is absent. Nested settings, which are indented, are skipped. */
function parseSettingsSection(text: string, names: readonly string[]): Settings | null {
  let settings: Map<string, string> | null = null;
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1].replace(/\s+/g, " ");
    if (heading !== undefined) {
      isInside = names.includes(heading.replace(/^profile (["'])(.*)\1$/, "profile $2"));
      if (isInside) settings ??= new Map();
      continue;
    }
    const setting = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (isInside && setting !== null) settings?.set(setting[1].toLowerCase(), setting[2].replace(/\s+[#;].*$/, ""));
  }
  return settings;
}
