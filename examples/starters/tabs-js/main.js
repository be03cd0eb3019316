import { createTabLocks } from 'xstate-quiver/locks';
import { workInOneTab } from './worker.js';

const output = document.querySelector('output');
const locks = createTabLocks({ channel: 'demo' });

await workInOneTab(locks, (fence) => {
  output.textContent = `this tab works, with fencing token ${fence}`; // open the connection here
  return () => (output.textContent = 'another tab works'); // close it here
});
