/** The queue's cost: what the observers of an edge take for each period, and how long 10,000 arbitrary nodes need to be legal again. */
import { simulateByName } from '../testing/simulate.js';
import { row, type MeasuredRow } from './measure.js';

const ROUND_TRIP = 1000;

/** Messages on one edge for each round trip of an idle queue. */
export function observersPerRoundTrip(tau: number): number {
  const rounds = 120;
  const nodes = 15;
  const { messages } = simulateByName(
    {
      protocol: 'queue',
      topology: { kind: 'tree', n: nodes },
      options: { tau },
      network: { latency: ROUND_TRIP / 2 },
      until: { at: rounds * ROUND_TRIP },
    },
    { host: 'snapshots', watch: false },
  );
  return messages.total / (nodes - 1) / rounds;
}

/** Seconds of one core, and round trips of the run, until a binary tree of `n` arbitrary nodes is fully legal. */
export function stabilize(n: number): { readonly seconds: number; readonly roundTrips: number } {
  const begin = process.cpuUsage();
  const { summary, verdict } = simulateByName(
    {
      protocol: 'queue',
      topology: { kind: 'tree', n },
      network: { latency: { min: 1, max: ROUND_TRIP / 2 } },
      events: [{ at: 0, do: 'corrupt' }],
      until: { at: 5 * ROUND_TRIP },
    },
    { host: 'snapshots' },
  );
  if (verdict !== 'valid') throw new Error(`The verdict of the run with ${n} nodes is ${verdict}. Expected valid.`);
  const { user, system } = process.cpuUsage(begin);
  return { seconds: (user + system) / 1e6, roundTrips: summary['stabilizedAtRoundTrips'] as number };
}

export function queueRows(): MeasuredRow[] {
  const periods = [2, 3, 4, 6].map((tau) => {
    const measured = observersPerRoundTrip(tau);
    return row(
      `observers, messages per round trip and edge, tau = ${tau}R`,
      measured.toFixed(3),
      `2 / tau = ${(2 / tau).toFixed(3)}`,
      measured <= 2 / tau,
    );
  });
  const { seconds, roundTrips } = stabilize(10_000);
  return [
    ...periods,
    row('10,000 arbitrary nodes fully legal, seconds of one core', seconds.toFixed(1), '60', seconds < 60),
    row('the same, in round trips', roundTrips.toFixed(3), '3R + tau = 5', roundTrips <= 5),
  ];
}
