/**
 * Worlds as numbers: all of a state that is neither in a node nor in flight. How far the script has come, which channels are up, and
 * how many messages may still be lost or doubled.
 */
import type { LinksView } from '../../machines/protocol.js';
import type { LocalEvents } from './events.js';
import { Interner } from './interner.js';
import { lanesOf, type Entry, type Scripted } from './script.js';
import type { Packets } from './packets.js';
import type { System } from './system.js';

export interface Budget {
  /** How many messages may be lost, and how many may arrive twice. */
  readonly loss?: number;
  readonly duplicate?: number;
}

interface World {
  /** The next entry of each lane of the script. */
  readonly places: readonly number[];
  readonly up: readonly boolean[];
  readonly loss: number;
  readonly duplicate: number;
}

/** What the script lets happen next to a node. */
export interface Move {
  readonly entry: Entry;
  readonly next: number;
  /** The channel that goes down with it, -1 for none. */
  readonly purged: number;
}

export class Worlds {
  readonly initial: number;
  /** Whether nothing ever happens by itself: there is one world. */
  readonly still: boolean;
  /** Whether channels matter: messages go to neighbours only. */
  private readonly linked: boolean;
  private readonly lanes: readonly (readonly Entry[])[];
  private readonly interned = new Interner<World>();
  private readonly movesIn: (readonly Move[] | undefined)[] = [];

  constructor(
    private readonly system: System,
    script: readonly Scripted[],
    { loss = 0, duplicate = 0 }: Budget,
    events: LocalEvents,
    private readonly packets: Packets,
  ) {
    const { protocol, setup, nodes } = system;
    this.linked = protocol.network.reach === 'links';
    this.lanes = lanesOf(script, system, events);
    this.still = this.lanes.length + loss + duplicate === 0;
    const up = Array.from<boolean>({ length: nodes.length ** 2 }).fill(false);
    for (const [u, v] of setup.topology.links) {
      const [i, j] = [setup.rank(u), setup.rank(v)];
      up[i * nodes.length + j] = up[j * nodes.length + i] = true;
    }
    for (const i of nodes.keys()) up[i * nodes.length + i] = true;
    this.initial = this.intern({ places: this.lanes.map(() => 0), up, loss, duplicate });
  }

  get size(): number {
    return this.interned.size;
  }

  moves(world: number): readonly Move[] {
    return (this.movesIn[world] ??= this.findMoves(this.get(world)));
  }

  /** What becomes of a message sent in this world: a packet, or -1 where its channel is down. */
  packet(world: number, packet: number): number {
    return !this.linked || this.get(world).up[this.packets.channel.data[packet]!] ? packet : -1;
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
    const { up } = this.get(world);
    const { nodes, setup } = this.system;
    const isUp = (i: number, j: number) => i !== j && (up[i * nodes.length + j] ?? false);
    return {
      up: (from, to) => isUp(setup.rank(from), setup.rank(to)),
      neighbours: (node) => nodes.filter((_, peer) => isUp(setup.rank(node), peer)),
      port: () => 0,
    };
  }

  /** Whether the script has come to its end. */
  isOver(world: number): boolean {
    return this.get(world).places.every((place, lane) => place === this.lanes[lane]!.length);
  }

  private get(world: number): World {
    return this.interned.all[world]!;
  }

  private findMoves(world: World): readonly Move[] {
    return this.lanes.flatMap((lane, i) => {
      const entry = lane[world.places[i]!];
      if (!entry) return [];
      const { channel, up } = entry;
      const places = world.places.with(i, world.places[i]! + 1);
      const links = channel === undefined ? world.up : world.up.with(channel, up!);
      const next = this.intern({ ...world, places, up: links });
      return [{ entry, next, purged: channel !== undefined && !up ? channel : -1 }];
    });
  }

  /** A notice that would tell nothing new is not given: the script goes on without it. */
  private intern(world: World): number {
    const isStale = (entry: Entry | undefined) => entry?.channel !== undefined && world.up[entry.channel] === entry.up;
    const places = world.places.map((place, lane) => {
      while (isStale(this.lanes[lane]![place])) place++;
      return place;
    });
    const key = `${places.join()} ${world.up.map(Number).join('')} ${world.loss} ${world.duplicate}`;
    return this.interned.intern(key, () => ({ ...world, places }));
  }
}
