/**
 * Records the chart steps of the protocol nodes that an application creates through Quiver, for example the roles of its locks. The record
 * omits the steps of the link layer that carries their messages: a message goes from node to node.
 *
 * Recording must not influence a node. rehearse.ts compares the digests of the run with and without it.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Core, NodeView, RoleView } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { TransitionId } from '../../network/world/selections.js';
import { watchNodes, type LiveNodeView } from './alive-nodes.js';
import type { Process, VirtualWorld } from './world.js';

/** A step of a node in the process `peer`, in the conversation `name`. */
export interface RoleStep {
  readonly at: number;
  readonly peer: string;
  readonly name: string;
  /** Number of events of the story before this step. */
  readonly place: number;
  readonly event: Message;
  readonly role?: string;
  /** The sender of a received message, and its sequence number on their connection. */
  readonly from?: NodeId;
  readonly number?: number;
  readonly sent: readonly { readonly to: NodeId; readonly message: Message; readonly number: number | null }[];
  /** The changed roles in their new state; `null` for a closed one. */
  readonly roles: Readonly<Record<string, RoleView | null>>;
  readonly taken: readonly TransitionId[];
  readonly refused: readonly TransitionId[];
}

/** The recorded steps of all charts in a run, and the charts themselves. */
export interface RunRoles {
  readonly charts: Readonly<Record<string, unknown>>;
  readonly steps: readonly RoleStep[];
}

/** Number of recorded steps at the end of a run. For earlier ones, only the resulting roles are kept. */
const STEPS_MAX = 1_000;

export const chartName = ({ name }: Pick<Core, 'name'>, chart: string): string => `${name} ${chart}`;

export class RoleSteps {
  private readonly charts: Record<string, unknown> = {};
  private readonly steps: RoleStep[] = [];
  /** The roles after the steps that are not kept, by process and conversation. */
  private readonly before = new Map<string, RoleStep>();

  constructor(
    private readonly world: VirtualWorld,
    /** Number of events so far. */
    private readonly place: () => number,
  ) {}

  /** Watches every new node until the returned function is called. */
  listen(): () => void {
    return watchNodes((node, process) => this.watch(node, process));
  }

  /** The recorded steps as plain data. */
  all(): RunRoles {
    return JSON.parse(JSON.stringify({ charts: this.charts, steps: [...this.before.values(), ...this.steps] }));
  }

  private watch(node: LiveNodeView, process: Process): void {
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
  ({ ports }: LiveNodeView, own: NodeId) =>
  (address: Address): NodeId => {
    if (typeof address === 'string') return address;
    return address === 0 ? own : (ports.peerAt(address) ?? `port ${address}`);
  };

/** A function that returns the roles that have changed since its last call, with the names of their charts in the trace. */
function changes(node: LiveNodeView): () => Record<string, RoleView | null> {
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
