/** The thread's side of one statement: pieces of the answer go out as they are taken, pieces of the upload come in. */

import type { FromStatement, ToStatement } from "./statement-messages.js";

export class StatementPort {
  readonly #post: (message: FromStatement, transfer: ArrayBuffer[]) => void;
  readonly #uploads: (Uint8Array | null)[] = [];
  /** Number of pieces that may be sent. */
  #credit = 1;
  /** Wakes the code that waits for a message. */
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

  /** Sends a piece of the answer when the one before was sent on. */
  async sendPiece(message: Extract<FromStatement, { readonly kind: "message" | "text" }>): Promise<void> {
    while (this.#credit === 0) await this.#woken();
    this.#credit--;
    this.#post(message, [message.bytes.buffer]);
  }

  /** The bytes of the upload, each piece once it is asked for. */
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
