/** Possible orders of a scenario's events, and their exposure to faults. */
import { describe, expect, test } from 'vitest';
import { ALL_FUSED, fusible, NOT_FUSED, refuseUntimed, Script, type Scripted } from './script.js';

const commands = { lock: { waits: true }, release: { waits: false } };
const protocolOf = (addressing: 'names' | 'ports' = 'names') => ({ network: { addressing }, commands }) as any;
const ask = (node: string, name: string) => ({ do: 'command', node, name, fields: {} }) as const;
const scriptOf = (events: readonly Scripted[], addressing?: 'names' | 'ports') => new Script(events, protocolOf(addressing));
const placesOf = ({ lanes }: Script) => lanes.map((lane) => lane.map(({ place }) => place));

describe('lanes', () => {
  test('a node has one, with its commands, crashes, restarts and reloads', () => {
    const events = [
      ask('a', 'lock'),
      ask('b', 'lock'),
      { do: 'crash', node: 'a' },
      { do: 'restart', node: 'a' },
      { do: 'reload', node: 'a' },
    ] as const;
    const script = scriptOf(events);
    expect(placesOf(script)).toEqual([[0, 2, 3, 4], [1]]);
    expect(script.lanes[0]).toEqual([
      { place: 0, kind: 'command', event: events[0] },
      { place: 2, kind: 'crash', node: 'a' },
      { place: 3, kind: 'restart', node: 'a' },
      { place: 4, kind: 'reload', node: 'a' },
    ]);
    expect([0, 1, 4, 7].map((place) => script.lanesAt(place))).toEqual([[0], [1], [0], []]);
  });

  test('between names, each direction has its own change; only the join has a weight', () => {
    const script = scriptOf([
      { do: 'cut', link: ['a', 'b'] },
      { do: 'join', link: ['b', 'a'], weight: 4 },
      { do: 'down', channel: ['a', 'b'] },
      { do: 'up', channel: ['b', 'a'] },
      { do: 'join', link: ['a', 'b'] },
    ]);
    expect(script.lanes).toEqual([
      [
        { place: 0, kind: 'channel', from: 'a', to: 'b', up: false },
        { place: 1, kind: 'channel', from: 'a', to: 'b', up: true, weight: 4 },
        { place: 2, kind: 'channel', from: 'a', to: 'b', up: false },
        { place: 4, kind: 'channel', from: 'a', to: 'b', up: true },
      ],
      [
        { place: 0, kind: 'channel', from: 'b', to: 'a', up: false },
        { place: 1, kind: 'channel', from: 'b', to: 'a', up: true, weight: 4 },
        { place: 3, kind: 'channel', from: 'b', to: 'a', up: true },
        { place: 4, kind: 'channel', from: 'b', to: 'a', up: true },
      ],
    ]);
    expect(script.lanesAt(1)).toEqual([0, 1]);
  });

  test('a link between ports has one, whichever end is named first', () => {
    const events = [
      { do: 'cut', link: ['b', 'a'] },
      { do: 'join', link: ['a', 'b'] },
    ] as const;
    expect(scriptOf(events, 'ports').lanes).toEqual([
      [
        { place: 0, kind: 'link', event: events[0] },
        { place: 1, kind: 'link', event: events[1] },
      ],
    ]);
  });

  test('keep the order of time, and that of the list where times are the same or missing', () => {
    const events = [
      { ...ask('a', 'lock'), at: 5 },
      { ...ask('a', 'release'), at: 2 },
      { ...ask('a', 'lock'), at: 5 },
      ask('a', 'lock'),
    ];
    expect(placesOf(scriptOf(events))).toEqual([[3, 1, 0, 2]]);
  });

  test('faults of messages and delays have none', () => {
    const script = scriptOf([
      { do: 'drop', message: 1 },
      { do: 'slow', channel: ['a', 'b'], by: 3 },
      { do: 'pause', node: 'a' },
    ]);
    expect([script.lanes, script.lanesAt(0)]).toEqual([[], []]);
  });

  test('a corruption has one for all nodes', () => {
    expect(scriptOf([{ do: 'corrupt', nodes: ['a', 'b'] }]).lanes).toEqual([[{ place: 0, kind: 'corrupt', nodes: ['a', 'b'] }]]);
  });
});

