/**
 * The correct run nearest to a counterexample: it starts with as many of the same choices as possible, makes a different one, and becomes
 * quiescent with every property intact.
 *
 * From the end of the counterexample backward, a few walks start in each of its states. The first walk always takes the first choice; the
 * others draw from a fixed seed. Optional faults (a loss, a duplication) are left out. The result is a correct run, but this is not a
 * proof: where the walks found none, there may still be one that diverges later.
 */
import { Random } from '../../network/random.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice, StartState } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';

export interface GoodRun {
  readonly choices: readonly Choice[];
  /** Number of first choices that are also those of the counterexample. */
  readonly common: number;
}

const SEED = 1;
/** Number of walks from each state. */
const WALKS = 12;
/** Maximum number of steps beyond the counterexample. A walk that is not quiescent by then may never be. */
const STEPS_MAX = 400;
/** Maximum number of steps of all walks together, so that the search ends within seconds. */
const STEPS_IN_ALL_MAX = 200_000;

type Pick = (next: readonly Choice[]) => Choice;

/** Returns `null` if no walk found a correct run. */
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
      // No choice was left.
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
    // Convergence has a deadline, and these runs have no time.
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

  /** The choices that are not faults, without the one that the counterexample makes here. */
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
