/**
 * Worlds as numbers: all of a state that is neither in a node nor in flight. How far the script and the workload have come, which
 * channels are up, and how many messages may still be lost or doubled.
 */
import type { LinksView } from '../../machines/protocol.js';
import type { Workload } from '../../network/scenario/types.js';
import { channelsAtStart, DOWN, joined, linksView, type Channels } from './channels.js';
import { Demand } from './demand.js';
import type { LocalEvents } from './events.js';
import { PairMap } from './ints.js';
import { Interner } from './interner.js';
import type { Letters } from './letters.js';
import { lanesOf, linkEvent, type Entry, type Scripted } from './script.js';
import type { System } from './system.js';

export interface Budget {
  /** How many messages may be lost, and how many may arrive twice; `Infinity` for any number. */
  readonly loss?: number;
  readonly duplicate?: number;
}

/** What the world around the nodes may do. */
export interface Surroundings {
  readonly script: readonly Scripted[];
  readonly workload: Workload | undefined;
  readonly faults: Budget;
  /** Whether an event of the script waits until the network has come to rest after the one before. */
  readonly oneByOne: boolean;
}

interface World {
  /** The next entry of each lane of the script. */
  readonly places: readonly number[];
  readonly channels: Channels;
  /** Nodes that have crashed and not yet come back. */
  readonly crashed: readonly number[];
  readonly loss: number;
  readonly duplicate: number;
  /** Commands that the workload has issued, and the nodes at which one of them is under way. */
  readonly issued: number;
  readonly underWay: readonly number[];
}

/** What may happen next by the script or the workload. */
export interface Move {
  readonly entry: Entry;
  /** Whom it is told, in this order, as what event. */
  readonly told: readonly { readonly node: number; readonly event: number }[];
  readonly next: number;
  /** The channels that go down with it. */
  readonly purged: readonly number[];
}

export class Worlds {
  readonly initial: number;
  /** Whether nothing ever happens by itself: there is one world. */
  readonly still: boolean;
  readonly lanes: readonly (readonly Entry[])[];
  private readonly demand: Demand | undefined;
  private readonly interned = new Interner<World>();
  private readonly movesIn: (readonly Move[] | undefined)[] = [];
  /** Whether a workload waits for what it has asked. */
  readonly isDemanding: boolean;
  /** Whether every message reaches its channel's end: none is ever down. */
  readonly isRouted: boolean;
  private readonly oneByOne: boolean;
  private readonly served = new PairMap();
  private readonly posted = new PairMap();

  constructor(
    private readonly system: System,
    { script, workload, faults, oneByOne }: Surroundings,
    private readonly events: LocalEvents,
    private readonly letters: Letters,
  ) {
    const { loss = 0, duplicate = 0 } = faults;
    this.lanes = lanesOf(script, system, events);
    this.oneByOne = oneByOne;
    this.demand = workload && new Demand(workload, system, events);
    this.isDemanding = workload !== undefined;
    this.isRouted = letters.isRouted;
    this.still = this.lanes.length + loss + duplicate === 0 && !workload;
    const channels = channelsAtStart(system);
    const places = this.lanes.map(() => 0);
    this.initial = this.intern({ places, channels, crashed: [], loss, duplicate, issued: 0, underWay: [] });
  }

  get size(): number {
    return this.interned.size;
  }

  moves(world: number): readonly Move[] {
    return (this.movesIn[world] ??= this.findMoves(this.get(world)));
  }

  /** Whether a move need not wait: not for an event before it, and, unless its own event has begun, not for what is in flight. */
  mayBegin(world: number, { place }: Entry, atRest: boolean): boolean {
    if (!this.oneByOne) return true;
    const { places } = this.get(world);
    const isBehind = this.lanes.some((lane, i) => lane[places[i]!] !== undefined && lane[places[i]!]!.place < place);
    const hasBegun = this.lanes.some((lane, i) => lane.slice(0, places[i]).some((entry) => entry.place === place));
    return !isBehind && (hasBegun || atRest);
  }

  /** Nodes that have crashed: what arrives there is lost, and nothing happens by itself. */
  crashed(world: number): readonly number[] {
    return this.get(world).crashed;
  }

  isCrashed(world: number, node: number): boolean {
    return this.crashed(world).includes(node);
  }

  /** What becomes of a letter sent in this world: a packet, or -1 where no channel takes it. */
  packet(world: number, letter: number): number {
    if (this.isRouted) return letter;
    const known = this.posted.get(world, letter);
    if (known !== -1) return known - 1;
    const packet = this.letters.post(letter, this.get(world).channels);
    this.posted.set(world, letter, packet + 1);
    return packet;
  }

  /** The world once a node has announced this; a command of the workload may be done. */
  after(world: number, node: number, announced: readonly { readonly type: string }[]): number {
    const { underWay } = this.get(world);
    const isDone = announced.some(({ type }) => this.demand?.completedBy.includes(type));
    if (!isDone || !underWay.includes(node)) return world;
    const known = this.served.get(world, node);
    if (known !== -1) return known;
    const next = this.intern({ ...this.get(world), underWay: underWay.filter((other) => other !== node) });
    this.served.set(world, node, next);
    return next;
  }

  /** The world in which one message less may be lost, -1 when none may. */
  afterLoss(world: number): number {
    const { loss } = this.get(world);
    return loss === 0 ? -1 : this.intern({ ...this.get(world), loss: loss - 1 });
  }

  afterDouble(world: number): number {
    const { duplicate } = this.get(world);
    return duplicate === 0 ? -1 : this.intern({ ...this.get(world), duplicate: duplicate - 1 });
  }

  links(world: number): LinksView {
    return linksView(this.get(world).channels, this.system);
  }

  channels(world: number): Channels {
    return this.get(world).channels;
  }

