/**
 * What the charts of this package's nodes did in a run that is kept: who has locks has roles of the protocol of locks, and so on. The ends of the
 * link that carries their messages are folded away: a message goes from node to node.
 *
 * Nothing is asked of a node but what it would do anyway; that the run is the same is looked at by its digest (rehearse.ts).
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Core, NodeView, RoleView } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { TransitionId } from '../../network/world/selections.js';
import { attendNodes, type AliveNode } from './alive-nodes.js';
import type { Process, VirtualWorld } from './world.js';

/** A step of a node in the process `peer`, in the conversation `name`. */
export interface RoleStep {
  readonly at: number;
  readonly peer: string;
  readonly name: string;
  /** So much of the story was before it. */
  readonly place: number;
  readonly event: Message;
  readonly role?: string;
  /** Of a message that has come: from whom, and the how many-th of their connection it is. */
  readonly from?: NodeId;
  readonly number?: number;
  readonly sent: readonly { readonly to: NodeId; readonly message: Message; readonly number: number | null }[];
  /** The roles that it changed, as they are now; `null` for one that was closed. */
  readonly roles: Readonly<Record<string, RoleView | null>>;
  readonly taken: readonly TransitionId[];
  readonly refused: readonly TransitionId[];
}

/** The steps of a run, and the charts that they are steps of. */
export interface RunRoles {
  readonly charts: Readonly<Record<string, unknown>>;
  readonly steps: readonly RoleStep[];
}

/** So many of the last steps are kept; of what was before, how it left every role. */
const STEPS_MAX = 1_000;

export const chartName = ({ name }: Pick<Core, 'name'>, chart: string): string => `${name} ${chart}`;

export class RoleSteps {
  private readonly charts: Record<string, unknown> = {};
  private readonly steps: RoleStep[] = [];
  /** How the steps that are not kept left the roles, by process and conversation. */
  private readonly before = new Map<string, RoleStep>();

  constructor(
    private readonly world: VirtualWorld,
    /** How much of the story has been told. */
    private readonly place: () => number,
  ) {}

  /** Hears of every node that is made from now on, until what it gives is called. */
  listen(): () => void {
    return attendNodes((node, process) => this.attend(node, process));
  }

  /** As plain data. */
  all(): RunRoles {
    return JSON.parse(JSON.stringify({ charts: this.charts, steps: [...this.before.values(), ...this.steps] })) as RunRoles;
  }

  private attend(node: AliveNode, process: Process): void {
    const { protocol, name } = node;
    if (protocol.name === 'link') return;
    for (const [chart, machine] of Object.entries(protocol.charts))
      this.charts[chartName(protocol, chart)] ??= chartDefinition(machine);
    const { life, id: peer } = process;
    const [nameOf, changed] = [namesOf(node, peer), changes(node)];
    node.watchSelections(selectedIn);
    node.steps$.subscribe(({ role, event, outcome, number, numbers, selected = { taken: [], refused: [] } }) => {
      if (process.life !== life) return;
      const from = 'from' in event ? nameOf(event['from'] as Address) : undefined;
      const sent = outcome.sends
        .flatMap(({ to, message }) => [to].flat().map((address) => ({ to: nameOf(address), message })))
        .map((one, i) => ({ ...one, number: numbers[i] ?? null }));
      this.keep({
        at: this.world.now,
        peer,
        name,
        place: this.place(),
        event,
        ...(role !== undefined && { role }),
        ...(from !== undefined && { from }),
        ...(number !== undefined && { number }),
        sent,
        roles: changed(),
        ...selected,
      });
    });
  }

  private keep(step: RoleStep): void {
    this.steps.push(step);
    if (this.steps.length <= STEPS_MAX) return;
    const first = this.steps.shift()!;
    const key = JSON.stringify([first.peer, first.name]);
    const roles = { ...this.before.get(key)?.roles, ...first.roles };
    this.before.set(key, { ...first, event: { type: 'stands' }, sent: [], roles, taken: [], refused: [] });
  }
}

const namesOf =
  ({ ports }: AliveNode, own: NodeId) =>
  (address: Address): NodeId => {
    if (typeof address === 'string') return address;
    return address === 0 ? own : (ports.peerAt(address) ?? `port ${address}`);
  };

/** The roles that have changed since it was asked last, with the names that their charts have here. */
function changes(node: AliveNode): () => Record<string, RoleView | null> {
  let seen: NodeView = {};
  return () => {
    const before = seen;
    seen = node.view();
    const changed: [string, RoleView | null][] = Object.entries(seen).flatMap(([role, view]) => {
      const { value, context } = before[role] ?? {};
      return value === view.value && context === view.context
        ? []
        : [[role, { ...view, chart: chartName(node.protocol, view.chart) }]];
    });
    for (const role of Object.keys(before)) if (!(role in seen)) changed.push([role, null]);
    return Object.fromEntries(changed);
  };
}
