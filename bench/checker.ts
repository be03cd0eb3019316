/** The checker's speed on Arvy with every rooted tree, every NewParent choice and unlimited requests: exact counts, measured rates. */
import { directory } from '../machines/directory/index.js';
import { everyStart } from '../test/explore/directory.fixtures.js';
import { explore, type ExploreOptions } from '../test/explore/explore.js';
import { heapUsed } from '../testing/memory.js';
import { inTurn, row, type MeasuredRow } from './measure.js';

/** The states of n = 5 with the release fused into the use. */
const STATES = 886_000;

const four = everyStart(4, 1);
const five = everyStart(5, 0);

const search = (start: ExploreOptions, options: Partial<ExploreOptions> = {}) =>
  explore(directory, { ...start, properties: [], ...options });

/** Transitions for each second of one core. */
function rateOf(run: () => { readonly transitions: number }): number {
  const begin = process.cpuUsage();
  const { transitions } = run();
  const { user, system } = process.cpuUsage(begin);
  return transitions / ((user + system) / 1e6);
}

const held = (): number => heapUsed() + process.memoryUsage().arrayBuffers;

/** The memory of the process for each state when all are known, without garbage: states, table, frontier and charts. */
function processBytes(): number {
  const before = held();
  let after: number | undefined;
  search(five, { onProgress: ({ states }) => void (states === STATES && (after ??= held())) });
  if (after === undefined) throw new Error(`The search was not observed when it had found all ${STATES} states.`);
  return (after - before) / STATES;
}

const perSecond = (rate: number): string => Math.round(rate).toLocaleString('en-US');

export function checkerRows(): MeasuredRow[] {
  const small = inTurn(31, {
    bare: () => rateOf(() => search(four)),
    watched: () => rateOf(() => explore(directory, four)),
  });
  const large = inTurn(3, { bare: () => rateOf(() => search(five)) });
  const { states, transitions, interpreterCalls } = search(four);
  const largest = search(five);
  const bytes = processBytes();
  return [
    row('Arvy n = 4: states', states.toLocaleString('en-US'), '14,208', states === 14_208),
    row('transitions, 2,576 of T2 among them', transitions.toLocaleString('en-US'), '52,128', transitions === 52_128),
    row('transitions/s, warm, one core', perSecond(small.bare), '1,500,000 or more', small.bare >= 1.5e6),
    row('transitions/s with all invariants looked at', perSecond(small.watched)),
    row('runs of a chart for 1,000 transitions', ((1000 * interpreterCalls) / transitions).toFixed(1)),
    row('Arvy n = 5, release fused: states', largest.states.toLocaleString('en-US'), '886,000', largest.states === STATES),
    row('transitions/s, warm, one core', perSecond(large.bare), '3,000,000 or more', large.bare >= 3e6),
    row('bytes a state: rows, table and ways', largest.bytesPerState.toFixed(0), '64 or less', largest.bytesPerState <= 64),
    row('bytes a state: all that the process holds', bytes.toFixed(0), '64 or less', bytes <= 64),
  ];
}
