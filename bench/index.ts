/** `npm run bench`: every cost that the project promises, as ratios from one run. */
import { checkerRows } from './checker.js';
import { controllerRows } from './controller.js';
import { electionRows } from './election.js';
import { floodRows } from './flood.js';
import { inspectorRows } from './inspector.js';
import { kernelRows } from './kernel.js';
import { networkRows } from './network.js';
import { queueRows } from './queue.js';
import { bold, table } from '../bin/style.js';
import type { MeasuredRow } from './measure.js';

const sections: readonly (readonly [string, () => MeasuredRow[] | Promise<MeasuredRow[]>])[] = [
  ['Kernel', kernelRows],
  ['Network', networkRows],
  ['Checker', checkerRows],
  ['Queue', queueRows],
  ['Election', electionRows],
  ['Controller', controllerRows],
  ['Inspector', () => inspectorRows()],
  ['A stranger at the socket', floodRows],
];

for (const [title, rows] of sections) {
  console.log(bold(title));
  const lines = (await rows()).map(({ name, value, target, met }) => [
    name,
    value,
    target ?? '',
    met === undefined ? '' : met ? '✓' : '✗',
  ]);
  console.log(`${table(['', 'median', 'target', ''], lines)}\n`);
}
