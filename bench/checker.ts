/** The checker's speed on Arvy with every rooted tree, every NewParent choice and unlimited requests: exact counts, measured rates. */
import { directory } from '../machines/directory/index.js';
import { everyStart } from '../test/explore/directory.fixtures.js';
import { explore } from '../test/explore/explore.js';
import { inTurn, row, type Row } from './measure.js';

function search(n: number, watch: boolean) {
  const start = everyStart(n, 1);
  return explore(directory, watch ? start : { ...start, properties: [] });
}

const ratePerSecond = (n: number, watch: boolean): number => {
  const before = process.hrtime.bigint();
  const { transitions } = search(n, watch);
  return transitions / (Number(process.hrtime.bigint() - before) / 1e9);
};

export function checkerRows(): Row[] {
  const rates = inTurn(9, { bare: () => ratePerSecond(4, false), watched: () => ratePerSecond(4, true) });
  const { states, transitions, interpreterCalls, bytesPerState } = search(4, false);
  return [
    row('Arvy n = 4: states', states.toLocaleString('en-US'), '14,208', states === 14_208),
    row('transitions, 2,576 of T2 among them', transitions.toLocaleString('en-US'), '52,128', transitions === 52_128),
    row(
      'transitions/s, warm, one core',
      Math.round(rates.bare).toLocaleString('en-US'),
      '1,500,000 or more',
      rates.bare >= 1.5e6,
    ),
    row('transitions/s with all invariants looked at', Math.round(rates.watched).toLocaleString('en-US')),
    row('runs of a chart for 1,000 transitions', ((1000 * interpreterCalls) / transitions).toFixed(1)),
    row('bytes a state', bytesPerState.toFixed(0)),
  ];
}
