import { expect, test } from 'vitest';
import { readTrace } from '../page/testing/traces.js';
import { lastAlive } from './place.js';

const line = (index: number, node: string, kind: string, type: string) =>
  JSON.stringify({ index, at: index, kind, node, event: { type }, sent: [], emitted: [], roles: {}, clock: {} });

test('a live page opens on a live node, even if another one took the last step', () => {
  const header = JSON.stringify({
    quiver: 1,
    protocol: 'p',
    live: true,
    nodes: ['a', 'b', 'c'],
    links: [],
    charts: {},
    properties: [],
  });
  const lines = [
    line(0, 'a', 'start', 'start'),
    line(1, 'b', 'start', 'start'),
    line(2, 'c', 'start', 'start'),
    line(3, 'b', 'command', 'go'),
    line(4, 'c', 'command', 'go'),
    line(5, 'c', 'crash', 'ended'),
  ];
  const of = (count: number) => {
    const recording = readTrace([header, ...lines.slice(0, count)].join('\n'));
    expect(recording.problem).toBeNull();
    return recording.nodes.names[lastAlive(recording)];
  };
  expect(of(5)).toBe('c');
  expect(of(6)).toBe('b');
});
