import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createAccountSigner } from "../src/azure/account-signature.js";
import { addEnvironment } from "../src/environment.node.js";

const NAMES = /^(AWS|AZURE|GOOGLE|STORAGE|HF)_/;

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (NAMES.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("NO_GCE_CHECK", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/none");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/none");
  vi.stubEnv("HF_HOME", "/none");
  vi.stubEnv("CLOUDSDK_CONFIG", "/none");
});
afterEach(() => void vi.unstubAllEnvs());

function profiles(config: string, credentials: string): void {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of [
    ["AWS_CONFIG_FILE", config],
    ["AWS_SHARED_CREDENTIALS_FILE", credentials],
  ]) {
    writeFileSync(join(folder, name), text);
    vi.stubEnv(name, join(folder, name));
  }
}

const CONFIG =
  "[default]\nregion = eu-west-1\n[profile lab]\nregion=us-west-2 # near\nendpoint_url = https://minio.example.org\ns3 =\n  region = nested\n[profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = lab\n";
const CREDENTIALS =
  "[default]\naws_access_key_id = ID\naws_secret_access_key = S+/=\n\n[lab]\naws_access_key_id=LAB\naws_secret_access_key=T\naws_session_token=U\n";

describe("S3", () => {
  test("the default profile", async () => {
    profiles(CONFIG, CREDENTIALS);
    expect(await addEnvironment("s3", {})).toEqual({
      region: "eu-west-1",
      credentials: { accessKeyId: "ID", secretAccessKey: "S+/=" },
    });
  });

  test("a profile by name, from the variable and from the option", async () => {
    profiles(CONFIG, CREDENTIALS);
    const lab = {
      region: "us-west-2",
      endpoint: "https://minio.example.org",
      credentials: { accessKeyId: "LAB", secretAccessKey: "T", sessionToken: "U" },
    };
    expect(await addEnvironment("s3", { s3: { profile: "lab" } })).toEqual({ profile: "lab", ...lab });
    vi.stubEnv("AWS_PROFILE", "lab");
    expect(await addEnvironment("s3", {})).toEqual(lab);
    await expect(addEnvironment("s3", { s3: { profile: "none" } })).rejects.toThrow('no profile "none"');
  });

  test("variables come before profiles, options before variables", async () => {
    profiles(CONFIG, CREDENTIALS);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "A");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "B");
    vi.stubEnv("AWS_ENDPOINT_URL", "http://all");
    expect(await addEnvironment("s3", {})).toMatchObject({ endpoint: "http://all", credentials: { accessKeyId: "A" } });
    vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://s3");
    expect(await addEnvironment("s3", {})).toMatchObject({ endpoint: "http://s3" });
    expect(await addEnvironment("s3", { s3: { endpoint: "http://own", region: "r" } })).toMatchObject({
      endpoint: "http://own",
      region: "r",
    });
  });

  test("without any, and anonymous", async () => {
    expect(await addEnvironment("s3", {})).toEqual({});
    vi.stubEnv("AWS_ACCESS_KEY_ID", "A");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "B");
    expect(await addEnvironment("s3", { anonymous: true })).toEqual({});
  });

  test("a role needs Amazon's library, and names it", async () => {
    profiles(CONFIG, CREDENTIALS);
    await expect(addEnvironment("s3", { s3: { profile: "role" } })).rejects.toMatchObject({
      tag: "MissingDependencyError",
      message: expect.stringContaining("npm install @aws-sdk/credential-providers"),
    });
  });
});

describe("Google", () => {
  test("a token; an emulator gets none", async () => {
    vi.stubEnv("GOOGLE_OAUTH_ACCESS_TOKEN", "token");
    expect(await addEnvironment("gs", {})).toEqual({ token: "token" });
    vi.stubEnv("STORAGE_EMULATOR_HOST", "localhost:4443");
    expect(await addEnvironment("gs", {})).toEqual({ endpoint: "http://localhost:4443" });
  });

  test("a file of credentials needs Google's library", async () => {
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "/key.json");
    await expect(addEnvironment("gs", {})).rejects.toThrow("npm install google-auth-library");
    expect(await addEnvironment("gs", { anonymous: true })).toEqual({});
  });
});

describe("Azure", () => {
  test("a connection string", async () => {
    vi.stubEnv(
      "AZURE_STORAGE_CONNECTION_STRING",
      "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a2V5PT0=;EndpointSuffix=core.windows.net",
    );
    const own = { account: "acc", key: "a2V5PT0=", endpoint: "https://acc.blob.core.windows.net" };
    expect(await addEnvironment("az", {})).toEqual(own);
    expect(await addEnvironment("az", { az: { account: "acc" } })).toEqual(own);
    // A key is of no use for another account, and must not go there.
    expect(await addEnvironment("az", { az: { account: "other" } })).toEqual({ account: "other" });
  });

  test("a key that is no base64 is not repeated in the error", async () => {
    const signing = createAccountSigner("acc", "not base64!");
    await expect(signing()).rejects.toThrow(/^the key of the storage account is no base64$/);
  });
});

test("Hugging Face", async () => {
  vi.stubEnv("HF_TOKEN", "hf_1");
  vi.stubEnv("HF_ENDPOINT", "https://mirror");
  expect(await addEnvironment("hf", {})).toEqual({ token: "hf_1", endpoint: "https://mirror" });
  expect(await addEnvironment("hf", { anonymous: true })).toEqual({ endpoint: "https://mirror" });
});
