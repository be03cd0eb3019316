/** Damaged runs that compare the two forms of a property: on the whole configuration, and on its totals. */
import type { Folded } from '../machines/folded.js';
import type { Configuration, NodeView, Property, Protocol, RoleView } from '../machines/protocol.js';
import { Random } from './random.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { Sums } from './evaluation.js';

type Judging = Exclude<Property, { readonly kind: 'eventually' }>;
type Judged = Judging & { readonly folded: Folded };

/** Compares properties on totals with properties on the whole configuration, over many configurations. */
export class Comparison {
  comparisons = 0;
  /** Number of configurations in which each property held, and in which it did not. */
  readonly verdicts = new Map<string, [held: number, refuted: number]>();

  /**
   * Begins with a configuration that changes.
   *
   * @param plainOf the form of a property on the whole configuration. Default: its own `holds`.
   * @returns a check of the current state; it throws if the two forms of a property disagree.
   */
  of(configuration: Configuration, all: readonly Property[], plainOf = (property: Judging) => property): () => void {
    const properties = all.filter((one): one is Judged => 'folded' in one && one.folded !== undefined);
    const sums = new Sums(
      properties.map(({ folded }) => folded.over),
      configuration,
    );
    return () => {
      this.comparisons++;
      sums.update();
      for (const property of properties) {
        const { name, folded } = property;
        const own = plainOf(property).holds(configuration);
        const summed = folded.holds(sums.of(folded.over), () => configuration);
        if (own !== summed) {
          const { nodes, flights, crashed } = configuration;
          const seen = JSON.stringify([[...nodes], flights, crashed], null, 1);
          throw new Error(`"${name}" holds: ${own}, by its totals: ${summed}, at look ${this.comparisons}: ${seen}`);
        }
        const counts = this.verdicts.get(name) ?? [0, 0];
        counts[own ? 0 : 1]++;
        this.verdicts.set(name, counts);
      }
    };
  }
}

/** False if the chart threw an error in an unreachable state. The run then ends, and its results count. */
function bears(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

/** A change of a node that chance seldom produces. */
export type Twist = (roles: NodeView, random: Random) => NodeView;

class Damage {
  /** True if a variable has a value that no chart assigns. Then no node takes a step, because it might never end. */
  private isTwisted = false;

  constructor(
    private readonly simulation: Simulation,
    private readonly random: Random,
    private readonly twists: readonly Twist[],
    private readonly turnsLinks: boolean,
  ) {}

  /** Takes some steps of the run, or applies a damage; false at the end. */
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
    const { flights, instance } = network.configuration;
    const { links } = instance.topology;
    if (this.turnsLinks && random.below(3) === 0 && links.length > 0) {
      // The links change without notifications: this is a state and not a run.
      const [u, v] = random.pick(links);
      const [from, to] = random.pick([[u, v] as const, [v, u] as const]);
      network.links.set(from, to, !network.links.up(from, to));
      return;
    }
    const what = random.below(2) === 0 ? 'drop' : 'duplicate';
    if (flights.length > 0) network.perform({ do: what, message: random.pick(flights).id });
  }

  /** Changes one variable, or the state, of one role of a node. */
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

  /** Another number, or the value of the same variable at another node. */
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

interface Damages {
  /** Reference forms of its properties with totals, on the whole configuration, with the same names. */
  readonly plain?: readonly Property[];
  readonly comparisonsMin: number;
  readonly seed: number;
  readonly twists?: readonly Twist[];
  /** True if channels come up and go down. */
  readonly turnsLinks?: boolean;
}

/** Damages runs of a protocol. */
export function compareForms(
  protocol: Protocol,
  scenarios: readonly object[],
  { plain, comparisonsMin, seed, twists = [], turnsLinks = false }: Damages,
): Comparison {
  const random = new Random(seed, 'damage');
  const comparison = new Comparison();
  const plainOf = (property: Judging) =>
    plain?.find((one): one is Judging => one.name === property.name && one.kind !== 'eventually') ?? property;
  for (let run = 0; comparison.comparisons < comparisonsMin; run++) {
    const scenario = { protocol: protocol.name, seed: run, ...scenarios[run % scenarios.length] };
    const simulation = new Simulation(parseScenario(scenario, { [protocol.name]: protocol }), {
      host: 'snapshots',
      watch: false,
    });
    simulation.start();
    const look = comparison.of(simulation.configuration, protocol.properties(simulation.instance), plainOf);
    const damage = new Damage(simulation, random, twists, turnsLinks);
    for (let step = 0; step < 24; step++) {
      look();
      if (!damage.next()) break;
    }
  }
  return comparison;
}
