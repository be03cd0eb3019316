/**
 * A quota grants from its bin before the chart is notified (`giveFromBin`). These tests compare that grant with the chart's own decision:
 * in every state that searches of the controller reach, and for every amount in the bin.
 */
import { expect, test } from 'vitest';
import { createActor, transition } from 'xstate';
import { controller } from '../../machines/controller/index.js';
import { givesAtOnce, requestMachine, type RequestContext } from '../../machines/controller/request.js';
import { at, chain } from '../../machines/controller/systems.fixtures.js';
import type { Property, RoleView } from '../../machines/protocol.js';
import { explore } from '../../test/explore/explore.js';

/** Takes of the chart in a row: its final state, and the effects of each take. */
function taken({ value, context }: RoleView<RequestContext>, amounts: readonly number[]) {
  let snapshot = requestMachine.resolveState({ value, context } as Parameters<typeof requestMachine.resolveState>[0]);
  const effects = amounts.map((amount) => {
    const [next, actions] = transition(requestMachine, snapshot, { type: 'take', amount });
    snapshot = next;
    return actions.map(({ type, params }) => ({ type, params }));
  });
  return { effects, value: snapshot.value, context: snapshot.context };
}

/** A grant without other effects: a message to no peer, and the notification. */
const grantOf = (amount: number) => [
  { type: 'tell', params: expect.objectContaining({ role: [] }) as unknown },
  { type: 'xstate.emit', params: expect.objectContaining({ event: { type: 'granted', amount } }) as unknown },
];

let compared = 0;

function expectSame(bin: RoleView<RequestContext>): void {
  for (let sum = 2; givesAtOnce(bin, sum); sum++) {
    const atOnce = taken(bin, [sum]);
    for (let first = 1; first < sum; first++) {
      const apart = taken(bin, [first, sum - first]);
      expect(apart.effects).toEqual([grantOf(first), grantOf(sum - first)]);
      expect(atOnce.effects).toEqual([grantOf(sum)]);
      expect({ ...apart, effects: [] }).toEqual({ ...atOnce, effects: [] });
      compared++;
    }
  }
}

const description: Property = {
  kind: 'always',
  name: 'permits in the bin may be granted at once',
  description: 'takes one after the other, and one take of their sum, leave the same chart behind',
  holds: ({ nodes }) => {
    for (const { 'R.request': bin } of nodes.values()) if (bin) expectSame(bin);
    return true;
  },
};

test.each([
  { kind: 'bins', M: 12, W: 9, states: 112, takes: 128 },
  { kind: 'adaptive', M: 24, W: 12, states: 120, takes: 38 },
  { kind: 'adaptive', M: 8, W: 0, states: 598, takes: 217 },
])('$kind, $M permits, waste $W', ({ states, takes, ...options }) => {
  compared = 0;
  const commands = [...at(2, 'take', 'take 2', 'leave'), ...at(1, 'take', 'take 9')];
  const protocol = { ...controller, properties: () => [description] };
  const found = explore(protocol, { topology: chain(3), options, commands });
  expect(found).toMatchObject({ verdict: 'valid', states });
  expect(compared).toBe(takes);
});

test.each([
  { value: 'ready', takes: 6 },
  { value: 'exhausted', takes: 6 },
  { value: 'frozen', takes: 0 },
  { value: 'held', takes: 0 },
  { value: { refilling: 'open' }, takes: 0 },
  { value: { refilling: 'frozen' }, takes: 0 },
])('four permits, $value', ({ value, takes }) => {
  compared = 0;
  const { context } = createActor(requestMachine, {
    input: { id: 'n0', of: 'R', scale: { exponent: 2 }, alive: true, echo: 'quiet' },
  }).getSnapshot();
  expectSame({ chart: 'request', value, context: { ...context, permits: 4 } });
  expect(compared).toBe(takes);
});
