/**
 * Measures the benefit of remembered steps: each chart's steps from memory against the same steps by XState on a reused scope,
 * alternating in one run.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Message } from '../machines/effects.js';
import { protocols } from '../machines/index.js';
import type { ChartSamples } from '../machines/protocol.js';
import { Random } from '../network/random.js';
import { Effects, interpreter } from '../network/world/kernel.js';
import { begin, macrostep } from '../network/world/remembering.js';
import { inTurn, median, row, type MeasuredRow } from './measure.js';

interface Corpus {
  readonly machine: AnyStateMachine;
  readonly own: readonly (readonly [AnyMachineSnapshot, Message])[];
  readonly remembered: readonly (readonly [AnyMachineSnapshot, Message])[];
}

const STEPS = 2000;
const LENGTH = 60;

/** Random walks over the samples of a chart; the same states, in the form that either side works on. */
function corpusOf(machine: AnyStateMachine, samples: readonly ChartSamples[]): Corpus {
  const random = new Random(1, 'steps');
  const corpus = { machine, own: [] as [AnyMachineSnapshot, Message][], remembered: [] as [AnyMachineSnapshot, Message][] };
  for (let walk = 0; corpus.own.length < STEPS && walk < STEPS; walk++) {
    const { input, events } = samples[walk % samples.length]!;
    let own = interpreter.begin(machine, input, new Effects());
    let { snapshot } = begin(machine, input);
    for (let i = 0; i < LENGTH; i++) {
      const candidates = events(own.context);
      // After its end a chart takes no event, and XState is not called either.
      if (candidates.length === 0 || own.status !== 'active') break;
      const event = random.pick(candidates);
      corpus.own.push([own, event]);
      corpus.remembered.push([snapshot, event]);
      own = interpreter.step(machine, own, event, new Effects());
      snapshot = macrostep(machine, snapshot, event).snapshot;
    }
  }
  return corpus;
}

function timeOf(run: () => void): number {
  const begin = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - begin);
}

/** How many times as fast each chart's steps are from memory. */
export function speedUps(rounds: number): readonly { readonly chart: string; readonly ratio: number; readonly ownNs: number }[] {
  return Object.values(protocols).flatMap((protocol) =>
    Object.entries(protocol.samples).map(([chart, samples]) => {
      const { machine, own, remembered } = corpusOf(protocol.charts[chart]!, samples);
      const times = inTurn(rounds, {
        own: () =>
          timeOf(() => {
            for (const [snapshot, event] of own) {
              const asked = new Effects();
              interpreter.step(machine, snapshot, event, asked);
              asked.all();
            }
          }),
        remembered: () =>
          timeOf(() => {
            for (const [snapshot, event] of remembered) macrostep(machine, snapshot, event);
          }),
      });
      return { chart: `${protocol.name}/${chart}`, ratio: times.own / times.remembered, ownNs: times.own / own.length };
    }),
  );
}

export function kernelRows(): MeasuredRow[] {
  const all = speedUps(11);
  const middle = median(all.map(({ ratio }) => ratio));
  const least = all.toSorted((a, b) => a.ratio - b.ratio)[0]!;
  return [
    row(
      `a chart's macrostep from memory against XState, ${all.length} charts`,
      `${middle.toFixed(1)} x`,
      '8 x or more',
      middle >= 8,
    ),
    row(`the least of them: ${least.chart}`, `${least.ratio.toFixed(1)} x`, '3 x or more', least.ratio >= 3),
  ];
}