  /** The ends of the links that may yet change by the script. */
  changing(world: number): readonly (readonly [number, number])[] {
    const size = this.system.nodes.length;
    const left = this.lanes.flatMap((lane, i) => lane.slice(this.get(world).places[i]));
    return left.flatMap((entry) => {
      if (entry.kind === 'link') return [entry.ends];
      return entry.kind === 'notice' ? [[entry.node, entry.channel % size] as const] : [];
    });
  }

  /** Whether what one node does may decide what the network or the workload does next. */
  isUnsettled(world: number): boolean {
    const { loss, duplicate, issued, places } = this.get(world);
    const mayCorrupt = this.lanes.some((lane, i) => lane[places[i]!]?.kind === 'corrupt');
    return mayCorrupt || loss + duplicate > 0 || issued < (this.demand?.total ?? 0);
  }

  /** Whether the nodes of the script or the workload have their turns in an order. */
  get takesTurns(): boolean {
    return this.oneByOne || (this.demand?.takesTurns ?? false);
  }

  /** The world once nodes have changed places, and the lanes of the script with them. */
  image(world: number, to: readonly number[], toLane: readonly number[]): number {
    const { channels, crashed, underWay, places, ...rest } = this.get(world);
    const size = to.length;
    const moved = [...channels];
    channels.forEach((port, i) => (moved[to[Math.floor(i / size)]! * size + to[i % size]!] = port));
    const placesThere = [...places];
    places.forEach((place, lane) => (placesThere[toLane[lane]!] = place));
    const there = (nodes: readonly number[]) => nodes.map((node) => to[node]!).sort((a, b) => a - b);
    return this.intern({ ...rest, channels: moved, crashed: there(crashed), underWay: there(underWay), places: placesThere });
  }

  /** Whether all that was to be asked has been asked and served. */
  isOver(world: number): boolean {
    const { places, issued, underWay } = this.get(world);
    const isRead = places.every((place, lane) => place === this.lanes[lane]!.length);
    return isRead && issued === (this.demand?.total ?? 0) && underWay.length === 0;
  }

  private get(world: number): World {
    return this.interned.all[world]!;
  }

  private findMoves(world: World): readonly Move[] {
    const isUp = ({ node }: { readonly node: number }) => !world.crashed.includes(node);
    const moves = [...this.movesOfScript(world), ...this.movesOfWorkload(world)];
    return moves
      .filter(({ entry }) => entry.kind !== 'command' || !entry.waits || isUp(entry))
      .map((move) => ({ ...move, told: move.told.filter(isUp) }));
  }

  private movesOfScript(world: World): readonly Move[] {
    return this.lanes.flatMap((lane, i) => {
      const entry = lane[world.places[i]!];
      if (!entry) return [];
      const places = world.places.with(i, world.places[i]! + 1);
      switch (entry.kind) {
        case 'command':
          return [{ entry, told: [entry], next: this.intern({ ...world, places }), purged: [] }];
        case 'notice': {
          const channels = world.channels.with(entry.channel, entry.up ? 0 : DOWN);
          return [
            { entry, told: [entry], next: this.intern({ ...world, places, channels }), purged: entry.up ? [] : [entry.channel] },
          ];
        }
        case 'power': {
          const others = world.crashed.filter((node) => node !== entry.node);
          const crashed = entry.up ? others : [...others, entry.node].sort((a, b) => a - b);
          return [{ entry, told: [], next: this.intern({ ...world, places, crashed }), purged: [] }];
        }
        case 'corrupt': {
          const size = this.system.nodes.length;
          const purged = entry.nodes.flatMap((from) => entry.nodes.map((to) => from * size + to));
          return [{ entry, told: [], next: this.intern({ ...world, places }), purged }];
        }
        case 'link':
          return [this.moveOfLink(entry, { ...world, places })];
      }
    });
  }

  private moveOfLink(entry: Entry & { kind: 'link' }, world: World): Move {
    const { ends, up, ports } = entry;
    const [u, v] = ends;
    const size = this.system.nodes.length;
    const both = [u * size + v, v * size + u];
    const channels = up
      ? joined(world.channels, this.system, u, v, ports)
      : both.reduce((all, one) => all.with(one, DOWN), world.channels);
    const known = up ? channels : world.channels;
    const told = ends.map((node, i) => {
      const event = this.events.intern({ node, kind: 'link', event: linkEvent(up, known[both[i]!]!) });
      return { node, event };
    });
    return { entry, told, next: this.intern({ ...world, channels }), purged: up ? [] : both };
  }

  private movesOfWorkload(world: World): readonly Move[] {
    const { issued, underWay } = world;
    return (this.demand?.next(issued, underWay) ?? []).map((entry) => {
      const next = { ...world, issued: issued + 1, underWay: [...underWay, entry.node].sort((a, b) => a - b) };
      return { entry, told: [entry], next: this.intern(next), purged: [] };
    });
  }

  /** A notice that would tell nothing new is not given: the script goes on without it. */
  private intern(world: World): number {
    const places = world.places.map((place, lane) => {
      while (this.isStale(this.lanes[lane]![place], world.channels)) place++;
      return place;
    });
    const { channels, crashed, loss, duplicate, issued, underWay } = world;
    const key = `${places.join()} ${channels.join()} ${crashed.join()} ${loss} ${duplicate} ${issued} ${underWay.join()}`;
    return this.interned.intern(key, () => ({ ...world, places }));
  }

  private isStale(entry: Entry | undefined, channels: Channels): boolean {
    if (entry?.kind === 'notice') return (channels[entry.channel] !== DOWN) === entry.up;
    if (entry?.kind !== 'link') return false;
    const [u, v] = entry.ends;
    return (channels[u * this.system.nodes.length + v] !== DOWN) === entry.up;
  }
}
