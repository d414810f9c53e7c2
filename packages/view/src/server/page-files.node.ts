/** Serves the built page's files by name. Only files that existed when the server started are served. */

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { NotFoundError } from "annarrow";

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** Returns the content compressed with Brotli; null if it would not be smaller. */
  readonly compressed: () => Promise<Uint8Array | null>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  wasm: "application/wasm",
};

/** Page for use without a server. `--static` copies it. */
const WITHOUT_SERVER = "static.html";

/** Brotli quality. The highest quality would take seconds. */
const QUALITY = 5;

const compress = promisify(brotliCompress);

export class PageFiles {
  readonly #folder: URL;
  /** Files by request path, such as `/assets/main.js`. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #read = new Map<string, Promise<PageFile>>();

  private constructor(folder: URL, names: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#names = names;
  }

  /** @throws {NotFoundError} if the folder does not contain the page. */
  static async open(folder: URL): Promise<PageFiles> {
    const listed = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
      throw new NotFoundError("the page is not built: npm run build", { source: fileURLToPath(folder), cause });
    });
    const base = fileURLToPath(folder);
    const names = listed
      .filter((entry) => entry.isFile() && entry.name !== WITHOUT_SERVER)
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(base.length).replaceAll("\\", "/").replace(/^\/+/, ""));
    if (!names.includes("index.html"))
      throw new NotFoundError("the page is not built: npm run build", { source: base });
    return new PageFiles(folder, new Map([["/", "index.html"], ...names.map((name) => [`/${name}`, name] as const)]));
  }

  /** Returns the file at a request path; null if there is none. The path is not normalized. */
  find(path: string): Promise<PageFile> | null {
    const name = this.#names.get(path);
    if (name === undefined) return null;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = this.#load(name);
    this.#read.set(name, reading);
    reading.catch(() => this.#read.delete(name));
    return reading;
  }

  async #load(name: string): Promise<PageFile> {
    const bytes = await readFile(new URL(encodeURI(name), this.#folder));
    let compressed: Promise<Uint8Array | null> | null = null;
    return {
      type: TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
      bytes,
      compressed: () => {
        compressed ??= compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }).then((small) =>
          small.length < bytes.length ? small : null,
        );
        return compressed;
      },
    };
  }
}
