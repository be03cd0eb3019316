/** Collections that remember only their latest entries, so that peers which come and go do not fill the memory. */
export function forgetOldest<K>(entries: Set<K> | Map<K, unknown>, max: number): void {
  if (entries.size > max) entries.delete(entries.keys().next().value!);
}
