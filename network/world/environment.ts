/**
 * The environment of the nodes: the progress of script and workload, waiting commands, channels that are up, crashed and paused
 * nodes, and how many messages may still be lost or duplicated. It does not know the states of nodes or the messages in flight.
 *
 * `moves()` returns the possible next moves, `make(move)` performs one and returns the nodes to notify. Simulator, checker,
 * walker and verifier handle scripts, workloads and links only through these two.
 */
import type { LinkEvent as LinkNotification, Message, NodeId } from '../../machines/effects.js';
import type { Command, Instance, NetworkGraph, Protocol, Topology } from '../../machines/protocol.js';
import { CommandQueue, type Given } from './commands.js';
import { Links, type ChannelChange } from './links.js';
import { Script, type CommandEvent, type LaneEntry, type Fused, type ScriptedLinkEvent } from './script.js';

export type Workload = {
  /** Command that it issues. */
  readonly command: string;
} & (
  | { /** Issues the next command when the previous one is complete. */ readonly sequential: readonly NodeId[] }
  | { readonly concurrent: number; readonly requests: number }
);

/** Maximum number of lost messages, and of duplicated ones; `Infinity` for any number. */
export interface Budget {
  /** @defaultValue 0 */
  readonly loss?: number;
  /** @defaultValue 0 */
  readonly duplicate?: number;
}

/** The number of messages that a search may lose and duplicate: any number, if the scenario has a probability for it. */
export const faultBudget = ({ loss, duplicate }: { readonly loss: number; readonly duplicate: number }): Budget => ({
  loss: loss > 0 ? Infinity : 0,
  duplicate: duplicate > 0 ? Infinity : 0,
});

/** The fixed data of all environments of one run or search. */
export interface EnvironmentPlan {
  readonly protocol: Protocol;
  readonly instance: Instance;
  readonly script: Script;
  readonly workload: Workload | undefined;
  readonly budget: Budget;
  /** True if an event of the script waits until no message is in flight after the previous event. */
  readonly oneByOne?: boolean;
}

/** The parts of a world that never change. */
export interface WorldFrame extends EnvironmentPlan {
  readonly order: 'fifo' | 'unordered';
  /** Steps that are taken together with their cause and are not separate choices: see `fusible`. */
  readonly fused: Fused;
  /** Metric of routed messages after changes of links. */
  measure(topology: Topology): Pick<NetworkGraph, 'distance'>;
}

/** Something that the environment can do next, such as an event of the script or a request of the workload. */
export type EnvironmentMove =
  | { readonly kind: 'entry'; readonly lane: number; readonly entry: LaneEntry }
  | { readonly kind: 'workload'; readonly node: NodeId }
  | { readonly kind: 'turn'; readonly node: NodeId }
  /** The end of a channel is notified that the process at the other end has ended or restarted. */
  | ({ readonly kind: 'channel' } & ChannelChange);

/** The changes of a move and the nodes to notify. */
export interface Made {
  /** A command that arrived at its node, or is the first to be taken. */
  readonly given?: { readonly node: NodeId; readonly command: Given };
  /** Directions of links that changed, with a notification for each sender; the links themselves have already changed. */
  readonly changes?: readonly ChannelChange[];
  readonly crashed?: NodeId;
  readonly restarted?: NodeId;
  /** The process has restarted: `changes` are its own channels, which went down with it, and it is not notified of them. */
  readonly reloaded?: NodeId;
  readonly corrupted?: readonly NodeId[];
}

const NOTHING: Made = {};
const SETS_OF_NODES = ['crashed', 'everCrashed', 'paused', 'underWay'] as const;
const channelKey = (from: NodeId, to: NodeId): string => `${from}\n${to}`;

