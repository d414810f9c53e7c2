/** An open hash table on the bits of the values. It grows with them, so that a small table stays in the near caches. */

import { hybrid16From } from "./hybrid";
import { ENTRIES, INDICES, INPUT, MOST_ENTRIES, OUTPUT, PAGE, PLACES, TABLE } from "./memory";

const LEAST_BITS: i32 = 12;
/** The most steps past occupied slots, per value. Only values chosen to collide need more. */
const STEPS: i32 = 16;
const GOLDEN: u64 = 0x9e3779b97f4a7c15;

let wide: bool = false;
let limit: i32 = 0;
let size: i32 = 0;
let bits: i32 = LEAST_BITS;
let multiplier: u64 = GOLDEN;
let random: u64 = 1;
let steps: i32 = 0;

/**
 * Starts anew.
 * @param wordsPerValue 1 or 2.
 * @param most the most entries, up to 65,535.
 * @param seed any number; it never shows in the result.
 */
export function reset(wordsPerValue: i32, most: i32, seed: i32): void {
  wide = wordsPerValue == 2;
  limit = min(most, MOST_ENTRIES);
  size = 0;
  multiplier = GOLDEN;
  random = (<u64><u32>seed << 1) | 1;
  rehash(LEAST_BITS);
}

/** The number of entries. */
export function entryCount(): i32 { return size; }

/** Enters the values again, into 2^next slots. */
function rehash(next: i32): void {
  bits = next;
  memory.fill(wide ? PLACES : TABLE, 0, wide ? <usize>2 << next : <usize>8 << next);
  for (let i = 0; i < size; i++) {
    if (wide) put64(find64(entry64(i)), entry64(i), i + 1);
    else put32(find32(entry32(i)), entry32(i), i + 1);
  }
}

/** Replaces a multiplier under which too many values collide. An attacker cannot know the next, random one. */
function scatter(): void {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  multiplier = random | 0x100000001;
  rehash(bits);
  steps = STEPS * PAGE;
}

// @ts-ignore: decorator
@inline
function entry32(i: i32): u32 { return load<u32>(ENTRIES + (<usize>i << 2)); }

// @ts-ignore: decorator
@inline
function entry64(i: i32): u64 { return load<u64>(ENTRIES + (<usize>i << 3)); }

// @ts-ignore: decorator
@inline
function put32(slot: usize, value: u32, place: u32): void {
  store<u64>(TABLE + (slot << 3), (<u64>value << 32) | place);
}

// @ts-ignore: decorator
@inline
function put64(slot: usize, value: u64, place: u32): void {
  store<u64>(TABLE + (slot << 3), value);
  store<u16>(PLACES + (slot << 1), place);
}

/** Returns the slot of the value, or the free slot in which it belongs. */
function find32(value: u32): usize {
  const mask = (<usize>1 << bits) - 1;
  let slot = <usize>((value * <u32>(multiplier >> 32)) >> (32 - bits));
  while (true) {
    const found = load<u64>(TABLE + (slot << 3));
    if (<u32>found == 0 || <u32>(found >> 32) == value) return slot;
    slot = (slot + 1) & mask;
    steps--;
  }
}

function find64(value: u64): usize {
  const mask = (<usize>1 << bits) - 1;
  let slot = <usize>((value * multiplier) >> (64 - bits));
  while (true) {
    if (load<u16>(PLACES + (slot << 1)) == 0 || load<u64>(TABLE + (slot << 3)) == value) return slot;
    slot = (slot + 1) & mask;
    steps--;
  }
}

/** Returns the place of a value, counted from 1; 0 where the value is new and the dictionary is full. */
function enter32(value: u32): u32 {
  if (steps < 0) scatter();
  const place = load<u32>(TABLE + (find32(value) << 3));
  if (place != 0) return place;
  if (size >= limit) return 0;
  // At most half of the slots are taken.
  if (size >> (bits - 1) != 0) rehash(bits + 1);
  store<u32>(ENTRIES + (<usize>size << 2), value);
  put32(find32(value), value, ++size);
  return size;
}

function enter64(value: u64): u32 {
  if (steps < 0) scatter();
  const place = <u32>load<u16>(PLACES + (find64(value) << 1));
  if (place != 0) return place;
  if (size >= limit) return 0;
  if (size >> (bits - 1) != 0) rehash(bits + 1);
  store<u64>(ENTRIES + (<usize>size << 3), value);
  put64(find64(value), value, ++size);
  return size;
}

/**
 * Enters a page of `count` values, and keeps their indices for `indexPage`.
 * @returns 0 where the dictionary would grow too large.
 */
export function index(count: i32): i32 {
  steps = STEPS * PAGE;
  return wide ? index64(count) : index32(count);
}

function index32(count: i32): i32 {
  const end = INPUT + (<usize>count << 2);
  let out = INDICES;
  let shift = 32 - bits;
  let factor = <u32>(multiplier >> 32);
  for (let p = INPUT; p < end; p += 4) {
    const value = load<u32>(p);
    const slot = <usize>((value * factor) >> shift);
    // In a slot with this value only the place remains; a free slot gives a number beyond all places.
    let i = (load<u64>(TABLE + (slot << 3)) ^ (<u64>value << 32)) - 1;
    if (i >= 0x10000) {
      const place = enter32(value);
      if (place == 0) return 0;
      shift = 32 - bits;
      factor = <u32>(multiplier >> 32);
      i = place - 1;
    }
    store<u16>(out, <u16>i);
    out += 2;
  }
  return 1;
}

function index64(count: i32): i32 {
  const end = INPUT + (<usize>count << 3);
  let out = INDICES;
  let shift = <u64>(64 - bits);
  let factor = multiplier;
  for (let p = INPUT; p < end; p += 8) {
    const value = load<u64>(p);
    const slot = <usize>((value * factor) >> shift);
    let place = <u32>load<u16>(PLACES + (slot << 1));
    if (place == 0 || load<u64>(TABLE + (slot << 3)) != value) {
      place = enter64(value);
      if (place == 0) return 0;
      shift = <u64>(64 - bits);
      factor = multiplier;
    }
    store<u16>(out, <u16>(place - 1));
    out += 2;
  }
  return 1;
}

/**
 * Encodes the page of the `count` values that were entered last, with the width of an index in front.
 * @returns the length of the body.
 */
export function indexPage(count: i32): i32 {
  const width = size <= 1 ? 0 : 32 - clz(size - 1);
  store<u8>(OUTPUT, <u8>width);
  return <i32>(hybrid16From(INDICES, count, width, OUTPUT + 1) - OUTPUT);
}
