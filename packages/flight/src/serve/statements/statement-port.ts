/**
 * The thread's side of a statement. It sends each part of the answer when the part is accepted, and receives the parts
 * of the upload.
 */

import type { FromStatement, ToStatement } from "./statement-messages.js";

export class StatementPort {
  readonly #post: (message: FromStatement, transfer: ArrayBuffer[]) => void;
  readonly #uploads: (Uint8Array | null)[] = [];
  /** Number of parts that the thread may send now. */
  #credit = 1;
  #wake = (): void => undefined;

  constructor(post: (message: FromStatement, transfer: ArrayBuffer[]) => void) {
    this.#post = post;
  }

  take(message: Exclude<ToStatement, { readonly kind: "task" }>): void {
    switch (message.kind) {
      case "upload":
        this.#uploads.push(message.bytes);
        break;
      case "uploaded":
        this.#uploads.push(null);
        break;
      case "more":
        this.#credit++;
        break;
      default:
        message satisfies never;
    }
    this.#wake();
  }

  send(message: FromStatement): void {
    this.#post(message, []);
  }

  /** Sends a part of the answer once the previous part has been passed on. */
  async sendPiece(message: Extract<FromStatement, { readonly kind: "message" | "text" }>): Promise<void> {
    while (this.#credit === 0) await this.#woken();
    this.#credit--;
    this.#post(message, [message.bytes.buffer]);
  }

  /** Yields the bytes of the upload. Each part is requested when it is needed. */
  async *uploaded(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (this.#uploads.length === 0) await this.#woken();
      const bytes = this.#uploads.shift() ?? null;
      if (bytes === null) return;
      this.send({ kind: "taken" });
      yield bytes;
    }
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
