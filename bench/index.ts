/**
 * `npm run bench`: every cost that the project promises, as ratios from one run. `npm run bench -- Watching queue`: one section, and of that
 * on watching what is named.
 */
import { checkerRows } from './checker.js';
import { controllerRows } from './controller.js';
import { electionRows } from './election.js';
import { floodRows } from './flood.js';
import { inspectorRows } from './inspector.js';
import { kernelRows } from './kernel.js';
import { networkRows } from './network.js';
import { queueRows } from './queue.js';
import { spinRows } from './spin.js';
import { watchingRows } from './watching.js';
import { bold, table } from '../bin/style.js';
import type { MeasuredRow } from './measure.js';

const [only, ...names] = process.argv.slice(2);

const sections: readonly (readonly [string, () => MeasuredRow[] | Promise<MeasuredRow[]>])[] = [
  ['Kernel', kernelRows],
  ['Network', networkRows],
  ['Checker', checkerRows],
  ['Spin', spinRows],
  ['Watching', () => watchingRows(names)],
  ['Queue', queueRows],
  ['Election', electionRows],
  ['Controller', controllerRows],
  ['Inspector', () => inspectorRows()],
  ['A stranger at the socket', floodRows],
];

for (const [title, rows] of sections) {
  if (only !== undefined && only !== title) continue;
  console.log(bold(title));
  const lines = (await rows()).map(({ name, value, target, met }) => [
    name,
    value,
    target ?? '',
    met === undefined ? '' : met ? '✓' : '✗',
  ]);
  console.log(`${table(['', 'median', 'target', ''], lines)}\n`);
}
