/**
 * A naive oracle: the same search without any optimization. States are JSON, every transition runs live XState actors, and nothing is
 * interned or cached.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { NodeView, Protocol, Instance } from '../../machines/protocol.js';
import { createHost } from '../../network/world/hosts.js';
import { Node } from '../../network/world/node.js';
import { everyDraw } from './draws.js';

export interface OracleOptions {
  readonly order: 'fifo' | 'unordered';
  readonly unlimited: readonly Message[];
  /** For each node its commands, in order; each waits until its chart accepts it. */
  readonly script?: Readonly<Record<NodeId, readonly Message[]>>;
  /** The number of changes of each channel; its sender is notified. */
  readonly toggles?: readonly (readonly [NodeId, NodeId, number])[];
  readonly loss?: number;
  readonly duplicate?: number;
  readonly depth: number;
  /** The part of a message in flight that distinguishes two states. */
  readonly identityOf?: (flight: OracleFlight) => unknown;
}

export interface OracleFlight {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
}

interface OracleNode {
  readonly view: NodeView;
  readonly timers: readonly (readonly [string, string])[];
  readonly due: readonly number[];
}

interface State {
  readonly nodes: Readonly<Record<NodeId, OracleNode>>;
  readonly flights: readonly OracleFlight[];
  readonly up: Readonly<Record<string, boolean>>;
  readonly asked: Readonly<Record<NodeId, number>>;
  readonly toggled: readonly number[];
  readonly loss: number;
  readonly duplicate: number;
}

export function oracle(protocol: Protocol, instance: Instance, options: OracleOptions): { states: number; transitions: number } {
  const world = new Oracle(protocol, instance, options);
  let level = world.starts();
  const known = new Set(level.map((state) => world.key(state)));
  let transitions = 0;
  for (let depth = 0; depth < options.depth && level.length > 0; depth++) {
    const next: State[] = [];
    for (const state of level) {
      for (const successor of world.successors(state)) {
        transitions++;
        const key = world.key(successor);
        if (known.has(key)) continue;
        known.add(key);
        next.push(successor);
      }
    }
    level = next;
  }
  return { states: known.size, transitions };
}

class Oracle {
  private readonly reactions;
  private readonly host;

  constructor(
    private readonly protocol: Protocol,
    private readonly instance: Instance,
    private readonly options: OracleOptions,
  ) {
    this.reactions = protocol.reactions(instance.options);
    this.host = createHost('actors', protocol);
  }

  key({ flights, ...rest }: State): string {
    const { order, identityOf = (flight: OracleFlight) => flight } = this.options;
    const texts = flights.map((flight) => JSON.stringify(identityOf(flight)));
    const channelOf = ({ from, to }: OracleFlight) => `${from} ${to}`;
    if (order === 'unordered') return JSON.stringify([rest, texts.sort()]);
    const channels = new Map<string, string[]>();
    flights.forEach((flight, i) => channels.set(channelOf(flight), [...(channels.get(channelOf(flight)) ?? []), texts[i]!]));
    return JSON.stringify([rest, [...channels].sort()]);
  }

  starts(): State[] {
    const { nodes, links } = this.instance.topology;
    const up = Object.fromEntries(
      links.flatMap(([u, v]) => [
        [`${u} ${v}`, true],
        [`${v} ${u}`, true],
      ]),
    );
    const { loss = 0, duplicate = 0, toggles = [] } = this.options;
    const asked = Object.fromEntries(nodes.map((id) => [id, 0]));
    let states: State[] = [{ nodes: {}, flights: [], up, asked, toggled: toggles.map(() => 0), loss, duplicate }];
    for (const id of nodes) {
      const empty: OracleNode = { view: {}, timers: [], due: [] };
      states = states.flatMap((state) =>
        this.stepped(state, id, empty, (node, choose) => node.start(this.protocol.roles(id, this.instance), choose)),
      );
    }
    return states;
  }

  successors(state: State): State[] {
    return [...this.deliveries(state), ...this.ofNodes(state), ...this.ofScript(state), ...this.ofFaults(state)];
  }

  private deliveries(state: State): State[] {
    const seen = new Set<string>();
    return state.flights.flatMap((flight, i) => {
      const lane =
        this.options.order === 'fifo'
          ? `${flight.from} ${flight.to}`
          : JSON.stringify((this.options.identityOf ?? ((f) => f))(flight));
      if (seen.has(lane)) return [];
      seen.add(lane);
      const left = { ...state, flights: state.flights.toSpliced(i, 1) };
      return this.take(left, flight.to, { ...flight.message, from: flight.from } as Message);
    });
  }