export class Environment {
  readonly crashed = new Set<NodeId>();
  /** Nodes that have crashed at least once, including those that have restarted. */
  readonly everCrashed = new Set<NodeId>();
  readonly paused = new Set<NodeId>();
  /** Channels whose messages do not arrive, as `from\nto`. */
  readonly clogged = new Set<string>();
  /** Channels, as `from\nto`, that went down with a restarted process. Each comes up when its end is notified. */
  private readonly returning = new Set<string>();
  /** Waiting commands, oldest first. */
  private readonly waiting = new Map<NodeId, CommandQueue>();
  /** Nodes with a pending command of the workload. */
  readonly underWay = new Set<NodeId>();
  /** Number of commands that the workload has issued. */
  issued = 0;
  /** Number of past entries, by lane. */
  readonly places: number[];
  loss: number;
  duplicate: number;

  constructor(
    readonly plan: EnvironmentPlan,
    readonly links: Links,
    from?: Environment,
  ) {
    const { script, budget } = plan;
    this.places = from ? [...from.places] : script.lanes.map(() => 0);
    this.loss = from?.loss ?? budget.loss ?? 0;
    this.duplicate = from?.duplicate ?? budget.duplicate ?? 0;
    if (!from) return;
    for (const set of SETS_OF_NODES) for (const node of from[set]) this[set].add(node);
    for (const channel of from.clogged) this.clogged.add(channel);
    for (const channel of from.returning) this.returning.add(channel);
    for (const [node, commands] of from.waiting) this.waiting.set(node, commands.copy());
    this.issued = from.issued;
  }

  static of(plan: EnvironmentPlan): Environment {
    const { protocol, instance } = plan;
    return new Environment(plan, new Links(instance.topology, protocol.ports?.(instance.options)));
  }

  copy(plan = this.plan): Environment {
    return new Environment(plan, this.links.copy(), this);
  }

  /** Starts in time with a script whose past events have already occurred. */
  standAt(now: number): void {
    const { lanes, events } = this.plan.script;
    const hasCome = ({ place }: LaneEntry): boolean => (events[place]!.at ?? 0) <= now;
    this.places.splice(0, this.places.length, ...lanes.map((entries) => entries.filter(hasCome).length));
  }

  /** The same environment with other names of nodes and other lanes of the script. */
  renamed(name: (node: NodeId) => NodeId, toLane: readonly number[]): Environment {
    const image = new Environment(this.plan, this.links.renamed(name), this);
    this.places.forEach((place, lane) => (image.places[toLane[lane]!] = place));
    for (const set of SETS_OF_NODES) {
      image[set].clear();
      for (const node of this[set]) image[set].add(name(node));
    }
    image.returning.clear();
    for (const [from, to] of this.allReturning()) image.returning.add(channelKey(name(from), name(to)));
    image.waiting.clear();
    for (const [node, commands] of this.waiting) image.waiting.set(name(node), commands.copy());
    return image;
  }

  /** All moves that can come next, independent of nodes and messages. */
  moves(): readonly EnvironmentMove[] {
    const { script } = this.plan;
    const entries = script.lanes.flatMap((_, i): readonly EnvironmentMove[] => {
      const entry = this.next(i);
      if (!entry || !this.mayCome(entry)) return [];
      const severed = entry.kind === 'reload' ? this.severed(entry.node) : [];
      return severed.length > 0 ? severed : [{ kind: 'entry', lane: i, entry }];
    });
    const issuers = this.issuers().map((node): EnvironmentMove => ({ kind: 'workload', node }));
    const turns = [...this.waiting.keys()].map((node): EnvironmentMove => ({ kind: 'turn', node }));
    const returns = this.returns().map(([from, to]): EnvironmentMove => ({ kind: 'channel', from, to, up: true }));
    return [...entries, ...issuers, ...turns, ...returns];
  }

  /** Before a process restarts, every other end of its channels is notified that it has ended. */
  severed(node: NodeId): readonly (EnvironmentMove & { readonly kind: 'channel' })[] {
    const { nodes } = this.plan.instance.topology;
    const peers = this.crashed.has(node) ? nodes.filter((peer) => this.links.up(peer, node)) : [];
    return peers.map((from) => ({ kind: 'channel', from, to: node, up: false }));
  }

  /** Channels that are to come up again. A process that has ended is not notified. */
  returns(): readonly (readonly [from: NodeId, to: NodeId])[] {
    return this.allReturning().filter((ends) => !ends.some((end) => this.crashed.has(end)));
  }

