/** Changes a counterexample at one point: repeats its first choices, gives a command, and continues until nothing more can happen. */
import { UsageError } from '../../machines/errors.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice, StartState } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';

/** Beyond the last command: a protocol may never come to rest. */
const STEPS_MAX = 400;

/**
 * The choices of the run that begins as the counterexample does and in which the commands are given.
 *
 * @throws UsageError for a command that a node does not take at its moment.
 */
export function branchOff(
  scenario: Scenario,
  { choices, start }: { readonly choices: readonly Choice[]; readonly start?: StartState },
  commands: readonly { readonly at: number; readonly node: string; readonly do: string }[],
): readonly Choice[] {
  const made: Choice[] = [];
  const simulation = new Simulation(scenario, { host: 'snapshots', choices: made, ...(start && { start }) });
  let steps = 0;
  const counting = simulation.network.steps$.subscribe(() => void steps++);
  const make = (choice: Choice) => {
    const drawn: number[] = [];
    const noting = simulation.network.steps$.subscribe((step) => void drawn.push(...step.drawn));
    made.push(choice);
    simulation.advance();
    noting.unsubscribe();
    if (drawn.length > 0) made[made.length - 1] = { ...choice, drawn };
  };
  const next = () => [...enabled(simulation.network.world)].filter((choice) => !('drop' in choice || 'duplicate' in choice));
  simulation.start();
  let given: readonly Choice[] = choices;
  for (const { at, node, do: name } of commands) {
    while (steps < at) {
      const [first, ...rest] = given.length > 0 ? given : next();
      if (first === undefined) break;
      make(first);
      given = given.length > 0 ? rest : [];
    }
    try {
      make({ command: [node, name] });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(
        `${node} does not accept the command "${name}" after ${steps} steps. Select another line and send it there.`,
      );
    }
    given = [];
  }
  for (let more = 0; more < STEPS_MAX; more++) {
    const [first] = next().filter((choice) => !('command' in choice));
    if (first === undefined) break;
    make(first);
  }
  counting.unsubscribe();
  simulation.network.stop();
  return made;
}
