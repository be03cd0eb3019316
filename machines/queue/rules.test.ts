/** Every rule of spec 2.3, and their order, one event at a time at node b below a and above c and d. */
import { describe, expect, test } from 'vitest';
import { createHost } from '../../network/world/hosts.js';
import { Node } from '../../network/world/node.js';
import { queue } from './index.js';
import { guardianOf } from './messages.js';

interface State {
  readonly pointer?: string;
  readonly c?: Guardian;
  readonly d?: Guardian;
}
type Guardian = { readonly observe: number } | { readonly correct: number };

const host = createHost('snapshots', queue);

/** Reaction of b to the event, and its state afterward. `sent` and `est` are included where they matter. */
function after(
  { pointer = 'b', c = { correct: 1 }, d = { correct: 1 } }: State,
  event: { readonly type: string; readonly from?: string; readonly [key: string]: unknown },
) {
  const node = new Node('b', host);
  const value = { b: 'self', a: 'up', c: 'down', d: 'down' }[pointer] ?? 'astray';
  const context = { id: 'b', pointer, parent: 'a', children: ['c', 'd'], tau: 4 };
  node.restore({
    pointer: { chart: 'pointer', value, context },
    [guardianOf('c')]: guardian('c', c),
    [guardianOf('d')]: guardian('d', d),
  });
  const role = event.type === 'timer' ? guardianOf('c') : queue.route(event, node);
  const outcome = node.has(role) ? node.step(role, event, () => 0) : { sends: [], emitted: [], timers: [] };
  const view = node.view();
  const shown = (child: string) => {
    const { value: state, context: counts } = view[guardianOf(child)]!;
    return state === 'observe' ? { observe: counts.sent } : { correct: counts.est };
  };
  return {
    pointer: view['pointer']!.context.pointer,
    state: view['pointer']!.value,
    c: shown('c'),
    d: shown('d'),
    sends: outcome.sends.map(({ to, message }) => ({ to, ...message })),
    emitted: outcome.emitted,
    timers: outcome.timers,
  };
}

function guardian(child: string, state: Guardian) {
  const counts = 'observe' in state ? { sent: state.observe, est: 0 } : { sent: 0, est: state.correct };
  const value = 'observe' in state ? 'observe' : 'correct';
  return { chart: 'guardian', value, context: { child, tau: 4, ...counts, timely: false } };
}

const find = (from: string, origin: string | null = 'z') => ({ type: 'find', from, origin });
const sentTo = (to: string, origin: string | null = 'z') => ({ to, type: 'find', origin });
const request = { type: 'request' };
const obsr = (x: 0 | 1, from = 'c') => ({ type: 'obsr', x, from });

describe('F0: a pointer that leads to no neighbor in the tree', () => {
  test('points to the node itself first, then the find is queued there', () => {
    expect(after({ pointer: 'y' }, find('a'))).toMatchObject({
      pointer: 'a',
      state: 'up',
      sends: [],
      emitted: [{ type: 'queued', requester: 'z', predecessor: 'b' }],
    });
  });

  test('does so at any event, and then takes the event', () => {
    expect(after({ pointer: 'y' }, { type: 'obs', from: 'a' })).toMatchObject({
      pointer: 'b',
      sends: [{ to: 'a', type: 'obsr', x: 0 }],
    });
    expect(after({ pointer: 'y', c: { observe: 0 } }, obsr(1))).toMatchObject({ pointer: 'b', c: { correct: 1 } });
  });
});

describe('F1: a find from a child with an estimate above one', () => {
  test.each(['a', 'b', 'c', 'd'])('is dropped before the pointer sees it, whether it leads to %s', (pointer) => {
    expect(after({ pointer, c: { correct: 3 } }, find('c'))).toMatchObject({
      pointer,
      c: { correct: 2 },
      d: { correct: 1 },
      sends: [],
      emitted: [{ type: 'dropped', requester: 'z' }],
    });
  });

  test('precedes F0 too: the pointer does not matter', () => {
    expect(after({ pointer: 'y', c: { correct: 2 } }, find('c'))).toMatchObject({ pointer: 'y', c: { correct: 1 }, sends: [] });
  });

  test('does not count the dropped find on its outgoing edge (S1)', () => {
    expect(after({ pointer: 'd', c: { correct: 2 }, d: { observe: 1 } }, find('c'))).toMatchObject({
      d: { observe: 1 },
      sends: [],
    });
  });

  test('does not apply in observe, nor to an estimate of one, nor to the other child', () => {
    expect(after({ c: { observe: 3 } }, find('c')).pointer).toBe('c');
    expect(after({ c: { correct: 1 } }, find('c')).pointer).toBe('c');
    expect(after({ c: { correct: 3 } }, find('d')).pointer).toBe('d');
  });
});

describe('F2: a find from where the pointer leads', () => {
  test('goes back to the parent', () => {
    expect(after({ pointer: 'a' }, find('a'))).toMatchObject({ pointer: 'a', sends: [sentTo('a')], emitted: [] });
  });

  test('goes back to the child, and is counted as sent', () => {
    expect(after({ pointer: 'c', c: { observe: 1 } }, find('c'))).toMatchObject({
      pointer: 'c',
      c: { observe: 2 },
      sends: [sentTo('c')],
    });
  });

  test('leaves the estimate alone when its guardian corrects (rule 4(b))', () => {
    expect(after({ pointer: 'c', c: { correct: 1 } }, find('c'))).toMatchObject({ c: { correct: 1 }, sends: [sentTo('c')] });
  });
});