  private allReturning(): readonly (readonly [from: NodeId, to: NodeId])[] {
    return [...this.returning].map((channel) => {
      const [from = '', to = ''] = channel.split('\n');
      return [from, to];
    });
  }

  /** The next entry of a lane. A change of a channel that is already in effect is skipped. */
  next(lane: number): LaneEntry | undefined {
    const entries = this.plan.script.lanes[lane]!;
    let entry = entries[this.places[lane]!];
    while (entry && this.isStale(entry)) {
      if (entry.kind === 'channel') this.returning.delete(channelKey(entry.from, entry.to));
      entry = entries[++this.places[lane]!];
    }
    return entry;
  }

  /** True if an event need not wait for earlier ones: one by one, all of them must have happened. */
  private mayCome({ place }: LaneEntry): boolean {
    if (!this.plan.oneByOne) return true;
    return !this.plan.script.lanes.some((_, lane) => (this.next(lane)?.place ?? place) < place);
  }

  /** True if some entry of the event has happened and another has not. */
  hasBegun({ place }: LaneEntry): boolean {
    return this.plan.script
      .lanesAt(place)
      .some((lane) => this.plan.script.lanes[lane]!.slice(0, this.places[lane]).some((entry) => entry.place === place));
  }

  make(move: EnvironmentMove): Made {
    switch (move.kind) {
      case 'entry':
        this.places[move.lane]!++;
        return this.perform(move.entry);
      case 'workload':
        return this.issue(move.node);
      case 'turn':
        return { given: { node: move.node, command: this.takeTurn(move.node)! } };
      case 'channel': {
        if (!move.up) this.returning.add(channelKey(move.from, move.to));
        return { changes: this.turn([move]) };
      }
    }
  }

  private perform(entry: LaneEntry): Made {
    switch (entry.kind) {
      case 'command':
        return { given: { node: entry.event.node, command: this.given(entry.event) } };
      case 'channel': {
        if (entry.weight !== undefined) this.links.setWeight(entry.from, entry.to, entry.weight);
        return { changes: this.turn([entry]) };
      }
      case 'link':
        return { changes: this.change(entry.event) };
      case 'crash':
        return this.crash(entry.node) ? { crashed: entry.node } : NOTHING;
      case 'restart':
        return this.crashed.delete(entry.node) ? { restarted: entry.node } : NOTHING;
      case 'reload':
        return this.reload(entry.node);
      case 'corrupt':
        return { corrupted: entry.nodes };
    }
  }

  crash(node: NodeId): boolean {
    if (this.crashed.has(node)) return false;
    this.crashed.add(node);
    this.everCrashed.add(node);
    return true;
  }

  /** Restarts a crashed node without its waiting commands and without links. */
  reload(node: NodeId): Made {
    if (!this.crashed.delete(node)) return NOTHING;
    this.waiting.delete(node);
    this.underWay.delete(node);
    const changes = this.turn(this.links.neighbors(node).map((to) => ({ from: node, to, up: false })));
    for (const { to } of changes) this.returning.add(channelKey(node, to));
    return { reloaded: node, changes };
  }

  /** The directions of a link that a cut or a join changes, in the order in which they change. */
  change(event: ScriptedLinkEvent): readonly ChannelChange[] {
    const [u, v] = event.link;
    const up = event.do === 'join';
    if (event.do === 'join') this.links.prepareJoin(u, v, event.weight ?? 1, event.ports, this.isAnonymous);
    return this.turn([
      { from: u, to: v, up },
      { from: v, to: u, up },
    ]);
  }

  private turn(changes: readonly ChannelChange[]): readonly ChannelChange[] {
    for (const { from, to, up } of changes) if (up) this.returning.delete(channelKey(from, to));
    return changes.filter(({ from, to, up }) => this.links.set(from, to, up));
  }

  get isAnonymous(): boolean {
    return this.plan.protocol.network.addressing === 'ports';
  }

  /** The event that notifies the sender of a channel of its change. */
  linkEvent({ from, to, up }: ChannelChange): LinkNotification {
    return { type: up ? 'link.up' : 'link.down', peer: this.isAnonymous ? this.links.port(from, to) : to };
  }

