/** Runs that are damaged on their way, for the two forms of a property: what it says of a configuration, and what of its totals. */
import type { NodeView, Property, Protocol, RoleView } from '../machines/protocol.js';
import { Random } from './random.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { Sums } from './sums.js';

export interface Compared {
  readonly looks: number;
  /** How often each property held, and how often it did not. */
  readonly verdicts: Map<string, [held: number, refuted: number]>;
}

type Judging = Exclude<Property<any>, { readonly kind: 'eventually' }>;

/** A chart may break over a state that it cannot come to: the run is over then, and what was seen of it counts. */
function bears(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

/** What chance alone seldom makes of a node. */
export type Twist = (roles: NodeView, random: Random) => NodeView;

class Damage {
  /** Some variable holds what no chart gives it. None takes a step with it: it might never come to an end. */
  private isTwisted = false;

  constructor(
    private readonly simulation: Simulation,
    private readonly random: Random,
    private readonly twists: readonly Twist[],
  ) {}

  /** Some steps of the run, or something that no run does; false when it is over. */
  next(): boolean {
    const { random, simulation } = this;
    const { network } = simulation;
    const nodes = [...network.nodes.keys()];
    const node = random.pick(nodes);
    const what = random.below(this.isTwisted ? 6 : 13);
    if (what < 2) this.disturb();
    else if (what < 5) this.twist(node);
    else if (what === 5) return random.below(6) > 0 || bears(() => network.perform({ do: 'crash', node }));
    else if (what === 6) return bears(() => network.perform({ do: 'corrupt', nodes: [node, random.pick(nodes)] }));
    else return bears(() => this.run(random.below(random.below(3) === 0 ? 60 : 6)));
    return true;
  }

  private run(steps: number): boolean {
    for (let i = 0; i <= steps; i++) if (!this.simulation.advance()) return false;
    return true;
  }

  private disturb(): void {
    const { random, simulation } = this;
    const { network } = simulation;
    const { flights } = network.configuration;
    const what = random.below(2) === 0 ? 'drop' : 'duplicate';
    if (flights.length > 0) network.perform({ do: what, message: random.pick(flights).id });
  }

  /** One variable, or the state, of one role of a node. */
  private twist(node: string): void {
    this.isTwisted = true;
    const { network } = this.simulation;
    const { random } = this;
    const roles = network.configuration.nodes.get(node)!;
    const name = random.pick(Object.keys(roles));
    const role = roles[name]!;
    const others = [...network.configuration.nodes.values()].flatMap((view) => Object.values(view));
    const other = random.pick(others.filter(({ chart }) => chart === role.chart));
    const twisted = random.below(3) === 0 ? { value: other.value } : { context: this.other(role, other) };
    const twist = random.pick<Twist>([() => ({ ...roles, [name]: { ...role, ...twisted } }), ...this.twists]);
    network.world.put(node, 'corrupt', twist(roles, random), []);
  }

  /** A number that is another one, or a value that the same variable of another node has. */
  private other({ context }: RoleView, other: RoleView): unknown {
    const { random } = this;
    const numbers = Object.keys(context).filter((key) => typeof context[key] === 'number');
    if (numbers.length === 0 || random.below(2) === 0) {
      const key = random.pick(Object.keys(context));
      return { ...context, [key]: other.context[key] };
    }
    const key = random.pick(numbers);
    return { ...context, [key]: context[key] + (random.below(5) - 2) * random.pick([1, 100]) };
  }
}

/** Throws at the first configuration of which the shipped form of a property says something else than the plain one. */
export function compareForms(
  protocol: Protocol,
  scenarios: readonly object[],
  plain: readonly Property<any>[],
  { looksMin, seed, twists = [] }: { readonly looksMin: number; readonly seed: number; readonly twists?: readonly Twist[] },
): Compared {
  const random = new Random(seed, 'damage');
  const verdicts: Compared['verdicts'] = new Map();
  let looks = 0;
  for (let run = 0; looks < looksMin; run++) {
    const scenario = { protocol: protocol.name, seed: run, ...scenarios[run % scenarios.length] };
    const simulation = new Simulation(parseScenario(scenario, { [protocol.name]: protocol }), {
      host: 'snapshots',
      watch: false,
    });
    const { configuration } = simulation;
    simulation.start();
    const properties = protocol.properties(simulation.instance).flatMap((one) => ('folded' in one && one.folded ? [one] : []));
    const sums = new Sums(
      properties.map(({ folded }) => folded!.over),
      configuration,
    );
    const damage = new Damage(simulation, random, twists);
    for (let step = 0; step < 24; step++, looks++) {
      sums.update();
      for (const { name, folded } of properties) {
        const reference = plain.find((one): one is Judging => one.name === name && one.kind !== 'eventually')!;
        const own = reference.holds(configuration);
        const summed = folded!.holds(sums.of(folded!.over), () => configuration);
        if (own !== summed) {
          const seen = JSON.stringify([[...configuration.nodes], configuration.flights, configuration.crashed], null, 1);
          throw new Error(`"${name}" holds: ${own}, by its totals: ${summed}, in run ${run}, step ${step}: ${seen}`);
        }
        const counts = verdicts.get(name) ?? [0, 0];
        counts[own ? 0 : 1]++;
        verdicts.set(name, counts);
      }
      if (!damage.next()) break;
    }
  }
  return { looks, verdicts };
}
