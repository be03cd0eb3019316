/** Ten thousand nodes that request at once: one run on one core, with the same cost per step as among sixty-four. */
import { expect, test } from 'vitest';
import { runLocking } from './run.js';

const grid = (side: number) => ({ kind: 'grid', rows: side, columns: side });

/** CPU time a message, in microseconds. */
function cost(side: number, runs: number): number {
  let messages = 0;
  const before = process.cpuUsage().user;
  for (let seed = 1; seed <= runs; seed++) {
    const { asked, locks, edgeMessages, violated } = runLocking({ topology: grid(side), options: {}, seed });
    expect({ locks: locks.length, violated }).toEqual({ locks: asked, violated: [] });
    messages += edgeMessages;
  }
  return (process.cpuUsage().user - before) / messages;
}

test('a grid of 100 × 100 finishes; a message costs at most 1.5 times that of 8 × 8', () => {
  cost(8, 10);
  const [small, large] = [cost(8, 30), cost(100, 1)];
  console.log(`8 × 8: ${small.toFixed(1)} µs a message, 100 × 100: ${large.toFixed(1)} µs`);
  expect(large / small).toBeLessThan(1.5);
});
