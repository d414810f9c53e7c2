/** Where the chunks of an array lie, in their order in the array: 12 bytes each. */
export class ChunkList {
  #addresses = new Float64Array(16);
  #sizes = new Uint32Array(16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(address: number, bytes: number): void {
    if (this.#count === this.#addresses.length) {
      const addresses = new Float64Array(2 * this.#count);
      const sizes = new Uint32Array(2 * this.#count);
      addresses.set(this.#addresses);
      sizes.set(this.#sizes);
      this.#addresses = addresses;
      this.#sizes = sizes;
    }
    this.#addresses[this.#count] = address;
    this.#sizes[this.#count++] = bytes;
  }

  address(i: number): number {
    return this.#addresses[i];
  }

  size(i: number): number {
    return this.#sizes[i];
  }
}
