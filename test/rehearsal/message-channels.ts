/**
 * Message channels of a world: `MessageChannel` in one process, and `BroadcastChannel` between all processes, like tabs of a
 * browser.
 */
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

type Listener = (event: { readonly data: unknown }) => void;

/** Common part of both kinds of ports. Copies of messages arrive in order, each as a separate task. */
class Port {
  onmessage: Listener | null = null;
  private readonly listeners = new Set<Listener>();
  private isClosed = false;
  private last = 0;

  constructor(
    readonly world: VirtualWorld,
    readonly process: Process,
  ) {}

  addEventListener(type: string, listener: Listener): void {
    if (type === 'message') this.listeners.add(listener);
  }

  removeEventListener(_: string, listener: Listener): void {
    this.listeners.delete(listener);
  }

  start(): void {}

  close(): void {
    this.isClosed = true;
  }

  deliver(message: unknown): void {
    const { world, process } = this;
    const data = structuredClone(message);
    this.last = Math.max(this.last + 0.001, world.now + 0.01 + world.chance.unit() * 0.1);
    world.after(this.last - world.now, process, 'a port takes a message', () => {
      if (this.isClosed) return;
      this.onmessage?.({ data });
      for (const listener of this.listeners) listener({ data });
    });
  }
}

class ChannelPort extends Port {
  other: ChannelPort | undefined;

  postMessage(message: unknown): void {
    this.other?.deliver(message);
  }
}

/** The simulated `MessageChannel`. */
export class WorldChannel {
  readonly port1: ChannelPort;
  readonly port2: ChannelPort;

  constructor() {
    const { world, process } = here()!;
    this.port1 = new ChannelPort(world, process);
    this.port2 = new ChannelPort(world, process);
    [this.port1.other, this.port2.other] = [this.port2, this.port1];
  }
}

/** The simulated `BroadcastChannel`, between all processes of a world. */
export class BroadcastChannels {
  private readonly members = new Map<string, Set<Port>>();
  readonly Channel: new (name: string) => Port;

  constructor(world: VirtualWorld) {
    const { members } = this;
    this.Channel = class extends Port {
      readonly name: string;

      constructor(name: string) {
        const { process } = here()!;
        super(world, process);
        this.name = name;
        const all = members.get(name) ?? new Set();
        members.set(name, all.add(this));
        process.ending.add(() => this.close());
      }

      postMessage(message: unknown): void {
        for (const member of members.get(this.name)!) if (member !== this) member.deliver(message);
      }

      override close(): void {
        super.close();
        members.get(this.name)?.delete(this);
      }
    };
  }
}
