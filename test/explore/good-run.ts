/**
 * The run nearest to a counterexample on which nothing goes wrong: it begins with as many of the same choices as it can, makes another
 * one, and comes to rest with every property kept.
 *
 * From the end of the counterexample backward, a few walks are taken from each of its states: the first prefers what stands first,
 * the others are drawn from a fixed seed. Faults that a run may do without (a loss, a copy) are left out. So what is found is a good
 * run, and where the walks missed one there may be another that parts later: it is not a proof, as the checker's answers are.
 */
import { Random } from '../../network/random.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice, StartState } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';

export interface GoodRun {
  readonly choices: readonly Choice[];
  /** How many of its first choices are those of the counterexample. */
  readonly common: number;
}

const SEED = 1;
/** From each state. */
const WALKS = 12;
/** Beyond the counterexample. A walk that has not come to rest by then may never do so. */
const STEPS_MAX = 400;
/** In all walks together: so the answer comes within seconds. */
const STEPS_IN_ALL_MAX = 200_000;

type Pick = (next: readonly Choice[]) => Choice;

/** `null` where no walk has found any. */
export function nearestGoodRun(
  scenario: Scenario,
  counterexample: { readonly choices: readonly Choice[]; readonly start?: StartState },
): GoodRun | null {
  const { choices } = counterexample;
  const random = new Random(SEED, 'nearest good run');
  let left = STEPS_IN_ALL_MAX;
  for (let common = choices.length; common >= 0 && left > 0; common--) {
    for (let walk = 0; walk < WALKS && left > 0; walk++) {
      const pick: Pick = walk === 0 ? ([first]) => first! : (next) => random.pick(next);
      const walked = new GoodWalk(scenario, counterexample, common).walk(pick);
      if (walked.isGood) return { choices: walked.choices, common };
      left -= walked.choices.length;
      // There was nothing to pick.
      if (walked.choices.length === common) break;
    }
  }
  return null;
}

class GoodWalk {
  private readonly choices: Choice[];
  private readonly simulation: Simulation;
  /** The choice that the counterexample makes here. */
  private readonly other: string | undefined;
  private isBad = false;

  constructor(
    scenario: Scenario,
    { choices, start }: Parameters<typeof nearestGoodRun>[1],
    private readonly common: number,
  ) {
    this.choices = choices.slice(0, common);
    this.other = JSON.stringify(choices[common]);
    this.simulation = new Simulation(scenario, { host: 'snapshots', choices: this.choices, ...(start && { start }) });
    // Without time nothing is late.
    const timed = new Set(
      scenario.protocol.properties(this.simulation.instance).flatMap(({ name, kind }) => (kind === 'converges' ? [name] : [])),
    );
    this.simulation.monitor.violations$.subscribe(({ property }) => (this.isBad ||= !timed.has(property)));
  }

  walk(pick: Pick): { readonly isGood: boolean; readonly choices: readonly Choice[] } {
    const { choices, simulation, common } = this;
    simulation.start();
    for (let made = 0; made < common && !this.isBad; made++) simulation.advance();
    let isAtRest = false;
    while (!this.isBad && !isAtRest && choices.length < common + STEPS_MAX) {
      const next = this.next();
      if (next.length === 0) isAtRest = true;
      else this.make(pick(next));
    }
    if (isAtRest) simulation.monitor.finish(true, simulation.network.now);
    simulation.network.stop();
    return { isGood: isAtRest && !this.isBad, choices };
  }

  /** What may come next without a fault, and is not what the counterexample does here. */
  private next(): readonly Choice[] {
    const { choices, simulation, common } = this;
    const all = [...enabled(simulation.network.world)].filter((choice) => !('drop' in choice || 'duplicate' in choice));
    return choices.length > common ? all : all.filter((choice) => JSON.stringify(choice) !== this.other);
  }

  private make(choice: Choice): void {
    const drawn: number[] = [];
    const noting = this.simulation.network.steps$.subscribe((step) => void drawn.push(...step.drawn));
    this.choices.push(choice);
    this.simulation.advance();
    noting.unsubscribe();
    if (drawn.length > 0) this.choices[this.choices.length - 1] = { ...choice, drawn };
  }
}
