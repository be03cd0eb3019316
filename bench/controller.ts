/** The controller's cost: a take that needs no message, against other counters; and 100,000 nodes on one core. */
import { performance } from 'node:perf_hooks';
import { SequentialRun } from '../experiments/controller/run.js';
import { recursive, star } from '../experiments/controller/trees.js';
import { inTurn, row, type Row } from './measure.js';

const TAKES = 20_000;
const PEERS = 8;

/** Takes per second at the leaves of a star, one after the other. */
function takesPerSecond(options: Readonly<Record<string, unknown>>): number {
  const run = new SequentialRun(star(PEERS), { M: 100 * TAKES, ...options });
  const begin = performance.now();
  for (let i = 0; i < TAKES; i++) run.take(1 + (i % (PEERS - 1)));
  return (1000 * TAKES) / (performance.now() - begin);
}

/** A counter that a mutex of promises guards, as one writes it for one process. */
export async function guardedPerSecond(): Promise<number> {
  let left = 100 * TAKES;
  let turn: Promise<void> = Promise.resolve();
  const take = (): Promise<boolean> => {
    const answer = turn.then(() => left-- > 0);
    turn = answer.then(() => {});
    return answer;
  };
  const begin = performance.now();
  for (let i = 0; i < TAKES; i++) await take();
  return (1000 * TAKES) / (performance.now() - begin);
}

/** Every node of a random tree takes once. */
export function manyNodes(n: number): { readonly seconds: number; readonly messagesPerPermit: number } {
  const begin = performance.now();
  const run = new SequentialRun(recursive(n), { kind: 'basic', M: 100 * n, W: 50 * n });
  for (let place = 0; place < n; place++) run.take(place);
  if (run.permits !== n) throw new Error(`${run.permits} of ${n} takes were granted`);
  return { seconds: (performance.now() - begin) / 1000, messagesPerPermit: run.messages / n };
}

const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en-US')}/s`;

export async function controllerRows(): Promise<Row[]> {
  const rates = inTurn(5, {
    local: () => takesPerSecond({ kind: 'bins', W: 50 * TAKES }),
    central: () => takesPerSecond({ kind: 'naive' }),
  });
  const guarded = await guardedPerSecond();
  const { seconds, messagesPerPermit } = manyNodes(100_000);
  return [
    row('takes answered from the local bin', perSecond(rates.local)),
    row(
      'the same at a naive central counter, messages for nothing',
      perSecond(rates.central),
      'below',
      rates.central < rates.local,
    ),
    row('a counter behind a mutex of promises, one process', perSecond(guarded)),
    row(
      `100,000 nodes start and take once (${messagesPerPermit.toFixed(2)} messages a permit), seconds`,
      seconds.toFixed(1),
      '60',
      seconds < 60,
    ),
  ];
}
