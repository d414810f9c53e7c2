/** Where the chunks of an array lie: 12 bytes each, and 8 more where some are missing or they came in another order. */
export class ChunkList {
  #addresses = new Float64Array(16);
  #sizes = new Uint32Array(16);
  /** Null as long as chunk i is the one at place i. */
  #places: Float64Array | null = null;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param place in the grid of chunks, in row-major order. */
  add(place: number, address: number, bytes: number): void {
    if (this.#count === this.#addresses.length) this.#grow();
    if (place !== this.#count) this.#places ??= Float64Array.from(this.#addresses, (_, i) => i);
    if (this.#places !== null) this.#places[this.#count] = place;
    this.#addresses[this.#count] = address;
    this.#sizes[this.#count++] = bytes;
  }

  /** Puts the chunks in the order of their places. */
  sort(): void {
    const count = this.#count;
    const places = this.#places?.subarray(0, count) ?? null;
    if (places === null || places.every((place, i) => i === 0 || places[i - 1] < place)) return;
    const order = Uint32Array.from(places, (_, i) => i).sort((a, b) => places[a] - places[b]);
    this.#places = Float64Array.from(order, (i) => places[i]);
    this.#addresses = Float64Array.from(order, (i) => this.#addresses[i]);
    this.#sizes = Uint32Array.from(order, (i) => this.#sizes[i]);
  }

  place(i: number): number {
    return this.#places === null ? i : this.#places[i];
  }

  address(i: number): number {
    return this.#addresses[i];
  }

  size(i: number): number {
    return this.#sizes[i];
  }

  #grow(): void {
    const grown = (from: Float64Array) => {
      const to = new Float64Array(2 * this.#count);
      to.set(from);
      return to;
    };
    const sizes = new Uint32Array(2 * this.#count);
    sizes.set(this.#sizes);
    this.#sizes = sizes;
    this.#addresses = grown(this.#addresses);
    if (this.#places !== null) this.#places = grown(this.#places);
  }
}
