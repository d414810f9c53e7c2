import { InvalidInputError } from "../../../model/errors.js";
import { allocate, bytesOf, type NumberArray, type StoredType } from "../../../model/stored.js";

/** Beyond it not every integer is a real. */
const EXACT = 2 ** 53;

/** Numbers that are collected: 32 bits as they are in integers, smaller integers widened, 64 bits as reals. */
export class GrowingNumbers {
  /** The constructor of the typed arrays that are taken. */
  readonly #taken: unknown;
  #values: Int32Array | Float64Array;
  #count = 0;

  /** @param count of the values, as far as it is known. */
  constructor(type: StoredType, isReal: boolean, count: number) {
    this.#taken = allocate(type, 0).constructor;
    this.#values = isReal ? new Float64Array(count) : new Int32Array(count);
  }

  /**
   * @param path what errors call the array.
   * @throws {InvalidInputError} for integers that no real is equal to.
   * @throws {TypeError} for values of another type.
   */
  add(values: NumberArray, path: string): void {
    if (values.constructor !== this.#taken) throw new TypeError(`${path}: these are not values of its type`);
    const end = this.#count + values.length;
    if (end > this.#values.length) this.#grow(end);
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) this.#addExact(values, path);
    else if (values instanceof Float32Array || values instanceof Uint32Array) {
      const bytes = bytesOf(values);
      bytesOf(this.#values).set(bytes, 4 * this.#count);
    } else this.#values.set(values, this.#count);
    this.#count = end;
  }

  #addExact(values: BigInt64Array | BigUint64Array, path: string): void {
    for (let i = 0; i < values.length; i++) {
      const value = Number(values[i]);
      if (Math.abs(value) > EXACT || BigInt(value) !== values[i]) {
        const where = `value ${this.#count + i}, ${values[i]}`;
        throw new InvalidInputError(`${where}, is beyond 2^53, up to which R holds integers`, { element: path });
      }
      this.#values[this.#count + i] = value;
    }
  }

  #grow(needed: number): void {
    const length = Math.max(needed, 2 * this.#values.length);
    const larger = this.#values instanceof Float64Array ? new Float64Array(length) : new Int32Array(length);
    larger.set(this.#values.subarray(0, this.#count));
    this.#values = larger;
  }

  values(): Int32Array | Float64Array {
    return this.#values.subarray(0, this.#count);
  }
}
