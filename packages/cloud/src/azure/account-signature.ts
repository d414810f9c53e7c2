/**
 * Shared access signatures, made from an account key. A request carries the signature in its URL, and need not be
 * signed itself. Source: Azure Storage REST API, "Create an account SAS".
 */

import { InvalidInputError } from "annarrow";

/** Version of the service's API, for requests and signatures. */
export const SERVICE_VERSION = "2021-12-02";

/** Milliseconds for which a signature is valid, and after which it is renewed. */
const [VALID, RENEWED] = [12 * 3_600_000, 6 * 3_600_000];

/** Rights to read, write, delete, list, add, create (`sp`), for blobs (`ss`), in containers and objects (`srt`). */
const RIGHTS = { sp: "rwdlac", ss: "b", srt: "co" };

/**
 * Makes a function that returns the query parameters of a signature, valid for some hours.
 * @param key the account's key, in base64.
 */
export function createAccountSigner(account: string, key: string, now = Date.now): () => Promise<URLSearchParams> {
  let made: Promise<URLSearchParams> | null = null;
  let madeAt = 0;
  return () => {
    if (made === null || now() - madeAt > RENEWED) {
      madeAt = now();
      made = signed(account, key, new Date(madeAt + VALID));
    }
    return made;
  };
}

async function signed(account: string, key: string, expiry: Date): Promise<URLSearchParams> {
  const { sp, ss, srt } = RIGHTS;
  const se = `${expiry.toISOString().slice(0, 19)}Z`;
  const [start, addresses, protocol, scope] = ["", "", "", ""];
  const fields = [account, sp, ss, srt, start, se, addresses, protocol, SERVICE_VERSION, scope];
  const text = new TextEncoder().encode(fields.map((field) => `${field}\n`).join(""));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", decodedKey(key), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", secret, text));
  return new URLSearchParams({ sv: SERVICE_VERSION, ss, srt, sp, se, sig: btoa(String.fromCharCode(...signature)) });
}

function decodedKey(key: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
  } catch {
    // The error has no `cause`, because it would contain the key.
    throw new InvalidInputError("the key of the storage account is no base64");
  }
}
