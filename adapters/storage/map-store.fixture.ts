/** A shared store in memory, for tests: it outlives its users, answers late, and can be down. */
import type { Revised, SharedStore } from './shared.js';

export class MapStore implements SharedStore {
  readonly values = new Map<string, Revised>();
  failure: Error | null = null;
  /** Number of next writes that succeed without an answer. */
  answersLost = 0;

  private async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failure) throw this.failure;
  }

  async get(table: string, key: string): Promise<Revised | null> {
    await this.turn();
    return this.values.get(`${table} ${key}`) ?? null;
  }

  async put(table: string, key: string, value: string, revision: string | number | null): Promise<number | null> {
    await this.turn();
    const place = `${table} ${key}`;
    if ((this.values.get(place)?.revision ?? null) !== revision) return null;
    const next = Number(revision ?? 0) + 1;
    this.values.set(place, { value, revision: next });
    if (this.answersLost > 0 && this.answersLost--) throw new Error('the connection was lost');
    return next;
  }

  async delete(table: string, key: string): Promise<void> {
    await this.turn();
    this.values.delete(`${table} ${key}`);
  }

  async keys(table: string): Promise<readonly string[]> {
    await this.turn();
    return [...this.values.keys()].flatMap((place) => (place.startsWith(`${table} `) ? [place.slice(table.length + 1)] : []));
  }
}
