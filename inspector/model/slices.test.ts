import { expect, test } from 'vitest';
import { syntheticTrace } from '../../testing/synthetic-trace.js';
import { corruptedScenario, directoryTrace, locksScenario, readTrace, traceOf } from '../page/testing/traces.js';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';
import { slicesOf } from './spacetime.js';
import { valueText } from './values.js';

const faulty = readTrace(traceOf(corruptedScenario({ at: 3, node: 'n0', do: 'crash' })));
const locks = readTrace(traceOf(locksScenario));
const cut = readTrace([...syntheticTrace({ rows: 3, columns: 3, lines: 400, flights: 5 })].join(''), {
  lines: 120,
  characters: 1e9,
});

/** The states of the roles of a node after a line, as a moment has them. */
const standing = (recording: ReadTrace, node: number, line: number): string[] =>
  new Moment(recording, line).roles(node).map(({ role, view }) => `${role} ${view.chart}: ${valueText(view.value)}`);

test.each([
  ['a run', readTrace(directoryTrace())],
  ['a run with a corruption and a crash', faulty],
  ['nodes of several roles', locks],
  ['a trace of which the beginning is forgotten', cut],
])('%s: slices equal the moment at every line, in any window', (_, recording) => {
  const { first, end } = recording;
  let seen = 0;
  for (const [from, stop] of [
    [first, end],
    [first + 5, end - 5],
    [end - 10, end],
  ] as const)
    for (let node = 0; node < recording.nodes.size; node++) {
      const slices = slicesOf(recording, 'lines', node, [from, stop, stop]);
      for (const { row, rows } of slices) expect(row).toBeLessThan(rows);
      for (let line = from; line < stop; line++) {
        const here = slices.filter((slice) => slice.from <= line && line < slice.to);
        const description = here.map(({ role, state }) => `${role} ${recording.tally.states.names[state]}`);
        expect(description).toEqual(standing(recording, node, line));
        seen += description.length;
      }
    }
  expect(seen).toBeGreaterThan(end - first);
});

test('each role has its own row, and a lasting state is one slice', () => {
  const node = 1;
  const slices = slicesOf(locks, 'lines', node, [0, locks.end, locks.end]);
  const roles = new Set(slices.map(({ role }) => role));
  expect(roles.size).toBeGreaterThan(1);
  expect(new Set(slices.map(({ row }) => row)).size).toBe(roles.size);
  for (const role of roles) {
    const own = slices.filter((slice) => slice.role === role);
    for (const [i, { state, from }] of own.entries()) if (own[i - 1]?.to === from) expect(own[i - 1]!.state).not.toBe(state);
  }
});
