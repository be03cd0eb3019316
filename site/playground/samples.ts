/** Samples to begin with: scenarios of the library's protocols, and the folder that `quiver init` makes. */
import call from '../../examples/starters/protocol-js/call.json?raw';
import ring from '../../examples/starters/protocol-js/ring.js?raw';
import deadlock from '../../examples/scenarios/printed-deadlock.json?raw';
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

export const playgroundSamples: readonly Sample[] = [
  { title: 'A token directory', description: 'Simulate it; then look at the run below.', scenario: requests, chart: '' },
  {
    title: 'A deadlock in print',
    description: 'Check it: two nodes wait for each other forever.',
    scenario: deadlock,
    chart: '',
  },
  { title: 'A chart of one’s own', description: 'An election on a ring, as quiver init makes it.', scenario: call, chart: ring },
  { title: 'The same, and messages are lost', description: 'Check it: a promise does not hold.', scenario: lossy, chart: ring },
];
