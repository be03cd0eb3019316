/** A fast hash of text that is the same on every node. It is not cryptographic. */

/** Initial value of the hash of any text. */
export const HASH_BASIS = 0x811c9dc5;

/** FNV-1a hash of 32 bits. Another `basis` continues the hash of a preceding text. */
export function hash(text: string, basis = HASH_BASIS): number {
  let h = basis;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
