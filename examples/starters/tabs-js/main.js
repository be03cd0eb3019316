import { createTabLocks } from 'xstate-quiver/locks';
import { workInOneTab } from './worker.js';

const output = document.querySelector('output');
const locks = createTabLocks({ channel: 'demo' });

for (;;) {
  await workInOneTab(locks, (fence) => {
    output.textContent = `this tab works, with fencing token ${fence}`; // open the connection here
    return () => (output.textContent = 'another tab works'); // close it here
  }).catch((error) => console.info(error.message)); // the browser froze this tab: request the lock again
}
