/**
 * A world: nodes, what is in flight between them, and their environment, with the rules by which it goes from one state to the next.
 *
 * `enabled(world)` (in `enabled.ts`) returns every possible next choice. `apply(world, choice)` returns the next world and leaves the
 * given one as it is; `make`, for a driver that owns its world, changes it in place.
 *
 * The driver waits for messages, timers and reactions in time, or picks the next choice by search, by chance or from a record. It also
 * answers draws, and decides whether a message is lost or duplicated when it is sent.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Choose, Configuration, Flight, Reaction } from '../../machines/protocol.js';
import type { Choice, StartState } from './choice.js';
import { ConfigurationView } from './configuration.js';
import type { Given } from './commands.js';
import { corrupt } from './corrupt.js';
import { Environment, type WorldFrame, type Made } from './environment.js';
import type { Cause, WorldDriver, Witness } from './driver.js';
import type { FlightTable, Packet } from './flights.js';
import { takeOver, type Host } from './hosts.js';
import type { ChannelChange, Links } from './links.js';
import { asksForSomething, emptyOutcome, deliverTo, Node, type Outcome, type TimerOrder } from './node.js';
import { Pending, type TimerWaiter } from './pending.js';
import type { Happening, MessageEvent } from './script.js';
import type { Selected } from './selections.js';
import { senderAs, Traffic } from './traffic.js';
import { addressesOf } from '../../machines/effects.js';

export class World {
  readonly nodes = new Map<NodeId, Node>();
  readonly environment: Environment;
  readonly links: Links;
  readonly traffic: Traffic;
  readonly flights: FlightTable;
  readonly configuration: Configuration;
  readonly reactions: readonly Reaction[];
  private readonly view: ConfigurationView;
  private readonly pending = new Map<NodeId, Pending>();
  /** The timers of crashed nodes, with their remaining ticks. */
  private readonly resting = new Map<NodeId, readonly TimerOrder[]>();
  /** Work that must be done at once, in this order. */
  private readonly atOnce: (() => void)[] = [];
  private steps = 0;
  private drawn: number[] = [];
  private drawing: NodeId = '';

  constructor(
    readonly frame: WorldFrame,
    readonly host: Host,
    private readonly driver: WorldDriver,
    private readonly witness: Witness,
    from?: World,
  ) {
    const { protocol, instance } = frame;
    this.reactions = protocol.reactions(instance.options);
    this.environment = from ? from.environment.copy(frame) : Environment.of(frame);
    this.traffic = new Traffic(frame, this.environment, driver, witness, from?.traffic);
    this.flights = this.traffic.flights;
    const { links, crashed, everCrashed } = this.environment;
    this.links = links;
    this.view = new ConfigurationView(instance, this.nodes, this.flights, links, crashed, everCrashed);
    this.configuration = this.view;
    for (const id of from?.nodes.keys() ?? instance.topology.nodes) this.nodes.set(id, new Node(id, host));
    if (!from) return;
    this.steps = from.steps;
    for (const [id, node] of from.nodes) takeOver(this.nodes.get(id)!, node, host);
    for (const [id, pending] of from.pending) this.pending.set(id, pending.copy());
    for (const [id, timers] of from.resting) this.resting.set(id, timers);
  }

  private readonly isThere = (node: NodeId): boolean => this.nodes.has(node);

  pendingOf(node: NodeId): Pending {
    let pending = this.pending.get(node);
    if (!pending) this.pending.set(node, (pending = new Pending()));
    return pending;
  }

  /** True if the application of some node still owes a reaction. */
  get hasPendingReactions(): boolean {
    return this.reactions.length > 0 && [...this.pending.values()].some(({ reactions }) => reactions.length > 0);
  }

  /** Opens every node's first roles, reports them, and then performs the effects of their entry actions. */
  start(): void {
    const selected = new Map<NodeId, Selected>();
    const opened = [...this.nodes.keys()].map((id) => {
      const outcome = this.open(id);
      const own = this.host.selections?.take();
      if (own) selected.set(id, own);
      return { id, outcome };
    });
    this.witness.started(selected);
    for (const { id, outcome } of opened) if (asksForSomething(outcome)) this.settleStart(id, outcome);
    this.fuse();
  }

  /** Opens a node's first roles. `settleStart` performs their effects. */
  open(id: NodeId, starts = this.frame.protocol.roles(id, this.frame.instance)): Outcome {
    const outcome = this.nodes.get(id)!.start(starts, this.drawFor(id));
    this.view.touch(id);
    return outcome;
  }

  settleStart(id: NodeId, outcome: Outcome): void {
    this.settle({ kind: 'start', node: id, event: { type: 'start' } }, outcome);
  }

  /** Begins in a given state, as the checker does when it looks at corrupt ones. No time is left on the timers. */
  startFrom({ nodes, flights }: StartState): void {
    for (const [id, { roles }] of Object.entries(nodes)) this.nodes.get(id)!.restore(roles);
    this.witness.started(new Map());
    for (const [id, { timers }] of Object.entries(nodes)) {
      for (const [role, timer] of timers) this.follow(id, { closed: [], timers: [{ role, timer, delay: 0 }] });
    }
    for (const { from, to, message, cost } of flights) this.traffic.place(from, to, message, cost);
  }

  /** True if the chart that would take this command has a transition for it now. */
  accepts(id: NodeId, event: Message): boolean {
    const node = this.nodes.get(id)!;
    const { crashed, paused } = this.environment;
    return !crashed.has(id) && !paused.has(id) && node.accepts(this.frame.protocol.route(event, node), event);
  }

  /** Performs a choice in place; false where it cannot be made. */
  make(choice: Choice): boolean {
    const made = this.take(choice);
    this.fuse();
    return made;
  }

  /** Takes what is fused with the choice just made. */
  private fuse(): void {
    for (let next = this.atOnce.shift(); next; next = this.atOnce.shift()) next();
  }

  private take(choice: Choice): boolean {
    if ('deliver' in choice) return this.traffic.with(choice.deliver, (packet) => this.deliver(packet));
    if ('drop' in choice) return this.traffic.with(choice.drop, (packet) => this.traffic.lose(packet, 'loss'));
    if ('duplicate' in choice) return this.traffic.with(choice.duplicate, (packet) => this.traffic.double(packet));
    if ('timer' in choice) return this.fire(...choice.timer);
    if ('turn' in choice) return this.takeTurn(choice.turn);
    if ('command' in choice) return this.command(...choice.command);
    if ('notification' in choice) return this.notify(...choice.notification);
    return this.event(choice.event);
  }

  // Nodes

  /** A message arrives. */
  deliver(packet: Packet): void {
    const { traffic, host, frame } = this;
    if (this.environment.crashed.has(packet.to)) return traffic.lose(packet, 'node down');
    traffic.land(packet);
    const event = { ...packet.message, from: senderAs(frame.protocol.network.addressing, this.links, packet) };
    host.comesFrom?.(packet.from);
    this.dispatch({ kind: 'deliver', node: packet.to, event, message: packet.id });
    host.comesFrom?.(null);
  }

  /** Hands an event from outside to a node: a command, a notice of a link. False when the node cannot take it. */
  dispatch(cause: Cause): boolean {
    const { node: id } = cause;
    if (this.environment.crashed.has(id)) return false;
    const received = deliverTo(this.frame.protocol, this.nodes.get(id)!, cause.event, this.driver.now, this.drawFor(id));
    if ('closed' in received) {
      this.witness.refused({ node: id, event: cause.event, why: `its role "${received.closed}" is not open` });
      return false;
    }
    this.settle({ ...cause, event: received.event }, received.outcome, received.role);
    return true;
  }

  private fire(id: NodeId, role: string, timer: string): boolean {
    if (!this.nodes.has(id) || !this.pendingOf(id).take({ role, timer })) return false;
    this.driver.disarmed(id, { role, timer });
    const { time } = this.frame.protocol.network;
    const event = { type: 'timer', timer, ...(time ? { at: this.driver.now() } : {}) };
    this.settle({ kind: 'timer', node: id, event }, this.nodes.get(id)!.step(role, event, this.drawFor(id)), role);
    return true;
  }

  /** One function for all nodes, which is set to the current node: a closure for each step would cost more than the draws. */
  private drawFor(node: NodeId): Choose {
    this.drawing = node;
    return this.draw;
  }

  private readonly draw: Choose = (bound) => {
    const value = this.driver.draw(bound, this.drawing);
    this.drawn.push(value);
    return value;
  };

  private settle(cause: Cause, outcome: Outcome, role?: string): void {
    const { kind, node, event, message } = cause;
    const sent: Flight[] = [];
    const { newcomer } = this.frame.protocol;
    const admitted = outcome.emitted.map((notification) => this.admit(newcomer?.(notification), node));
    for (const { to, message } of outcome.sends) {
      for (const address of addressesOf(to)) this.traffic.send(node, address, message, sent, this.isThere);
    }
    this.follow(node, outcome);
    this.view.touch(node);
    const drawn = this.drawn;
    this.drawn = [];
    const selected = this.host.selections?.take();
    const index = this.steps++;
    const { emitted, timers } = outcome;
    // Written out, not spread: this is the hot path.
    this.witness.step({ index, at: this.driver.now(), kind, node, event, message, role, sent, emitted, timers, drawn, selected });
    for (const notification of emitted) {
      if (this.reactions.length > 0)
        this.pendingOf(node).owe(notification.type, this.reactions, (reaction) => this.pendingReaction(node, reaction));
      const done = this.environment.doneBy(node, notification);
      if (done === undefined) continue;
      this.environment.underWay.delete(done);
      this.driver.done(done);
    }
    if (this.environment.head(node)) this.turn(node);
    for (const start of admitted) start?.();
  }

  private follow(node: NodeId, outcome: Pick<Outcome, 'closed' | 'timers'>): void {
    if (outcome.closed.length + outcome.timers.length > 0) this.pendingOf(node).follow(outcome, this.waiterFor(node));
  }

  private waiterFor(node: NodeId): TimerWaiter {
    const { driver } = this;
    return { armed: (timer, delay) => driver.armed(node, timer, delay), disarmed: (timer) => driver.disarmed(node, timer) };
  }

  /** Opens a node that is not there yet, with a link to the one that brings it in, and gives what is left to settle of its start. */
  private admit(id: NodeId | undefined, by: NodeId): (() => void) | undefined {
    if (id === undefined || this.nodes.has(id)) return undefined;
    this.nodes.set(id, new Node(id, this.host));
    this.links.addNode(id, by);
    const outcome = this.open(id);
    return () => this.settleStart(id, outcome);
  }

  // The application

  /**
   * Performs the pending reaction whose event has this type, or else issues a new command, whether the chart accepts it or not.
   */
  private command(node: NodeId, name: string): boolean {
    const pendingReaction = this.pendingOf(node).reactions.find((place) => this.reactions[place]!.event.type === name);
    if (pendingReaction !== undefined) return this.react(node, pendingReaction);
    const { protocol } = this.frame;
    const command = protocol.commands[name];
    if (!command && !this.reactions.some(({ event }) => event.type === name)) return false;
    if (
      this.environment.underWay.has(node) ||
      !this.environment.issuers().includes(node) ||
      this.frame.workload?.command !== name
    )
      return this.dispatch({ kind: 'command', node, event: command?.event({}) ?? { type: name } });
    this.issue(node);
    return true;
  }

  /** The workload asks for its next command, at this node. */
  issue(node: NodeId): void {
    this.carryOut(this.environment.issue(node));
  }

  /** Performs a reaction of the application, without effect if its node has crashed. */
  react(node: NodeId, reaction: number): boolean {
    if (!this.pendingOf(node).settle(reaction)) return false;
    this.dispatch({ kind: 'command', node, event: this.reactions[reaction]!.event });
    return true;
  }

  private pendingReaction(node: NodeId, reaction: number): void {
    if (this.frame.fused.reactions(node) && this.reactions[reaction]!.after === 0)
      this.atOnce.push(() => this.react(node, reaction));
    else this.driver.reactionPending(node, reaction);
  }

  private turn(node: NodeId): void {
    if (this.frame.fused.turns(node)) this.atOnce.push(() => this.takeTurn(node));
    else this.driver.turn(node);
  }

  /** Issues a command: now, or, where it is one that waits, when its turn comes. */
  give(node: NodeId, command: Given): void {
    if (!command.waits) return void this.dispatch({ kind: 'command', node, event: command.event });
    this.environment.enqueue(node, command);
    if (this.environment.head(node) === command) this.takeTurn(node);
  }

  takeTurn(node: NodeId): boolean {
    const taken = this.environment.takeTurn(node, (event) => this.accepts(node, event));
    if (taken) this.dispatch({ kind: 'command', node, event: taken.event });
    return taken !== undefined;
  }

  // The script

  /** The scenario's event at a place of its list: whatever of it has not come yet. */
  private event(place: number): boolean {
    const { script } = this.frame;
    const happening = script.events[place];
    if (!happening) return false;
    const lanes = script.lanesAt(place);
    if (lanes.length === 0) this.perform(happening);
    let came = lanes.length === 0;
    for (const lane of lanes) {
      const entry = this.environment.next(lane);
      if (entry?.place !== place) continue;
      came = true;
      if (entry.kind === 'reload') this.sever(entry.node);
      this.carryOut(this.environment.make({ kind: 'entry', lane, entry }));
    }
    if (!came && happening.do === 'join') this.refuseJoin(happening.link);
    return came || happening.do === 'join' || happening.do === 'cut' || happening.do === 'up' || happening.do === 'down';
  }

  /**
   * The end of a channel is notified of the change that the script has next for it. In a schedule made by hand, which no script lists, the
   * channel changes from what it was.
   */
  private notify(node: NodeId, peer: NodeId): boolean {
    if (!this.nodes.has(node) || !this.nodes.has(peer)) return false;
    if (this.noteProcess(node, peer)) return true;
    for (const lane of this.frame.script.lanes.keys()) {
      const entry = this.environment.next(lane);
      if (entry?.kind !== 'channel' || entry.from !== node || entry.to !== peer) continue;
      this.carryOut(this.environment.make({ kind: 'entry', lane, entry }));
      return true;
    }
    this.setChannel(node, peer, !this.links.up(node, peer));
    return true;
  }

  /** Performs what the environment has done. */
  private carryOut({ given, changes, crashed, restarted, reloaded, corrupted }: Made): void {
    if (given) this.give(given.node, given.command);
    if (reloaded !== undefined) return this.reload(reloaded, changes!);
    if (changes) this.changed(changes);
    if (crashed !== undefined) this.stop(crashed);
    if (restarted !== undefined) this.resume(restarted);
    if (corrupted) corrupt(this, corrupted, this.driver.corrupt);
  }

  /** Performs what is not an entry of a lane: delays, single messages, and changes of links that no script lists. */
  perform(happening: Happening): void {
    const { environment } = this;
    switch (happening.do) {
      case 'cut':
      case 'join':
        return this.changeLink(happening);
      case 'up':
      case 'down':
        return this.setChannel(...happening.channel, happening.do === 'up');
      case 'clog':
      case 'unclog': {
        const key = happening.channel.join('\n');
        if (happening.do === 'clog') environment.clogged.add(key);
        else if (environment.clogged.delete(key)) this.driver.released();
        return;
      }
      case 'pause':
        return void environment.paused.add(happening.node);
      case 'resume':
        if (!environment.paused.delete(happening.node)) return;
        this.driver.released();
        if (environment.head(happening.node)) this.turn(happening.node);
        return;
      case 'slow':
        return this.driver.slow(this.flights.channelOf(...happening.channel), happening.by);
      case 'drop':
      case 'duplicate':
      case 'hold':
      case 'deliver':
        return this.touch(happening.do, happening.message);
      case 'crash':
        if (environment.crash(happening.node)) this.stop(happening.node);
        return;
      case 'restart':
        if (environment.crashed.delete(happening.node)) this.resume(happening.node);
        return;
      case 'reload':
        this.sever(happening.node);
        return this.carryOut(environment.reload(happening.node));
      case 'corrupt':
        return corrupt(this, happening.nodes, this.driver.corrupt);
      case 'command':
        return this.give(happening.node, environment.given(happening));
    }
  }

  /** Applies a manual event to one message; a delivered one arrives now, even if it is held up. */
  private touch(what: MessageEvent['do'], message: number): void {
    const acts = {
      deliver: (packet: Packet) => this.deliver(packet),
      drop: (packet: Packet) => this.traffic.lose(packet, 'loss'),
      duplicate: (packet: Packet) => this.traffic.double(packet),
      hold: (packet: Packet) => this.traffic.held.add(packet.id),
    };
    if (!this.traffic.with(message, acts[what]))
      this.witness.refused({ event: { type: what }, why: `message ${message} is not in flight` });
  }

  // Links

  /** Changes a link outside the script. If nodes have names, one end is notified before the channel of the other end changes. */
  private changeLink(event: Happening & { readonly do: 'cut' | 'join' }): void {
    const [u, v] = event.link;
    const up = event.do === 'join';
    if (up && this.links.up(u, v) && this.links.up(v, u)) return this.refuseJoin(event.link);
    if (this.environment.isAnonymous) return this.changed(this.environment.change(event));
    if (event.do === 'join') this.links.prepareJoin(u, v, event.weight ?? 1, undefined, false);
    this.setChannel(u, v, up);
    this.setChannel(v, u, up);
  }

  private refuseJoin([u, v]: readonly [NodeId, NodeId]): void {
    this.witness.refused({ event: { type: 'join' }, why: `the link between ${u} and ${v} is up already` });
  }

  private setChannel(from: NodeId, to: NodeId, up: boolean): void {
    if (this.links.set(from, to, up)) this.changed([{ from, to, up }]);
  }

  /** Channels have come up or gone down: messages in flight on closed channels are lost, then each sender is notified. */
  private changed(changes: readonly ChannelChange[]): void {
    this.turned(changes);
    const isRouted = this.frame.protocol.network.reach === 'routed';
    if (isRouted && changes.length > 0) this.traffic.reroute();
    if (isRouted) return;
    for (const change of changes) this.dispatch({ kind: 'link', node: change.from, event: this.environment.linkEvent(change) });
  }

  private turned(changes: readonly ChannelChange[]): void {
    for (const change of changes) {
      this.witness.channel(change);
      if (!change.up) this.traffic.empty(change.from, change.to);
    }
  }

  // Faults of nodes

  /** The node stops: what arrives is lost, its timers stand still. Its state survives, as on stable storage. */
  private stop(id: NodeId): void {
    const left = this.pendingOf(id).armed.map((timer) => ({ ...timer, delay: this.driver.left(id, timer) }));
    this.resting.set(id, left);
    this.disarmAll(id);
    this.settle({ kind: 'crash', node: id, event: { type: 'crash' } }, emptyOutcome());
  }

  /** The node goes on from its last state, with what was left on its timers. */
  private resume(id: NodeId): void {
    const timers = this.resting.get(id) ?? [];
    this.resting.delete(id);
    this.put(id, 'restart', this.nodes.get(id)!.view(), timers);
  }

  /** Notifies the end of a channel that the process at the other end has ended or restarted; false if there is no such news. */
  noteProcess(node: NodeId, peer: NodeId): boolean {
    const news = this.environment.moves().find((move) => move.kind === 'channel' && move.from === node && move.to === peer);
    if (news) this.carryOut(this.environment.make(news));
    return news !== undefined;
  }

  private sever(id: NodeId): void {
    for (const move of this.environment.severed(id)) this.carryOut(this.environment.make(move));
  }

  /** Starts a new process for the node, with its stored state and without links. */
  private reload(id: NodeId, changes: readonly ChannelChange[]): void {
    this.turned(changes);
    this.resting.delete(id);
    this.pending.set(id, new Pending());
    const { protocol, instance } = this.frame;
    const outcome = this.nodes.get(id)!.reload((stored) => protocol.reload!(id, instance, stored), this.drawFor(id));
    this.settle({ kind: 'reload', node: id, event: { type: 'reload' } }, outcome);
    this.driver.returning(this.environment.returns().filter((ends) => ends.includes(id)));
  }

  private disarmAll(id: NodeId): void {
    this.pendingOf(id).clear(this.waiterFor(id));
  }

  /** Puts a node in a given state and its timers with it: what a corruption or a restart does. */
  put(id: NodeId, kind: 'corrupt' | 'restart', state: Parameters<Node['restore']>[0], timers: readonly TimerOrder[]): void {
    this.disarmAll(id);
    this.nodes.get(id)!.restore(state);
    this.settle({ kind, node: id, event: { type: kind } }, { ...emptyOutcome(), timers: [...timers] });
  }

  /** Ends every live actor. */
  end(): void {
    for (const node of this.nodes.values()) node.stop();
  }
}
