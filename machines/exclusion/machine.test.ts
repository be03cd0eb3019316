/** The chart by itself: each action of the specification's section 4, and unexpected input. */
import { describe, expect, test } from 'vitest';
import { begin, macrostep } from '../../network/world/remembering.js';
import { UsageError } from '../errors.js';
import { createMetric } from '../../network/topology/metric.js';
import { exclusion, exclusionMachine } from './index.js';
import type { ExclusionContext, Rules } from './machine.js';

type Event = { readonly type: string; readonly [field: string]: unknown };

/** Sends events to one node and records the effects of the last one. */
function node({ ports = [1], rules = 'corrected' }: { ports?: number[]; rules?: Rules } = {}) {
  let { snapshot } = begin(exclusionMachine, { rules, priorities: 4, ports });
  let done: string[] = [];
  const play = (...events: readonly Event[]) => {
    for (const event of events) {
      const next = macrostep(exclusionMachine, snapshot, event);
      snapshot = next.snapshot;
      done = next.effects.map((effect) => {
        if (effect.type === 'send') return `${effect.message.type}${worth(effect.message)} to ${[effect.to].flat().join()}`;
        return effect.type === 'emit' ? effect.event.type : effect.type;
      });
    }
    return done.filter((effect) => !effect.endsWith(' to '));
  };
  return {
    play,
    state: () => Object.values(snapshot.value as object).join(' '),
    context: () => snapshot.context as ExclusionContext,
    snapshot: () => snapshot,
  };
}

const worth = (message: object) => ('priority' in message ? ` ${message.priority}` : 'won' in message ? ` ${message.won}` : '');
const message = (type: string, from: number, more: object = {}): Event => ({ type, from, ...more });
const request = (from: number, priority: number) => message('request', from, { priority });
const win = (from: number, won: boolean) => message('win', from, { won });

const LOCK: Event = { type: 'lock' };
const WON: readonly Event[] = [
  LOCK,
  message('ready', 0),
  message('ready', 1),
  { type: 'drawn', value: 3 },
  win(0, true),
  win(1, true),
];
const LOCKED: readonly Event[] = [...WON, message('ackLock', 0), message('ackLock', 1)];

describe('initiator', () => {
  test('Lock: prepare to itself and every port in use', () => {
    expect(node({ ports: [2, 5] }).play(LOCK)).toEqual(['prepare to 0,2,5']);
  });

  test('Lock of a pair: prepare to itself and the chosen port', () => {
    expect(node({ ports: [2, 5] }).play({ type: 'lock', ports: [5] })).toEqual(['prepare to 0,5']);
  });

  test('CheckStart: all ready, so it draws and sends its priority to all', () => {
    const u = node();
    expect(u.play(LOCK, message('ready', 0))).toEqual([]);
    expect(u.play(message('ready', 1))).toEqual(['draw']);
    expect(u.play({ type: 'drawn', value: 2 })).toEqual(['request 2 to 0,1']);
  });

  test('CheckWin: one outcome lost, so it draws again once all are here', () => {
    const u = node();
    expect(u.play(...WON.slice(0, 4), win(0, false))).toEqual([]);
    expect(u.play(win(1, true))).toEqual(['draw']);
    expect(u.state()).toBe('compete idle');
  });

  test('CheckWin, CheckDone: all won, all locked', () => {
    const u = node();
    expect(u.play(...WON)).toEqual(['setLock to 0,1']);
    expect(u.play(...LOCKED.slice(WON.length))).toEqual(['locked']);
    expect(u.state()).toBe('locked idle');
  });

  test('Unlock, CheckUnlocked: release to all, idle when all have acknowledged', () => {
    const u = node();
    expect(u.play(...LOCKED, { type: 'unlock' })).toEqual(['release to 0,1']);
    expect(u.play(message('ackRelease', 1), message('ackRelease', 0))).toEqual(['unlocked']);
    expect(u.context()).toMatchObject({ L: [], R: [], W: [] });
  });

  test.each([
    { waitsFor: 'ready', events: [LOCK, message('ready', 0)], does: ['draw'] },
    { waitsFor: 'win', events: WON.slice(0, 5), does: ['setLock to 0'] },
    { waitsFor: 'ackLock', events: [...WON, message('ackLock', 0)], does: ['locked'] },
    { waitsFor: 'ackRelease', events: [...LOCKED, { type: 'unlock' }, message('ackRelease', 0)], does: ['unlocked'] },
  ])('a cut ends the wait for $waitsFor', ({ events, does }) => {
    expect(node().play(...events, { type: 'link.down', peer: 1 })).toEqual(does);
  });
});