  given({ name, fields }: Pick<CommandEvent, 'name' | 'fields'>): Given {
    const { event, waits }: Command = this.plan.protocol.commands[name]!;
    return { event: event(fields), waits, name };
  }

  /** Adds a command to the queue of its node. */
  enqueue(node: NodeId, command: Given): void {
    if (!this.waiting.has(node)) this.waiting.set(node, new CommandQueue());
    this.waiting.get(node)!.add(command);
  }

  /** The first waiting command of a node. */
  head(node: NodeId): Given | undefined {
    return this.waiting.get(node)?.head;
  }

  /** Takes the first waiting command, if the chart accepts it now. */
  takeTurn(node: NodeId, accepts: (event: Message) => boolean = () => true): Given | undefined {
    const queue = this.waiting.get(node);
    const taken = queue?.take(accepts);
    if (queue && !queue.head) this.waiting.delete(node);
    return taken;
  }

  get hasWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Nodes at which the workload may issue its next command. */
  issuers(): readonly NodeId[] {
    const { workload, instance } = this.plan;
    if (!workload || this.issued === this.total) return [];
    if ('sequential' in workload) return this.underWay.size > 0 ? [] : [workload.sequential[this.issued]!];
    if (this.underWay.size >= workload.concurrent) return [];
    return instance.topology.nodes.filter((node) => !this.underWay.has(node));
  }

  issue(node: NodeId): Made {
    this.issued++;
    this.underWay.add(node);
    return { given: { node, command: this.given({ name: this.plan.workload!.command, fields: {} }) } };
  }

  /** Total number of commands of the workload. */
  get total(): number {
    const { workload } = this.plan;
    return workload ? ('sequential' in workload ? workload.sequential.length : workload.requests) : 0;
  }

  /** The node whose workload command a notification completes: its `requester`, or else the notifying node. */
  doneBy(node: NodeId, notification: Message & { readonly requester?: NodeId | null }): NodeId | undefined {
    const { workload, protocol } = this.plan;
    if (!workload || !protocol.commands[workload.command]!.completedBy.includes(notification.type)) return undefined;
    const done = notification.requester ?? node;
    return this.underWay.has(done) ? done : undefined;
  }

  /** True if all commands of the workload are issued and complete. */
  get isOver(): boolean {
    const isRead = this.plan.script.lanes.every((_, lane) => this.next(lane) === undefined);
    return isRead && !this.hasWaiting && this.issued === this.total && this.underWay.size === 0;
  }

  /** A text that is equal for two environments with the same possible futures. `nodes` gives the order. */
  key(nodes: readonly NodeId[]): string {
    const { places, crashed, everCrashed, loss, duplicate, issued, underWay } = this;
    for (const lane of places.keys()) this.next(lane);
    const there = (set: ReadonlySet<NodeId>) => nodes.map((node) => (set.has(node) ? 1 : 0)).join('');
    const waiting = nodes
      .map((node) => (this.waiting.get(node)?.all ?? []).map(({ event }) => JSON.stringify(event)).join())
      .join(';');
    return `${places.join()} ${this.ports(nodes).join()} ${[...this.returning].sort().join(';')} ${there(crashed)} ${there(everCrashed)} ${loss} ${duplicate} ${issued} ${there(underWay)} ${waiting}`;
  }

  /** For each ordered pair of nodes the sender's port, or -1 if the channel is down. */
  ports(nodes: readonly NodeId[]): readonly number[] {
    const { links } = this;
    return nodes.flatMap((u) => nodes.map((v) => (links.up(u, v) ? links.port(u, v) : -1)));
  }

  private isStale(entry: LaneEntry): boolean {
    if (entry.kind === 'channel') return this.links.up(entry.from, entry.to) === entry.up;
    if (entry.kind !== 'link') return false;
    const {
      do: what,
      link: [u, v],
    } = entry.event;
    return [this.links.up(u, v), this.links.up(v, u)].every((up) => up === (what === 'join'));
  }
}
