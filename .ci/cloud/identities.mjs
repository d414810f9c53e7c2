// Objects are read with the credentials that the clouds' own packages find: node identities.mjs FOLDER STS
//
// FOLDER has annarrow and these packages in its node_modules, STS is the address of a server of Amazon's Security Token
// Service. The metadata of instances, and the tokens of Google and Azure, come from small servers of this script, which
// answer as the services' documentation says.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { importBundled } from "../../scripts/import-bundled.mjs";

const [folder, sts] = process.argv.slice(2);
const { open } = await import(pathToFileURL(resolve(folder, "node_modules/annarrow/dist/node.js")).href);
const { isSigned } = await importBundled("packages/cloud/test/signed.ts");
const file = readFileSync("examples/pbmc.h5ad");
const scratch = mkdtempSync(join(tmpdir(), "annarrow-identities-"));
const servers = [];

/** Starts a server. @returns its address, such as `127.0.0.1:1`. */
async function serve(handler) {
  const server = createServer(handler);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  servers.push(server);
  return `127.0.0.1:${server.address().port}`;
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

const json = (response, value) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
const refuse = (response, status = 403) => response.writeHead(status).end();

/** A bucket whose objects are all the example, for requests that `mayRead`. */
const bucket = (mayRead) =>
  serve((request, response) => {
    if (!mayRead(request)) return refuse(response);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const [start, end] =
      range === null ? [0, file.length] : [Number(range[1]), Math.min(file.length, Number(range[2]) + 1)];
    response.writeHead(range === null ? 200 : 206, {
      "content-length": end - start,
      etag: '"one"',
      ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${file.length}` }),
    });
    response.end(file.subarray(start, end));
  });

function written(name, text) {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

const soon = () => new Date(Date.now() + 3_600_000).toISOString();
const inHeader = ({ headers }, token) => headers.authorization === `Bearer ${token}`;

/** A bucket of S3 for keys that are set later: they come from a service. */
async function signedBucket() {
  const keys = { id: "", secret: "", token: undefined };
  const address = await bucket(
    (request) => isSigned(request, keys.id, keys.secret) && request.headers["x-amz-security-token"] === keys.token,
  );
  return { keys, url: "s3://bucket/pbmc.h5ad", cloud: { s3: { endpoint: `http://${address}`, region: "us-east-1" } } };
}

/** Passes requests on to the Security Token Service, and tells of the keys in its answers. */
const tokenService = (keys, actions) =>
  serve(async (request, response) => {
    const body = await bodyOf(request);
    const { host: _, "content-length": __, connection: ___, ...headers } = request.headers;
    const answer = await fetch(`${sts}${request.url}`, { method: request.method, headers, body });
    const text = await answer.text();
    const found = (name) => new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(text)?.[1].replaceAll("&#x2F;", "/");
    Object.assign(keys, { id: found("AccessKeyId"), secret: found("SecretAccessKey"), token: found("SessionToken") });
    actions.push(new URLSearchParams(body.toString()).get("Action"));
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/xml" }).end(text);
  });

const ROLE = "arn:aws:iam::123456789012:role/reader";

const CASES = {
  async "Amazon: the role of an instance, by IMDSv2"() {
    const { keys, ...input } = await signedBucket();
    const token = randomUUID();
    const roles = "/latest/meta-data/iam/security-credentials/";
    const metadata = await serve(({ method, url, headers }, response) => {
      if (method === "PUT" && url === "/latest/api/token" && headers["x-aws-ec2-metadata-token-ttl-seconds"]) {
        return response.end(token);
      }
      if (headers["x-aws-ec2-metadata-token"] !== token) return refuse(response, 401);
      if (url === roles) return response.end("reader");
      if (url !== `${roles}reader`) return refuse(response, 404);
      Object.assign(keys, { id: "ASIAINSTANCE", secret: "of an instance", token: "session" });
      json(response, {
        ...{ Code: "Success", Type: "AWS-HMAC", AccessKeyId: keys.id, SecretAccessKey: keys.secret, Token: keys.token },
        ...{ Expiration: soon(), LastUpdated: new Date().toISOString() },
      });
    });
    return { ...input, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://${metadata}` } };
  },

  async "Amazon: the credentials of a container"() {
    const { keys, ...input } = await signedBucket();
    const container = await serve((request, response) => {
      if (request.headers.authorization !== "of a container") return refuse(response);
      Object.assign(keys, { id: "ASIACONTAINER", secret: "of a container", token: "session" });
      json(response, { AccessKeyId: keys.id, SecretAccessKey: keys.secret, Token: keys.token, Expiration: soon() });
    });
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://${container}/credentials` };
    return { ...input, env: { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: "of a container" } };
  },

  async "Amazon: a web identity"() {
    const { keys, ...input } = await signedBucket();
    const actions = [];
    const service = await tokenService(keys, actions);
    const env = {
      ...{ AWS_WEB_IDENTITY_TOKEN_FILE: written("token", "e30.e30.c2ln"), AWS_ROLE_ARN: ROLE },
      ...{ AWS_ENDPOINT_URL_STS: `http://${service}`, AWS_REGION: "us-east-1" },
    };
    return { ...input, env, check: () => actions.join() === "AssumeRoleWithWebIdentity" };
  },

  async "Amazon: a role of a profile"() {
    const { keys, ...input } = await signedBucket();
    const actions = [];
    const service = await tokenService(keys, actions);
    const config = written("role", `[profile lab]\nrole_arn = ${ROLE}\nsource_profile = base\nregion = us-east-1\n`);
    const base = written("base", "[base]\naws_access_key_id = ID\naws_secret_access_key = S\n");
    const env = { AWS_PROFILE: "lab", AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: base };
    return {
      ...input,
      env: { ...env, AWS_ENDPOINT_URL_STS: `http://${service}` },
      check: () => actions.join() === "AssumeRole",
    };
  },

  async "Amazon: a program of a profile"() {
    const { keys, ...input } = await signedBucket();
    Object.assign(keys, { id: "PROGRAM", secret: "of a program", token: "session" });
    const answer = { Version: 1, AccessKeyId: keys.id, SecretAccessKey: keys.secret, SessionToken: keys.token };
    const program = written("program.mjs", `console.log(${JSON.stringify(JSON.stringify(answer))})`);
    const config = written("process", `[default]\ncredential_process = "${process.execPath}" "${program}"\n`);
    return { ...input, env: { AWS_CONFIG_FILE: config } };
  },

  async "Google: a file of credentials, which exchanges the token of another service"() {
    const service = await serve(async (request, response) => {
      const asked = new URLSearchParams((await bodyOf(request)).toString());
      if (asked.get("subject_token") !== "of another service") return refuse(response);
      const type = "urn:ietf:params:oauth:token-type:access_token";
      const answer = { access_token: "of a pool", issued_token_type: type, token_type: "Bearer", expires_in: 3600 };
      json(response, answer);
    });
    const credentials = {
      ...{ type: "external_account", subject_token_type: "urn:ietf:params:oauth:token-type:jwt" },
      ...{ audience: "//iam.googleapis.com/projects/1/pools/p/providers/q", token_url: `http://${service}/v1/token` },
      credential_source: { file: written("subject", "of another service") },
    };
    const address = await bucket((request) => inHeader(request, "of a pool"));
    return {
      url: "gs://bucket/pbmc.h5ad",
      cloud: { gs: { endpoint: `http://${address}` } },
      env: { GOOGLE_APPLICATION_CREDENTIALS: written("credentials.json", JSON.stringify(credentials)) },
    };
  },

  async "Google: the service account of a machine"() {
    const metadata = await serve(({ url, headers }, response) => {
      response.setHeader("Metadata-Flavor", "Google");
      if (headers["metadata-flavor"] !== "Google") return refuse(response);
      if (!url.includes("/service-accounts/default/token")) return response.end("ok");
      json(response, { access_token: "of a machine", expires_in: 3600, token_type: "Bearer" });
    });
    const address = await bucket((request) => inHeader(request, "of a machine"));
    const env = { GCE_METADATA_HOST: metadata, NO_GCE_CHECK: undefined };
    return { url: "gs://bucket/pbmc.h5ad", cloud: { gs: { endpoint: `http://${address}` } }, env };
  },

  async "Azure: the identity of a service"() {
    const service = await serve(({ url, headers }, response) => {
      const { searchParams } = new URL(url, "http://localhost");
      const isRight =
        headers["x-identity-header"] === "secret" && searchParams.get("resource") === "https://storage.azure.com";
      if (!isRight) return refuse(response, 400);
      const expires_on = String(Math.floor(Date.now() / 1000) + 3600);
      json(response, {
        access_token: "of a service",
        expires_on,
        resource: "https://storage.azure.com",
        token_type: "Bearer",
      });
    });
    const address = await bucket((request) => inHeader(request, "of a service"));
    return {
      url: "az://box/pbmc.h5ad",
      cloud: { az: { account: "a", endpoint: `http://${address}` } },
      env: { IDENTITY_ENDPOINT: `http://${service}/token`, IDENTITY_HEADER: "secret" },
    };
  },
};

/** Nothing of this machine's own. */
for (const name of Object.keys(process.env))
  if (/^(AWS|AZURE|GOOGLE|GCE|STORAGE|IDENTITY)_/.test(name)) delete process.env[name];
const NOTHING = {
  ...{ AWS_CONFIG_FILE: "/none", AWS_SHARED_CREDENTIALS_FILE: "/none", CLOUDSDK_CONFIG: "/none", NO_GCE_CHECK: "true" },
};

const print = (line) => process.stdout.write(`${line}\n`);
let [passed, failed] = [0, 0];
for (const [name, prepare] of Object.entries(CASES)) {
  const { url, cloud, env, check = () => true } = await prepare();
  const all = { ...NOTHING, ...env };
  for (const [variable, value] of Object.entries(all)) {
    if (value === undefined) delete process.env[variable];
    else process.env[variable] = value;
  }
  try {
    const data = await open(url, { cloud, companion: "off" });
    await data.table("obs").read({ columns: ["cell_type"] });
    const isRight = data.shape.join() === "2700,800" && check();
    await data.close();
    print(`${isRight ? "ok" : "FAILED"}: ${name}`);
    if (isRight) passed++;
    else failed++;
  } catch (error) {
    failed++;
    print(`FAILED: ${name}: ${error}`);
  }
  for (const variable of Object.keys(all)) delete process.env[variable];
}
for (const server of servers) {
  server.closeAllConnections();
  server.close();
}
rmSync(scratch, { recursive: true });
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