  private ofNodes(state: State): State[] {
    return Object.entries(state.nodes).flatMap(([id, being]) => {
      const fired = being.timers.flatMap(([role, timer]) => {
        const left = { ...being, timers: being.timers.filter(([r, t]) => r !== role || t !== timer) };
        return this.take({ ...state, nodes: { ...state.nodes, [id]: left } }, id, { type: 'timer', timer } as Message, role);
      });
      const reacted = [...new Set(being.due)].flatMap((place) => {
        const left = { ...being, due: being.due.toSpliced(being.due.indexOf(place), 1) };
        return this.take({ ...state, nodes: { ...state.nodes, [id]: left } }, id, this.reactions[place]!.event);
      });
      const free = this.options.unlimited.filter((event) => this.accepts(being, id, event));
      return [...fired, ...reacted, ...free.flatMap((event) => this.take(state, id, event))];
    });
  }

  private ofScript(state: State): State[] {
    const asked = Object.entries(this.options.script ?? {}).flatMap(([id, events]) => {
      const event = events[state.asked[id]!];
      if (!event || !this.accepts(state.nodes[id]!, id, event)) return [];
      return this.take({ ...state, asked: { ...state.asked, [id]: state.asked[id]! + 1 } }, id, event);
    });
    const notified = (this.options.toggles ?? []).flatMap(([from, to, times], i) => {
      if (state.toggled[i] === times) return [];
      const up = !state.up[`${from} ${to}`];
      const flights = up ? state.flights : state.flights.filter((flight) => flight.from !== from || flight.to !== to);
      const toggled = state.toggled.with(i, state.toggled[i]! + 1);
      const changed = { ...state, flights, toggled, up: { ...state.up, [`${from} ${to}`]: up } };
      return this.take(changed, from, { type: up ? 'link.up' : 'link.down', peer: to } as Message);
    });
    return [...asked, ...notified];
  }

  /** Adjacent equal messages count once. */
  private ofFaults(state: State): State[] {
    const { flights, loss, duplicate } = state;
    const isFifo = this.options.order === 'fifo';
    const first = [...flights.keys()].filter((i) => {
      const before = flights
        .slice(0, i)
        .filter(({ from, to }) => !isFifo || (from === flights[i]!.from && to === flights[i]!.to));
      const texts = before.map((flight) => JSON.stringify(flight));
      return isFifo ? texts.at(-1) !== JSON.stringify(flights[i]) : !texts.includes(JSON.stringify(flights[i]));
    });
    const lost = loss > 0 ? first.map((i) => ({ ...state, loss: loss - 1, flights: flights.toSpliced(i, 1) })) : [];
    const duplicated =
      duplicate > 0 ? first.map((i) => ({ ...state, duplicate: duplicate - 1, flights: [...flights, flights[i]!] })) : [];
    return [...lost, ...duplicated];
  }

  private accepts(being: OracleNode, id: NodeId, event: Message): boolean {
    const node = this.revive(being, id);
    const accepts = node.accepts(this.protocol.route(event, node), event);
    node.stop();
    return accepts;
  }

  private take(state: State, id: NodeId, event: Message, role?: string): State[] {
    return this.stepped(state, id, state.nodes[id]!, (node, choose) =>
      node.step(role ?? this.protocol.route(event, node), event, choose),
    );
  }

  private revive({ view }: OracleNode, id: NodeId): Node {
    const node = new Node(id, this.host);
    node.restore(structuredClone(view));
    return node;
  }

  private stepped(
    state: State,
    id: NodeId,
    being: OracleNode,
    run: (node: Node, choose: (bound: number) => number) => ReturnType<Node['step']>,
  ): State[] {
    return [...everyDraw((choose) => this.outcome(state, id, being, run, choose), id)].map(({ value }) => value);
  }

  private outcome(
    state: State,
    id: NodeId,
    being: OracleNode,
    run: (node: Node, choose: (bound: number) => number) => ReturnType<Node['step']>,
    choose: (bound: number) => number,
  ): State {
    const node = this.revive(being, id);
    const flights = [...state.flights];
    const due = [...being.due];
    let timers = [...being.timers];
    const waiting = [() => run(node, choose)];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { sends, emitted, timers: orders, closed } = next();
      timers = timers.filter(([role]) => !closed.includes(role));
      for (const { role, timer, delay } of orders) {
        timers = timers.filter(([r, t]) => r !== role || t !== timer);
        if (delay !== null) timers.push([role, timer]);
      }
      for (const { to, message } of sends) {
        for (const address of Array.isArray(to) ? to : [to as Address]) {
          const isOpen = this.protocol.network.reach === 'routed' || address === id || state.up[`${id} ${address}`];
          if (isOpen) flights.push({ from: id, to: address as NodeId, message });
        }
      }
      for (const { type } of emitted) {
        this.reactions.forEach(({ on, after, event }, place) => {
          if (on !== type) return;
          if (after > 0) due.push(place);
          else waiting.push(() => node.step(this.protocol.route(event, node), event, choose));
        });
      }
    }
    const after: OracleNode = { view: structuredClone(node.view()), timers: timers.sort(), due: due.sort() };
    node.stop();
    return { ...state, flights, nodes: { ...state.nodes, [id]: after } };
  }
}