describe('participant', () => {
  test('ReceivePrepare: ready at once, or on hold while others compete', () => {
    const v = node({ ports: [1, 2] });
    expect(v.play(message('prepare', 1))).toEqual(['ready to 1']);
    expect(v.play(request(1, 3), message('prepare', 2))).toEqual([]);
    expect(v.context()).toMatchObject({ A: [], C: [1], H: [2] });
  });

  test('CheckPriorities: the strictly largest wins; a tie has no winner', () => {
    const both = [message('prepare', 1), message('prepare', 2), request(1, 1)];
    const after = (second: number) => {
      const v = node({ ports: [1, 2] });
      v.play(...both);
      return v.play(request(2, second), request(1, 1), request(2, 2));
    };
    // Port 1 was alone in its first trial and has no priority: the newcomer is rejected at once, then both priorities are compared.
    expect(after(0)).toEqual(['win true to 2', 'win false to 1']);
    const v = node({ ports: [1, 2] });
    expect(v.play(...both, request(2, 0), request(1, 2), request(2, 2))).toEqual(['win false to 1,2']);
  });

  test('erratum 1: a first request is rejected if a candidate has no priority', () => {
    const v = node({ ports: [1, 2] });
    expect(v.play(message('prepare', 1), message('prepare', 2), request(1, 3))).toEqual(['win true to 1']);
    expect(v.play(request(2, 3))).toEqual(['win false to 2']);
    expect(v.context()).toMatchObject({ C: [1, 2], P: [] });
  });

  test('ReceiveSetLock: acknowledged; after the last candidate, nodes on hold enter', () => {
    const v = node({ ports: [1, 2] });
    v.play(message('prepare', 1), request(1, 3), message('prepare', 2));
    expect(v.play(message('setLock', 1))).toEqual(['ackLock to 1', 'ready to 2']);
    expect(v.context()).toMatchObject({ lock: 1, A: [2], C: [], H: [] });
    expect(v.state()).toBe('idle prepare');
  });

  test('a held node rejects every trial; under the deferred rules it makes them wait', () => {
    const held = [message('prepare', 1), request(1, 3), message('setLock', 1), message('prepare', 2)];
    expect(node({ ports: [1, 2] }).play(...held, request(2, 3))).toEqual(['win false to 2']);
    const lazy = node({ ports: [1, 2], rules: 'deferred' });
    expect(lazy.play(...held, request(2, 3))).toEqual([]);
    expect(lazy.play(message('release', 1))).toEqual(['ackRelease to 1', 'win true to 2']);
  });

  test('a cut of the last candidate admits nodes on hold; of the holder, frees the node', () => {
    const v = node({ ports: [1, 2] });
    expect(v.play(message('prepare', 1), request(1, 3), message('prepare', 2), { type: 'link.down', peer: 1 })).toEqual([
      'ready to 2',
    ]);
    v.play(request(2, 0), message('setLock', 2), { type: 'link.down', peer: 2 });
    expect(v.context()).toMatchObject({ lock: null, ports: [] });
  });
});

describe('unexpected input has no effect', () => {
  test.each([
    ['Lock while locked', LOCKED, LOCK],
    ['Lock of a port that is not in use', [], { type: 'lock', ports: [7] }],
    ['Unlock while idle', [], { type: 'unlock' }],
    ['a message on a free port', [], message('prepare', 9)],
    ['ready twice', [LOCK, message('ready', 1)], message('ready', 1)],
    ['ready to who asked for nothing', [], message('ready', 1)],
    ['an outcome before the trial', [LOCK], win(1, true)],
    ['a request without prepare', [], request(1, 2)],
    [
      'a request twice',
      [message('prepare', 1), message('prepare', 0), request(1, 2), request(0, 1), request(0, 1)],
      request(0, 3),
    ],
    ['setLock from who is no candidate', [], message('setLock', 1)],
    ['release from who is not the holder', [], message('release', 1)],
    ['an unknown message', [], message('hello', 1)],
  ] as const)('%s', (_, before, event) => {
    const u = node();
    u.play(...(before as readonly Event[]));
    const was = u.snapshot();
    expect(u.play(event)).toEqual([]);
    expect(u.snapshot()).toBe(was);
  });

  test.each([
    [{ type: 'request', priority: 4 }, false],
    [{ type: 'request', priority: 3 }, true],
    [{ type: 'request' }, false],
    [{ type: 'win', won: 'yes' }, false],
    [{ type: 'prepare' }, true],
    [{ type: 'toString' }, false],
    [null, false],
  ])('%j is a message: %s', (value, is) => {
    const graph = createMetric({ nodes: ['a', 'b'], links: [['a', 'b', 1]] });
    expect(exclusion.accepts(value, { ...graph, options: exclusion.options({ priorities: 4 }, graph) })).toBe(is);
  });
});

describe('options', () => {
  const graph = createMetric({
    nodes: ['a', 'b', 'c'],
    links: [
      ['a', 'b', 1],
      ['b', 'c', 1],
    ],
  });
  const options = (raw: Record<string, unknown>) => exclusion.options(raw, graph);

  test('links get the requested ports, the others the lowest free ones', () => {
    expect(options({ ports: [['c', 2, 'b', 1]] })).toMatchObject({
      ports: [
        ['a', 1, 'b', 2],
        ['c', 2, 'b', 1],
      ],
      inUse: { a: [1], b: [1, 2], c: [2] },
    });
  });

  test.each([
    [{ priorities: 1 }, 'options.priorities is 1. Use an integer of at least 2'],
    [{ rules: 'better' }, 'options.rules is "better". Choose one of corrected, deferred, printed'],
    [{ ports: [['a', 1, 'c', 1]] }, ']: no link connects a and c. Add it to the topology.'],
    [{ ports: [['a', 0, 'b', 1]] }, 'ports counted from 1'],
    [
      {
        ports: [
          ['a', 1, 'b', 1],
          ['b', 1, 'c', 1],
        ],
      },
      ': another link uses port 1 of b. Choose a free port.',
    ],
    [
      {
        ports: [
          ['a', 1, 'b', 1],
          ['b', 2, 'a', 2],
        ],
      },
      'are already set. List each link once.',
    ],
    [{ draws: { a: [16] } }, 'options.draws.a must be a list of priorities between 0 and 15.'],
    [{ draws: { z: [1] } }, 'options.draws names "z", which is not a node of the topology.'],
    [{ delta: 3 }, 'Unknown option options.delta. The options are'],
  ])('%j is refused', (raw, complaint) => {
    expect(() => options(raw)).toThrow(UsageError);
    expect(() => options(raw)).toThrow(complaint);
  });
});
