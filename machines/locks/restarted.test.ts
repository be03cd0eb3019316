/** Peers whose first epochs differ, and a peer that starts again knowing nothing: every interleaving; longer ones in restarted.deep.ts. */
import { describe, expect, test } from 'vitest';
import type { Refuse } from './messages.js';
import { forget, forgetful, pair, path, searchOn, startingAt, told } from './restarted.fixtures.js';
import { join, mutant } from './systems.fixtures.js';

describe('peers that begin from different epochs', () => {
  const meeting = [join('a', 'c')];
  const epochs = { a: 1, b: 2, c: 3 };

  test('agree on one: 9599 states', () => {
    const found = searchOn(pair, startingAt(epochs), meeting);
    expect(found).toMatchObject({ verdict: 'valid', states: 9_599 });
  });

  test('where everybody who is overruled tries again, and not the leader alone, that has no end', () => {
    const everybody = mutant({ guards: { outbids: ({ context, event }) => (event as Refuse).epoch >= context.promised } });
    expect(searchOn(pair, startingAt(epochs, everybody), meeting, { states: 15_000 }).verdict).toBe('unknown');
  });
});

describe('a peer that starts again, knowing nothing', () => {
  const commands = [told('down', 'b', 'a'), told('down', 'b', 'c'), forget('b'), told('up', 'b', 'c')];

  test('breaks no promise if its first epoch is no lower than any that it had promised: 7077 states', () => {
    const found = searchOn(
      path,
      forgetful((promised) => promised),
      commands,
    );
    expect(found).toMatchObject({ verdict: 'valid', states: 7_077 });
  });

  test('begins with another majority an epoch that has begun already, if its first epoch is lower', () => {
    const { verdict, counterexample } = searchOn(
      path,
      forgetful(() => 0),
      commands,
    );
    expect(verdict).toBe('invalid');
    expect(counterexample!.property).toBe('one beginning an epoch');
    expect(counterexample!.steps).toHaveLength(9);
  });
});
