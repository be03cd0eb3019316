import { describe, expect, test } from 'vitest';
import { directoryTrace } from '../page/testing/traces.js';
import { follow } from './follow.js';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';
import { relationTo } from './causality.js';

export function record(text: string, limits?: { lines: number; characters: number }): ReadTrace {
  const recording = new ReadTrace(limits);
  for (let from = 0; from < text.length; from += 997) recording.push(text.slice(from, from + 997));
  recording.close();
  return recording;
}

describe('a recording returns the state at any line', () => {
  const recording = record(directoryTrace());
  const { nodes } = recording;

  test('as a replay from the start would', () => {
    const roles = new Map<string, unknown>();
    const flying = new Set<number>();
    for (let place = 0; place < recording.end; place++) {
      const line = recording.line(place);
      if ('node' in line) {
        for (const [role, view] of Object.entries(line.roles)) roles.set(`${line.node} ${role}`, view);
        if (line.message !== undefined) flying.delete(line.message);
        for (const { id } of line.sent) flying.add(id);
      }
      const moment = new Moment(recording, place);
      for (const [node, name] of nodes.names.entries()) {
        expect(moment.roles(node).map(({ view }) => view)).toEqual(
          roles.has(`${name} directory`) ? [roles.get(`${name} directory`)] : [],
        );
      }
      expect(moment.flights().map(({ id }) => id)).toEqual([...flying]);
    }
    expect(recording.end).toBeGreaterThan(30);
  });

  test('and one token: the nodes and the message that carry it', () => {
    for (let place = 5; place < recording.end; place++) {
      const moment = new Moment(recording, place);
      const holders = nodes.names.filter((_, node) => moment.overlay(node)?.badge !== undefined);
      const flying = moment.flights().filter(({ type }) => type === 'token');
      expect(holders.length + flying.length).toBe(1);
    }
  });

  test('following the token visits the nodes in the order of service', () => {
    const first = Array.from({ length: recording.messages.end }, (_, i) => recording.messages.get(i)).find(
      ({ type }) => type === 'token',
    )!;
    const last = follow(recording, first.ordinal, 'token').at(-1)!;
    const way = follow(recording, last.ordinal, 'token');
    expect(way.map(({ to }) => nodes.names[to])).toEqual(['n2', 'n4', 'n1', 'n3', 'n0']);
  });

  test('following a find stops where it found the end of the queue', () => {
    const way = follow(recording, 0, 'forwarded');
    expect(way.map(({ from, to }) => `${nodes.names[from]}>${nodes.names[to]}`)).toEqual(['n2>n1', 'n1>n0']);
  });

  test('happened-before follows the messages', () => {
    const { sent, ended } = recording.messages.get(0);
    expect(relationTo(recording, ended)(sent)).toBe('before');
    expect(relationTo(recording, sent)(ended)).toBe('after');
    expect(relationTo(recording, sent)(sent)).toBe('self');
    const stranger = recording.steps[nodes.find('n4')]!.find((line) => line > sent)!;
    expect(relationTo(recording, sent)(stranger)).toBe('concurrent');
  });
});
