/** Reads Azure accounts and credentials from environment variables. Identities are found by Azure's own library. */

import { loadOptionalPackage } from "../objects/optional-package.node.js";
import type { AzureOptions } from "../objects/options.js";

const LIBRARY = "@azure/identity";

const SCOPE = "https://storage.azure.com/.default";

/** Variables from which the library finds an identity. */
const BY_LIBRARY = ["AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_SECRET", "IDENTITY_ENDPOINT"];

/** The account of the emulator, which is published in its documentation. */
const EMULATOR: AzureOptions = {
  account: "devstoreaccount1",
  key: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
  endpoint: "http://127.0.0.1:10000/devstoreaccount1",
};

export async function readAzureEnvironment(given: AzureOptions, anonymous: boolean): Promise<AzureOptions> {
  const { env } = process;
  const inVariables = variables();
  // If the address names another account, the keys and endpoints from the variables are not valid for it.
  const isOther = given.account !== undefined && given.account !== (inVariables.account ?? given.account);
  const found = isOther ? given : { ...inVariables, ...given };
  const { account, endpoint } = found;
  const place = { account: account || undefined, endpoint: endpoint || undefined };
  if (anonymous) return place;
  if (found.key !== undefined || found.sas !== undefined || found.token !== undefined) return found;
  if (!BY_LIBRARY.some((name) => Boolean(env[name]))) return place;
  return { ...place, token: await libraryToken() };
}

function variables(): AzureOptions {
  const { env } = process;
  const own = parseConnectionString(env.AZURE_STORAGE_CONNECTION_STRING ?? "");
  const account = env.AZURE_STORAGE_ACCOUNT ?? env.AZURE_STORAGE_ACCOUNT_NAME;
  const key = env.AZURE_STORAGE_KEY ?? env.AZURE_STORAGE_ACCOUNT_KEY;
  const sas = env.AZURE_STORAGE_SAS_TOKEN;
  return {
    account: own.account ?? (account || undefined),
    key: own.key ?? (key || undefined),
    sas: own.sas ?? (sas || undefined),
    endpoint: own.endpoint,
  };
}

/** Parses a connection string: `AccountName=…;AccountKey=…;BlobEndpoint=…`. */
function parseConnectionString(text: string): AzureOptions {
  const parts = new Map(
    text.split(";").flatMap((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()] as const];
    }),
  );
  if (parts.get("UseDevelopmentStorage") === "true") return EMULATOR;
  const [account, key, sas] = ["AccountName", "AccountKey", "SharedAccessSignature"].map((name) => parts.get(name));
  const suffix = parts.get("EndpointSuffix");
  const protocol = parts.get("DefaultEndpointsProtocol") ?? "https";
  const endpoint = parts.get("BlobEndpoint") ?? (account && suffix ? `${protocol}://${account}.blob.${suffix}` : null);
  return {
    account: account || undefined,
    key: key || undefined,
    sas: sas || undefined,
    endpoint: endpoint || undefined,
  };
}

async function libraryToken(): Promise<() => Promise<string>> {
  const { DefaultAzureCredential } = await loadOptionalPackage(LIBRARY, "identities of Azure");
  if (typeof DefaultAzureCredential !== "function") throw new TypeError(`${LIBRARY} has no DefaultAzureCredential`);
  const credential: unknown = Reflect.construct(DefaultAzureCredential, []);
  const ask = typeof credential === "object" && credential !== null ? Reflect.get(credential, "getToken") : null;
  if (typeof ask !== "function") throw new TypeError(`${LIBRARY}: DefaultAzureCredential has no getToken`);
  return async () => {
    const found: unknown = await Reflect.apply(ask, credential, [SCOPE]);
    if (typeof found === "object" && found !== null && "token" in found && typeof found.token === "string") {
      return found.token;
    }
    throw new TypeError(`${LIBRARY} gave no token`);
  };
}
