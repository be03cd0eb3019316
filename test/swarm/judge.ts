/** Uses the swarm to test mutants: a mutant is detected if it violates a property that the protocol keeps in the same scenarios. */
import type { Protocol } from '../../machines/protocol.js';
import type { Judge } from '../mutants/mutants.js';
import { swarm } from './swarm.js';

const RUNS = 60;

/**
 * The swarm as a judge of mutants, for `judgeMutants`: it kills one that breaks a property which the protocol keeps in the same 60
 * scenarios.
 *
 * @public
 */
export function swarmJudge(protocol: Protocol): Judge {
  let known: ReadonlySet<string> | undefined;
  return {
    name: 'swarm',
    kills: (mutated) => {
      known ??= brokenBy(protocol);
      return swarm(mutated, { runs: RUNS, ignore: known, shrink: false }).failure !== null;
    },
  };
}

/** The properties that the protocol itself violates. */
function brokenBy(protocol: Protocol): ReadonlySet<string> {
  const broken = new Set<string>();
  for (;;) {
    const { failure } = swarm(protocol, { runs: RUNS, ignore: broken, shrink: false });
    if (!failure) return broken;
    broken.add(failure.property);
  }
}