describe('F3: a find at a node that points to itself', () => {
  test.each(['a', 'c'])('is queued behind its latest request, and the pointer turns to %s', (from) => {
    expect(after({}, find(from))).toMatchObject({
      pointer: from,
      sends: [],
      emitted: [{ type: 'queued', requester: 'z', predecessor: 'b' }],
    });
  });

  test('an own request is queued behind the one before it, and the pointer stays (S3)', () => {
    expect(after({}, request)).toMatchObject({
      pointer: 'b',
      state: 'self',
      sends: [],
      emitted: [{ type: 'queued', requester: 'b', predecessor: 'b' }],
    });
  });

  test('a synthetic find is queued too, without a request (S6)', () => {
    expect(after({}, find('c', null))).toMatchObject({ pointer: 'c', emitted: [{ type: 'queued', requester: null }] });
  });
});

describe('F4: a find is forwarded once, and the pointer turns to where it came from', () => {
  test('up, uncounted', () => {
    expect(after({ pointer: 'a', c: { observe: 0 } }, find('c'))).toMatchObject({
      pointer: 'c',
      state: 'down',
      c: { observe: 0 },
      sends: [sentTo('a')],
    });
  });

  test('down, counted only by the guardian of its outgoing edge (S2)', () => {
    expect(after({ pointer: 'd', c: { observe: 0 }, d: { observe: 0 } }, find('c'))).toMatchObject({
      pointer: 'c',
      c: { observe: 0 },
      d: { observe: 1 },
      sends: [sentTo('d')],
    });
  });

  test('an own request, up and down', () => {
    expect(after({ pointer: 'a' }, request)).toMatchObject({ pointer: 'b', state: 'self', sends: [sentTo('a', 'b')] });
    expect(after({ pointer: 'd', d: { observe: 2 } }, request)).toMatchObject({
      pointer: 'b',
      d: { observe: 3 },
      sends: [sentTo('d', 'b')],
    });
  });

  test('a find from a node that is not a neighbor in the tree is dropped (part 3)', () => {
    for (const pointer of ['a', 'b', 'c']) {
      expect(after({ pointer }, find('y'))).toMatchObject({ pointer, sends: [], emitted: [{ type: 'dropped' }] });
    }
  });
});

describe('O1: a timeout', () => {
  test.each([[{ observe: 3 }], [{ correct: 3 }]])('begins to observe from %j: nothing sent yet, an observer on its way', (c) => {
    expect(after({ c }, { type: 'timer', timer: 'observe' })).toMatchObject({
      c: { observe: 0 },
      sends: [{ to: 'c', type: 'obs' }],
      timers: [{ role: 'guardian:c', timer: 'observe', delay: 4 }],
    });
  });
});

describe('O2 and O5: observers', () => {
  test.each([
    ['a', 1],
    ['b', 0],
    ['c', 0],
  ] as const)('from the parent: the answer is whether the pointer leads there (%s: %i)', (pointer, x) => {
    expect(after({ pointer }, { type: 'obs', from: 'a' }).sends).toEqual([{ to: 'a', type: 'obsr', x }]);
  });

  test('from any other node: dropped', () => {
    expect(after({ pointer: 'c' }, { type: 'obs', from: 'c' }).sends).toEqual([]);
    expect(after({ pointer: 'c' }, { type: 'obs', from: 'y' }).sends).toEqual([]);
  });

  test('a return from a node that is not a child: dropped', () => {
    expect(after({ c: { observe: 1 } }, obsr(1, 'a'))).toMatchObject({ c: { observe: 1 }, sends: [] });
  });
});

describe('O3: an observer that returns while correcting', () => {
  test('is ignored', () => {
    expect(after({ pointer: 'c', c: { correct: 2 } }, obsr(1))).toMatchObject({ pointer: 'c', c: { correct: 2 }, sends: [] });
  });
});

describe('O4: an observer that returns while observing', () => {
  test('estimates sent + v + p', () => {
    expect(after({ c: { observe: 1 } }, obsr(0))).toMatchObject({ c: { correct: 1 }, sends: [], pointer: 'b' });
    expect(after({ c: { observe: 0 } }, obsr(1))).toMatchObject({ c: { correct: 1 }, sends: [] });
    expect(after({ pointer: 'c', c: { observe: 0 } }, obsr(0))).toMatchObject({ c: { correct: 1 }, pointer: 'c' });
  });

  test('zero: injects a find without origin, and estimates one', () => {
    expect(after({ c: { observe: 0 } }, obsr(0))).toMatchObject({ c: { correct: 1 }, sends: [sentTo('c', null)], pointer: 'b' });
  });

  test('more than one with the pointer across: turns to itself, one less', () => {
    expect(after({ pointer: 'c', c: { observe: 1 } }, obsr(1))).toMatchObject({ c: { correct: 2 }, pointer: 'b', state: 'self' });
  });

  test('more than one with the pointer elsewhere: waits for the surplus finds', () => {
    expect(after({ pointer: 'd', c: { observe: 2 } }, obsr(1))).toMatchObject({ c: { correct: 3 }, pointer: 'd', sends: [] });
  });

  test('below zero, after a corrupt count: treated like other estimates', () => {
    expect(after({ c: { observe: -1 } }, obsr(0))).toMatchObject({ c: { correct: -1 }, sends: [] });
  });
});
