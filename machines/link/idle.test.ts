/**
 * Idle links in every interleaving of two nodes that lose frames. Twelve beats are the smallest patience with an idle pace: its heartbeats
 * are two beats apart.
 */
import { expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { nameOf } from '../../test/mutants/chart-mutants.js';
import { mutantsOf } from '../../test/mutants/mutants.js';
import type { Property, Protocol } from '../protocol.js';
import { link } from './index.js';
import { areConnected, linksOf, type End } from './view.js';

type Ends = readonly End[];
const ofEnds = (kind: 'always' | 'sometimes', name: string, description: string, holds: (ends: Ends) => boolean): Property => ({
  kind,
  name,
  description,
  holds: (c) => holds(linksOf(c).flat()),
});
const isPrompt = ({ context: { pace, outbox, expected, reported } }: End) =>
  pace === 1 || (outbox.length === 0 && expected === reported);

const pauses = ofEnds('sometimes', 'an idle end pauses', 'Two beats lie between the heartbeats of an end.', (ends) =>
  ends.some(({ context }) => context.pace === 2),
);
const prompt = ofEnds(
  'always',
  'a message ends the pause',
  'While a message waits for an acknowledgment, the next heartbeat is sent within one beat.',
  (ends) => ends.every(isPrompt),
);
const alive = ofEnds('always', 'a live peer stays up', 'No end that has come up suspects its peer.', (ends) =>
  ends.every(({ value }) => value !== 'down'),
);

/** Four frames may be lost, and one message is sent. */
const search = (protocol: Protocol) =>
  explore(protocol, {
    topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] },
    options: { beat: 1, patience: 12, window: 1, room: 1, suspicions: 1 },
    commands: [{ do: 'command', name: 'post', node: 'a', fields: { peer: 'b', body: 1 } }],
    faults: { loss: 4 },
    properties: [...link.properties!({} as never), pauses, prompt, alive] as Property[],
    goal: (c) => linksOf(c).every(([a, b]) => areConnected(a, b)),
  });

test('an idle link delivers, and outlasts four lost frames: 18139 states', () => {
  const { verdict, doomed, states } = search(link);
  expect({ verdict, doomed, states }).toEqual({ verdict: 'valid', doomed: 0, states: 18_139 });
});

const mutants = new Map(mutantsOf(link).map((mutant) => [nameOf(mutant), mutant]));

test.each([
  ['without a probe of an overdue peer', 'drop action up: timer #3, action 3', alive.name],
  ['without a new timer for a message', 'drop transition up: always', prompt.name],
])('%s, a property is violated: %s', (_, edit, property) => {
  const { chart, machine } = mutants.get(edit)!;
  const { verdict, counterexample } = search({ ...link, charts: { [chart]: machine } });
  expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property });
});
