/** Memory in use, for tests and measurements that count bytes. */

/** Collects garbage. Requires `node --expose-gc`. */
export function collectGarbage(): void {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) throw new Error('Memory cannot be measured. Run node with --expose-gc.');
  collect();
  collect();
}

/** Bytes in use after collecting garbage. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
