/**
 * Tabs of one origin have one leader, which counts the seconds for all. If its tab closes, another one continues.
 *
 *
 *     npx vite examples/browser --open 'tab-leader.html?ann'      # then ?bob and ?cy in their own tabs
 */
import { createElection } from 'xstate-quiver/election';
import { broadcastChannel, linked } from 'xstate-quiver/transports';

const peers = ['ann', 'bob', 'cy'];
const id = location.search.slice(1) || 'ann';
const transport = linked(broadcastChannel({ id }), { peers, patience: 10 });
const election = createElection({ transport, peers });
const seconds = new BroadcastChannel('seconds');
const shown = document.querySelector('output')!;
let last = 0;

const show = () => (shown.textContent = `${id}: ${election.leader ?? 'nobody'} leads, ${last} seconds`);
election.addEventListener('change', show);
seconds.addEventListener('message', ({ data }) => {
  last = data;
  show();
});
// A closing tab notifies its peers, so they need not wait for the failure detector.
addEventListener('pagehide', () => void transport.close());

await election.run(async (signal) => {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (!signal.aborted) seconds.postMessage(++last);
    show();
  }
});
