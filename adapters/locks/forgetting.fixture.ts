/** Locks of ever new names, one after the other, and what the peers keep of them. */
import { EPOCHS } from '../../machines/locks/messages.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import type { Locks } from './locks.js';

/** What a peer keeps for locks: roles of its node, and entries of the tables of its epochs. */
export function keptAt({ node }: Locks): number {
  const tables = node.role(EPOCHS)!.context as EpochsContext;
  const entries = (['claims', 'wants', 'records', 'locks', 'open', 'early', 'pending'] as const).map(
    (name) => tables[name].length,
  );
  return Object.keys(node.view()).length + entries.reduce((sum, length) => sum + length, 0);
}

/** Asks for so many locks of new names in turn, each at the next of the peers. `look` is called so many times, each after as many of them. */
export async function manyNames(all: readonly Locks[], count: number, looks: number, look: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    await all[i % all.length]!.request(`order ${i}`, () => {});
    if ((i + 1) % (count / looks) === 0) look();
  }
}
