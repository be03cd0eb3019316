/** A hash that is the same on every node: quick, and no secret. */

/** Initial value of the hash of any text. */
export const HASH_BASIS = 0x811c9dc5;

/** FNV-1a of 32 bits; with another beginning than the basis, of a text that follows another. */
export function hash(text: string, basis = HASH_BASIS): number {
  let h = basis;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
