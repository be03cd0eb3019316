import { readFileSync, existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { churn, walkers } from './moving.js';
import { topologyFiles } from './files.js';
import { createTopology } from './index.js';
import { linkChanges } from './link-changes.js';
import { Random } from '../random.js';
import type { Contact } from './contacts.js';

describe('contacts as link changes', () => {
  const contacts = (...lines: readonly (readonly [number, string, string])[]) => lines.map(([at, i, j]) => ({ at, i, j }));

  test('a long contact is one link, from its first line to one interval after its last', () => {
    expect(linkChanges(contacts([100, 'a', 'b'], [120, 'b', 'a'], [140, 'a', 'c']))).toEqual([
      { at: 0, do: 'join', link: ['a', 'b'], weight: 1 },
      { at: 40, do: 'cut', link: ['a', 'b'] },
      { at: 40, do: 'join', link: ['a', 'c'], weight: 1 },
      { at: 60, do: 'cut', link: ['a', 'c'] },
    ]);
  });

  test('a pause of more than an interval is two contacts', () => {
    const changes = linkChanges(contacts([0, 'a', 'b'], [20, 'c', 'd'], [40, 'a', 'b']));
    expect(changes.filter(({ link }) => link[0] === 'a').map(({ at, do: what }) => [at, what])).toEqual([
      [0, 'join'],
      [20, 'cut'],
      [40, 'join'],
      [60, 'cut'],
    ]);
  });

  test('no contacts, no changes', () => {
    expect(linkChanges([])).toEqual([]);
  });

  const day = new URL('../../../shared/data/contacts/ws16-day2.tij', import.meta.url);
  test.skipIf(!existsSync(day))('on the real day, joined links are cut again (skipped without ../shared/data)', () => {
    const changes = linkChanges(
      createTopology(
        { contacts: 'day' },
        topologyFiles(() => readFileSync(day, 'utf8')),
      ).contacts,
    );
    const up = new Set<string>();
    for (const { do: what, link } of changes) {
      const key = [...link].sort().join(' ');
      expect(up.has(key)).toBe(what === 'cut');
      if (what === 'join') up.add(key);
      else up.delete(key);
    }
    expect(up.size).toBe(0);
    expect(changes.every(({ at }, i) => i === 0 || at >= changes[i - 1]!.at)).toBe(true);
  });
});

describe('churn', () => {
  const start = { n: 40, every: 10, steps: 400, seed: 3 };
  const pairs = (40 * 39) / 2;

  test('about birth / (birth + death) of all pairs are linked, from the first step on', () => {
    const contacts = churn({ ...start, birth: 0.02, death: 0.08 });
    const share = (from: number, to: number) =>
      contacts.filter(({ at }) => at >= from && at < to).length / (pairs * ((to - from) / 10));
    expect(share(0, 100)).toBeCloseTo(0.2, 1);
    expect(share(0, 4000)).toBeCloseTo(0.2, 2);
  });

  test('a link lasts 1 / death steps on average', () => {
    const changes = linkChanges(churn({ ...start, birth: 0.02, death: 0.1 }));
    const linked = churn({ ...start, birth: 0.02, death: 0.1 }).length;
    const links = changes.filter(({ do: what }) => what === 'join').length;
    expect(linked / links).toBeGreaterThan(9);
    expect(linked / links).toBeLessThan(11);
  });

  test('nothing dies that cannot', () => {
    expect(churn({ ...start, birth: 0, death: 0 })).toEqual([]);
    expect(churn({ ...start, steps: 3, birth: 1, death: 0 })).toHaveLength(3 * pairs);
  });
});

describe('random walkers', () => {
  const start = { n: 30, radius: 0.2, speed: 0.05, turn: 0.1, every: 20, steps: 200, seed: 1 };

  test('the same seed walks the same way, another one does not', () => {
    expect(walkers(start)).toEqual(walkers(start));
    expect(walkers(start)).not.toEqual(walkers({ ...start, seed: 2 }));
  });

  test('a resting walker keeps its links, a moving one does not', () => {
    const count = (speed: number) => linkChanges(walkers({ ...start, speed })).length;
    const still = walkers({ ...start, speed: 0 });
    expect(count(0)).toBe((2 * still.length) / start.steps);
    expect(count(0.05)).toBeGreaterThan(10 * count(0));
  });

  test('a walker that never turns goes straight and bounces: the unfolded way, folded', () => {
    const [n, radius, speed, steps] = [8, 0.4, 0.3, 60];
    const random = new Random(1, 'walkers');
    const s = Math.SQRT1_2;
    const compass = [
      [1, 0],
      [s, s],
      [0, 1],
      [-s, s],
      [-1, 0],
      [-s, -s],
      [0, -1],
      [s, -s],
    ] as const;
    const from = Array.from({ length: n }, () => ({ x: random.unit(), y: random.unit(), to: random.pick(compass) }));
    const folded = (place: number): number => 1 - Math.abs((((place % 2) + 2) % 2) - 1);
    const expected: Contact[] = [];
    for (let step = 0; step < steps; step++) {
      const at = from.map(({ x, y, to }) => [folded(x + step * speed * to[0]), folded(y + step * speed * to[1])] as const);
      for (let j = 0; j < n; j++)
        for (let i = 0; i < j; i++)
          if (Math.hypot(at[i]![0] - at[j]![0], at[i]![1] - at[j]![1]) <= radius)
            expected.push({ at: 20 * step, i: `n${i}`, j: `n${j}` });
    }
    const inOrder = (contacts: readonly Contact[]) => contacts.map(({ at, i, j }) => `${at} ${[i, j].sort().join(' ')}`).sort();
    const walked = walkers({ n, radius, speed, turn: 0, every: 20, steps, seed: 1 });
    expect(inOrder(walked)).toEqual(inOrder(expected));
    expect(walked.length).toBeGreaterThan(100);
  });

  test('with a range over the whole square all are linked', () => {
    expect(walkers({ ...start, radius: 1.5, steps: 2 })).toHaveLength(2 * ((30 * 29) / 2));
  });
});

describe('as a topology of a scenario', () => {
  test('initially no node has links, and all nodes exist', () => {
    const { nodes, links, contacts } = createTopology({ kind: 'walkers', n: 5, radius: 2, speed: 0, steps: 1 });
    expect({ nodes, links, contacts: contacts.length }).toEqual({
      nodes: ['n0', 'n1', 'n2', 'n3', 'n4'],
      links: [],
      contacts: 10,
    });
  });

  test.each([
    [{ kind: 'churn', n: 5, steps: 2, birth: 2, death: 0 }, 'topology.birth must be a chance, 0 to 1, but is 2.'],
    [{ kind: 'churn', n: 5, steps: 2, birth: 0 }, 'topology.death is missing. It must be a chance, 0 to 1.'],
    [{ kind: 'walkers', n: 5, steps: 2, radius: 1 }, 'topology.speed is missing. It must be a number, 0 to 2.'],
    [
      { kind: 'churn', n: 10_000, steps: 1000, birth: 0, death: 0 },
      'topology of kind churn takes too long to compute. Lower n or steps.',
    ],
  ])('%j is refused', (spec, message) => {
    expect(() => createTopology(spec)).toThrow(new UsageError(message));
  });
});
