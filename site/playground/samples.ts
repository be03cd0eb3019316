/** Samples to begin with: scenarios of the library's protocols, a machine with its tests, and the folder that `quiver init` makes. */
import checkout from '../../examples/starters/testing-ts/checkout.ts?raw';
import call from '../../examples/starters/protocol-ts/call.json?raw';
import ring from '../../examples/starters/protocol-ts/ring.ts?raw';
import crash from '../../examples/scenarios/holder-crashes.json?raw';
import parts from '../../examples/scenarios/leaders-of-parts.json?raw';
import deadlock from '../../examples/scenarios/printed-deadlock.json?raw';
import permits from '../../examples/scenarios/six-permits.json?raw';
import requests from '../../examples/scenarios/three-requests.json?raw';

export interface Sample {
  readonly title: string;
  readonly description: string;
  readonly scenario: string;
  readonly chart: string;
}

const lossy = `{
  "protocol": "ring",
  "topology": { "kind": "ring", "n": 3 },
  "network": { "loss": 0.2 },
  "events": [{ "at": 0, "node": "n0", "do": "call" }]
}
`;

/** The checkout of `quiver init` with the mistake that its comment describes, and with its tests. */
const mistaken = `/** A checkout with a mistake. Press Test: the shortest path to it is below. The comment in it is the fix. */
${checkout.replace(/onError: 'cart',.*/, "// onError: 'cart',")}
/** The results that the service can have, and what must hold in every state. */
export default {
  services: { charge: { done: [{ receipt: 'r1' }], fails: [new Error('declined')] } },
  invariants: {
    'a paid order has a receipt': ({ value, context }: { value: unknown; context: { receipt: string | null } }) =>
      value !== 'paid' || context.receipt !== null,
  },
};
`;

export const playgroundSamples: readonly Sample[] = [
  { title: 'A token directory', description: 'Simulate it; then look at the run below.', scenario: requests, chart: '' },
  {
    title: 'Locks: the holder crashes',
    description: 'Simulate it: the next peer gets the lock with a larger fencing token.',
    scenario: crash,
    chart: '',
  },
  {
    title: 'Leaders: one for each part',
    description: 'Simulate it: the network divides, and each part elects a leader.',
    scenario: parts,
    chart: '',
  },
  {
    title: 'Quotas: six permits',
    description: 'Simulate it: eight requests share six permits, and two are refused.',
    scenario: permits,
    chart: '',
  },
  {
    title: 'Machines: a checkout',
    description: 'Press Test: every path through the machine is taken.',
    scenario: '',
    chart: mistaken,
  },
  {
    title: 'A deadlock in print',
    description: 'Check it: two nodes wait for each other forever.',
    scenario: deadlock,
    chart: '',
  },
  {
    title: 'Your own protocol',
    description: 'Check it: an election on a ring, as quiver init makes it.',
    scenario: call,
    chart: ring,
  },
  {
    title: 'Your own protocol, and messages are lost',
    description: 'Check it: one of its properties does not hold.',
    scenario: lossy,
    chart: ring,
  },
];
