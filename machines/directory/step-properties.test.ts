/** Properties of single steps, violated by charts that emit no notification or turn their pointers differently. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { directory, directoryWith } from './index.js';
import { directoryMachine } from './machine.js';
import type { ReceivedFind } from './policies.js';
import type { Protocol } from '../protocol.js';

const NOTIFIED = 'grants and releases are notified';
const TURNED = 'pointers turn as the policy defines';

function answers(protocol: Protocol, policy: string, more: object = {}) {
  const json = {
    protocol: 'directory',
    topology: { kind: 'ring', n: 7 },
    options: { policy, hold: 1 },
    workload: { concurrent: 3, requests: 60 },
    ...more,
  };
  const { properties } = new Simulation(parseScenario(json, { directory: protocol }), { host: 'snapshots' }).run();
  return [NOTIFIED, TURNED].map((name) => properties.find((property) => property.name === name)!.holds);
}

const withActions = (actions: object): Protocol => ({
  ...directory,
  charts: { directory: directoryMachine.provide({ actions } as never) },
});

test.each(['arrow', 'ivy', 'second', 'middle', 'random', 'bridge'])('%s keeps both', (policy) =>
  expect(answers(directory, policy)).toEqual([true, true]),
);

test('a custom policy must keep to the path of the find', () => {
  expect(answers(directoryWith({ first: (visited) => visited[0] }), 'first')).toEqual([true, true]);
});

test.each(['announceGrant', 'announceRelease'])('without %s notifications are missing', (action) =>
  expect(answers(withActions({ [action]: assign({}) }), 'ivy', { until: { at: 100 } })[0]).toBe(false),
);

const often = {
  options: { policy: 'ivy', hold: 9, together: 2 },
  workload: undefined,
  topology: { kind: 'ring', n: 3 },
  events: [0, 1, 2, 3].flatMap((at) => ['n1', 'n2'].map((node) => ({ at, node, do: 'request' }))),
  until: { at: 100 },
};

test('a grant contains the number of requests that it satisfies', () => expect(answers(directory, 'ivy', often)[0]).toBe(true));

test.each(['joinRequest', 'forgetJoined'])('without %s the number is wrong', (action) =>
  expect(answers(withActions({ [action]: assign({}) }), 'ivy', often)[0]).toBe(false),
);

test('no more join than are allowed', () => {
  const anyMayJoin = directoryMachine.provide({ guards: { mayJoin: () => true } } as never);
  expect(answers({ ...directory, charts: { directory: anyMayJoin } }, 'ivy', often)[0]).toBe(false);
});

const from = assign({ parent: (_, { from }: ReceivedFind) => from });
const producer = assign({ parent: (_, find: ReceivedFind) => find.producer });

test.each([
  ['ivy', from],
  ['arrow', producer],
  ['middle', from],
  ['second', producer],
])('%s that turns elsewhere', (policy, adoptParent) => expect(answers(withActions({ adoptParent }), policy)[1]).toBe(false));

test('after a corruption nothing is promised', () => {
  const more = { events: [{ at: 3, do: 'corrupt', node: 'n2' }], until: { at: 60 } };
  expect(answers(directory, 'ivy', more)).toEqual([null, null]);
});
