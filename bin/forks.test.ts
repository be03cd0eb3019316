/** A run that forks is the run from its start, byte for byte, whatever was kept of another one. */
import { expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { Random } from '../network/random.js';
import { parseScenario } from '../network/scenario/parse.js';
import { textOf } from '../inspector/gestures.js';
import { Forks } from './forks.js';
import { recordRun } from '../network/record-run.js';

const parse = (json: unknown) => parseScenario(json, protocols);
const whole = (json: unknown): string => [...textOf(recordRun(parse(json), json))].join('');

/** The trace, and how many of its lines were there already. */
function forked(forks: Forks, json: unknown): { readonly text: string; readonly shared: number } {
  const run = forks.run(parse(json), json);
  let text = '';
  for (let piece = run.next(); ; piece = run.next()) {
    if (piece.done) return { text, shared: piece.value };
    text += piece.value;
  }
}

const base = {
  directory: {
    protocol: 'directory',
    options: { hold: 2 },
    topology: { kind: 'ring', n: 6 },
    network: { latency: { min: 1, max: 9 } },
    workload: { concurrent: 3, requests: 30 },
  },
  queue: {
    protocol: 'queue',
    topology: { kind: 'path', n: 5 },
    network: { latency: { min: 2, max: 8 } },
    workload: { concurrent: 2, requests: 20 },
    until: { at: 200 },
  },
  election: { protocol: 'election', topology: { kind: 'path', n: 4 }, until: { at: 200 } },
  locks: {
    protocol: 'locks',
    topology: { kind: 'complete', n: 3 },
    until: { at: 400 },
    events: [{ at: 3, do: 'request', node: 'n1' }],
  },
};

/** A gesture as the page makes it. */
function gesture(random: Random, at: number, nodes: number): Record<string, unknown> {
  const node = `n${random.below(nodes)}`;
  const channel = ['n0', 'n1'];
  return random.pick([
    { at, do: 'crash', node },
    { at, do: 'restart', node },
    { at, do: 'pause', node },
    { at, do: 'resume', node },
    { at, do: 'clog', channel },
    { at, do: 'unclog', channel },
    { at, do: 'slow', channel, by: 5 },
    { at, do: 'drop', message: random.below(20) },
    { at, do: 'duplicate', message: random.below(20) },
    { at, do: 'hold', message: random.below(20) },
    { at, do: 'deliver', message: random.below(20) },
  ]);
}

test.each(Object.entries(base))('%s: gestures added and taken back, one after the other', (name, json) => {
  const forks = new Forks({ linesApart: 8 });
  const random = new Random(5, name);
  const given = 'events' in json ? json.events : [];
  let gestures: Record<string, unknown>[] = [];
  let [shared, resumed] = [0, 0];
  for (let turn = 0; turn < 12; turn++) {
    if (gestures.length > 3 || (gestures.length > 0 && random.below(4) === 0))
      gestures = gestures.filter((_, i) => i !== random.below(gestures.length));
    else gestures = [...gestures, gesture(random, random.below(300) / 2, 3)];
    const asked = { ...json, events: [...given, ...gestures] };
    const run = forked(forks, asked);
    expect(run.text).toBe(whole(asked));
    if (run.shared > 0) shared++;
    if (run.shared > forks.passed) resumed++;
  }
  expect(shared).toBeGreaterThan(6);
  // An election is over within a few lines.
  if (name !== 'election') expect(resumed).toBeGreaterThan(1);
});

test('another seed, and a run that is too long to be kept, are made from their start', () => {
  const forks = new Forks({ characters: 1000 });
  for (const seed of [1, 2, 2]) {
    const asked = { ...base.directory, seed };
    expect(forked(forks, asked)).toEqual({ text: whole(asked), shared: 0 });
  }
});

test('a late gesture repeats the run from the last checkpoint, not from the start', () => {
  const json = {
    protocol: 'directory',
    options: { policy: 'ivy', hold: 2 },
    topology: { kind: 'ring', n: 1000 },
    workload: { concurrent: 10, requests: 20 },
  };
  const forks = new Forks();
  const lines = forked(forks, json).text.trimEnd().split('\n').slice(1);
  const late = (JSON.parse(lines[Math.floor(lines.length * 0.9)]!) as { at: number }).at + 0.5;
  const asked = { ...json, events: [{ at: late, do: 'crash', node: 'n7' }] };
  const { text, shared } = forked(forks, asked);
  expect(text).toBe(whole(asked));
  expect(shared).toBeGreaterThanOrEqual(Math.floor(lines.length * 0.9));
  expect(forks.passed).toBeLessThan(1200);
});

test('a long run keeps at most 16 checkpoints: a fork repeats at most an eighth', () => {
  const json = { ...base.directory, workload: { concurrent: 3, requests: 400 } };
  const forks = new Forks({ linesApart: 16 });
  const lines = forked(forks, json).text.trimEnd().split('\n').slice(1);
  for (const part of [0.3, 0.5, 0.7, 0.99]) {
    const { at } = JSON.parse(lines[Math.floor(lines.length * part)]!) as { at: number };
    expect(forked(forks, { ...json, events: [{ at: at + 0.5, do: 'drop', message: 1e6 }] }).shared).toBeGreaterThan(0);
    expect(forks.passed).toBeLessThan(lines.length / 8);
  }
});
