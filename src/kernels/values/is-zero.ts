/** Whether all bytes are 0: the values are zeros then, and none of them is -0.0. */
export function isZero(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  let at = 0;
  if (byteOffset % 4 === 0) {
    const words = new Int32Array(buffer, byteOffset, length >> 2);
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false;
    at = words.length * 4;
  }
  for (; at < length; at++) if (bytes[at] !== 0) return false;
  return true;
}
