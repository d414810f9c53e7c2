/** Addresses of objects: `s3://bucket/key`, `gs://`, `az://container/blob`, `abfss://`, `hf://datasets/owner/name/path`. */

import { InvalidInputError, UnsupportedError } from "annarrow";

export type CloudScheme = "s3" | "gs" | "az" | "hf";

export interface CloudAddress {
  readonly scheme: CloudScheme;
  /** The bucket, the container, or the repository including its kind: `datasets/owner/name`. */
  readonly bucket: string;
  /**
   * Key of the object, or of the folder; empty for the whole bucket. It is not decoded: `%` is an ordinary character.
   */
  readonly key: string;
  /** The Azure storage account, if the address names it. */
  readonly account?: string;
  /** Branch, tag or commit of a repository, if the address names it. */
  readonly revision?: string;
}

type SchemesByName = Readonly<Record<string, CloudScheme>>;

/** Maps scheme names to object stores. */
export const CLOUD_NAMES: SchemesByName = { s3: "s3", gs: "gs", az: "az", abfss: "az", hf: "hf" };

/** Alternative scheme names that other programs use. */
export const CLOUD_ALIASES: SchemesByName = { s3a: "s3", gcs: "gs", abfs: "az" };

const SCHEMES: SchemesByName = { ...CLOUD_NAMES, ...CLOUD_ALIASES };

const PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/** True if the text begins with a scheme of an object store. */
export function isCloudAddress(text: string): boolean {
  const scheme = PATTERN.exec(text)?.[1].toLowerCase();
  return scheme !== undefined && Object.hasOwn(SCHEMES, scheme);
}

/**
 * Parses an address.
 * @throws {InvalidInputError} for an address without a bucket.
 * @throws {UnsupportedError} for a key with a segment `.` or `..`, which URLs cannot contain.
 */
export function parseAddress(address: string | URL): CloudAddress {
  // A URL object has encoded its path; a string is used as it is.
  const text = address instanceof URL ? `${address.protocol}//${address.host}${decoded(address)}` : address;
  const [, scheme = "", rest = ""] = PATTERN.exec(text) ?? [];
  const known = SCHEMES[scheme.toLowerCase()];
  if (known === undefined) throw new InvalidInputError(`${JSON.stringify(text)} is no address of an object store`);
  const slash = rest.indexOf("/");
  const [host, key] = slash < 0 ? [rest, ""] : [rest.slice(0, slash), rest.slice(slash + 1)];
  const parsed = known === "hf" ? repository(text, rest) : { scheme: known, key, ...bucketOf(known, host, text) };
  if (parsed.bucket === "") throw new InvalidInputError("names no bucket", { source: text });
  const dots = parsed.key.split("/").find((segment) => segment === "." || segment === "..");
  if (dots !== undefined) throw new UnsupportedError(`a key with ${JSON.stringify(dots)}`, { source: text });
  return parsed;
}

/** Returns the address of another key in the same bucket, as text. */
export function formatObjectAddress(address: CloudAddress, key: string): string {
  const { scheme, bucket, account, revision } = address;
  const at = revision === undefined ? bucket : `${bucket}@${encodeURIComponent(revision)}`;
  return account === undefined ? `${scheme}://${at}/${key}` : `abfss://${bucket}@${account}/${key}`;
}

/** Encodes a key for a URL. */
export function encodeObjectKey(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}

function decoded(url: URL): string {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return url.pathname;
  }
}

/** Parses `container@account.dfs.core.windows.net`, `container@account`, or just the name of a bucket. */
function bucketOf(scheme: CloudScheme, host: string, text: string): Pick<CloudAddress, "bucket" | "account"> {
  if (!host.includes("@")) return { bucket: host };
  const found = /^([^@]+)@([a-z0-9]+)(\.(?:dfs|blob)\.core\.windows\.net)?$/i.exec(host);
  if (scheme !== "az" || found === null) {
    throw new InvalidInputError("the name of a bucket has no @; credentials are not a part of an address", {
      source: text.replace(/\/\/[^/]*@/, "//…@"),
    });
  }
  return { bucket: found[1], account: found[2] };
}

const KINDS = ["datasets", "spaces"];

/** Parses `datasets/owner/name@revision/path`. If no kind is given, the repository is a model. */
function repository(text: string, rest: string): CloudAddress {
  const segments = rest.split("/");
  const count = KINDS.includes(segments[0]) ? 3 : 2;
  const [last = "", ...more] = (segments[count - 1] ?? "").split("@");
  const owner = segments.slice(0, count - 1);
  if (last === "" || owner.some((segment) => segment === "")) {
    throw new InvalidInputError("names no repository, as hf://datasets/owner/name/path", { source: text });
  }
  const revision = more.join("@");
  return {
    scheme: "hf",
    bucket: [...owner, last].join("/"),
    key: segments.slice(count).join("/"),
    revision: revision === "" ? undefined : decodeURIComponent(revision),
  };
}
