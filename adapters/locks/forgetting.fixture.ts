/** Locks with ever new names, one after the other, and the state of the peers for them. */
import { EPOCHS } from '../../machines/locks/messages.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import type { Locks } from './locks.js';

/** The state of a peer for locks: roles of its node, and entries in the tables of its epochs. */
export function keptAt({ node }: Locks): number {
  const tables = node.role(EPOCHS)!.context as EpochsContext;
  const entries = (['claims', 'wants', 'records', 'locks', 'open', 'early', 'pending'] as const).map(
    (name) => tables[name].length,
  );
  return Object.keys(node.view()).length + entries.reduce((sum, length) => sum + length, 0);
}

/** Requests this many locks with new names in turn, each at the next of the peers. `look` is called this many times, at equal distances. */
export async function manyNames(all: readonly Locks[], count: number, samples: number, look: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    await all[i % all.length]!.request(`order ${i}`, () => {});
    if ((i + 1) % (count / samples) === 0) look();
  }
}
