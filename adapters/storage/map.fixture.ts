/** Storages of peers in one process, for tests: they outlive the objects that use them, and fail on command. */
import type { Json } from '../transports/transport.js';
import type { PeerStorage } from './storage.js';

export class MapStorage implements PeerStorage {
  readonly values = new Map<string, Json>();
  failure: Error | null = null;
  saves = 0;

  async load(key: string): Promise<Json | undefined> {
    if (this.failure) throw this.failure;
    return structuredClone(this.values.get(key));
  }

  async save(key: string, value: Json): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failure) throw this.failure;
    this.saves++;
    this.values.set(key, structuredClone(value));
  }
}