describe('events in between', () => {
  const interrupted = (...events: Scripted[]) => [...scriptOf(events).interrupted];

  test('a node is interrupted by its crash, or by an event that does not wait', () => {
    expect(interrupted(ask('a', 'lock'), ask('a', 'lock'))).toEqual([]);
    expect(interrupted(ask('a', 'lock'), ask('a', 'release'), ask('b', 'lock'))).toEqual(['a']);
    expect(interrupted(ask('a', 'release'), ask('a', 'lock'))).toEqual([]);
    expect(interrupted(ask('a', 'lock'), { do: 'crash', node: 'a' })).toEqual(['a']);
    expect(interrupted({ do: 'crash', node: 'a' }, ask('a', 'lock'))).toEqual([]);
    expect(interrupted({ do: 'crash', node: 'a' }, { do: 'restart', node: 'a' })).toEqual([]);
    expect(interrupted(ask('a', 'unknown'), { do: 'crash', node: 'a' })).toEqual([]);
  });

  test('a node is exposed by a crash, a link change, or a corruption after the start', () => {
    const exposed = (events: readonly Scripted[], addressing?: 'ports') => [...scriptOf(events, addressing).exposed];
    expect(exposed([ask('a', 'lock')])).toEqual([]);
    expect(exposed([{ do: 'crash', node: 'a' }])).toEqual(['a']);
    expect(exposed([{ do: 'down', channel: ['b', 'c'] }])).toEqual(['b', 'c']);
    expect(exposed([{ do: 'cut', link: ['b', 'c'] }], 'ports')).toEqual(['b', 'c']);
    const corrupt = { do: 'corrupt', nodes: ['a', 'b'] } as const;
    expect(exposed([corrupt, corrupt])).toEqual([]);
    expect(exposed([corrupt, ask('c', 'lock')])).toEqual([]);
    expect(exposed([corrupt, ask('c', 'lock'), corrupt])).toEqual(['a', 'b']);
  });

  test('there may be crashes or none', () => {
    expect(scriptOf([{ do: 'crash', node: 'a' }, ask('b', 'lock')]).hasCrashes).toBe(true);
    expect(scriptOf([{ do: 'restart', node: 'a' }, ask('b', 'lock')]).hasCrashes).toBe(false);
  });

  test('reactions fuse at nodes that are not exposed, turns if not interrupted', () => {
    const { reactions, turns } = fusible(scriptOf([ask('a', 'lock'), ask('a', 'release'), { do: 'down', channel: ['b', 'c'] }]));
    expect(['a', 'b', 'c'].map(reactions)).toEqual([true, false, false]);
    expect(['a', 'b', 'c'].map(turns)).toEqual([false, true, true]);
    expect([ALL_FUSED.reactions('a'), ALL_FUSED.turns('a'), NOT_FUSED.reactions('a'), NOT_FUSED.turns('a')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('events without a meaning in untimed runs are rejected with their place', () => {
  const refusalOf = (events: readonly Scripted[], network: object, reload?: () => []) => () =>
    refuseUntimed([ask('a', 'lock'), ...events], { name: 'toy', network, ...(reload ? { reload } : {}) } as any);
  const links = { reach: 'links', addressing: 'names' };

  test('a reload of a protocol without `reload`', () => {
    expect(refusalOf([{ do: 'reload', node: 'a' }], links)).toThrow(
      'events[1]: protocol toy defines no reload. Use restart: the node then continues with its old state.',
    );
    expect(refusalOf([{ do: 'reload', node: 'a' }], links, () => [])).not.toThrow();
  });

  test('links, where messages are routed', () => {
    const routed = { reach: 'routed', addressing: 'names' };
    const wrong = 'events[1]: toy routes its messages, so links have no effect. Omit the event.';
    expect(refusalOf([{ do: 'cut', link: ['a', 'b'] }], routed)).toThrow(wrong);
    expect(refusalOf([{ do: 'join', link: ['a', 'b'] }], routed)).toThrow(wrong);
    expect(refusalOf([{ do: 'up', channel: ['a', 'b'] }], routed)).toThrow(wrong);
    expect(refusalOf([{ do: 'down', channel: ['a', 'b'] }], routed)).toThrow(wrong);
    expect(refusalOf([{ do: 'crash', node: 'a' }], routed)).not.toThrow();
  });

  test('half of a link between ports, and single messages', () => {
    const wrong = (what: string) => `events[1]: the checker does not support "${what}" for toy. Omit it, or run the scenario`;
    const ports = { reach: 'links', addressing: 'ports' };
    expect(refusalOf([{ do: 'up', channel: ['a', 'b'] }], ports)).toThrow(wrong('up'));
    expect(refusalOf([{ do: 'down', channel: ['a', 'b'] }], ports)).toThrow(wrong('down'));
    expect(refusalOf([{ do: 'cut', link: ['a', 'b'] }], ports)).not.toThrow();
    expect(refusalOf([{ do: 'down', channel: ['a', 'b'] }], links)).not.toThrow();
    expect(refusalOf([{ do: 'up', channel: ['a', 'b'] }], links)).not.toThrow();
    expect(refusalOf([{ do: 'drop', message: 1 }], links)).toThrow(wrong('drop'));
    expect(refusalOf([{ do: 'duplicate', message: 1 }], links)).toThrow(wrong('duplicate'));
  });
});
