/**
 * Registers as shipped, in a world that the test controls. It decides the order of messages, the holder of the lock, whether an earlier
 * holder has noticed its loss, the membership and which peers know it, and crashes and restarts.
 *
 * The value is the list of all changes, each of which adds its name. The last value therefore contains the order of all, and each result
 * has to be a prefix of it. A change also fills the value with text, so that it can be as long as a message or longer.
 */
import { Subject } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { byName } from '../../machines/locks/epoch.js';
import { firstMembership, type Membership } from '../../machines/locks/membership.js';
import { VirtualClock } from '../../network/clock.js';
import { Random } from '../../network/random.js';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { LostError } from '../transports/errors.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import type { Json } from '../transports/transport.js';
import { Lock } from './lock-handle.js';
import type { Locks } from './locks.js';
import { Register } from './register.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
type Value = { readonly names: readonly string[]; readonly fill: string };
const isValue = (value: unknown): value is Value => isObject(value) && Array.isArray(value['names']);

interface Life {
  readonly id: string;
  readonly medium: DriverListener;
  readonly register: Register<Value>;
  readonly notifications$: Subject<Message>;
  isUp: boolean;
  known: Membership;
}

interface PendingWrite {
  readonly life: Life;
  readonly grant: (lock: Lock) => void;
}

interface Change {
  readonly name: string;
  readonly called: number;
  returned?: { readonly at: number; readonly value: readonly string[] };
  /** The value before the first write. */
  isRefused?: true;
}

export class RegisterWorld {
  readonly changes: Change[] = [];
  readonly lives = new Map<string, Life>();
  private readonly clock = new VirtualClock();
  private readonly disks = new Map<string, Map<string, Json>>();
  private readonly lines = new Map<string, { readonly from: Life; readonly to: string; readonly message: Json }[]>();
  private readonly lists: Membership[];
  private pendingWrites: PendingWrite[] = [];
  private holders: { readonly life: Life; readonly lock: Lock; isHolding: boolean }[] = [];
  private fences = 0;
  private time = 0;
  /** Peers that are cut off: messages between them and the others are received after they are connected again. */
  apart: readonly string[] = [];

  constructor(
    readonly random: Random,
    private readonly first: readonly string[],
    private readonly all: readonly string[],
    readonly messageBytesMax: number = inProcessGuarantees.messageBytesMax,
  ) {
    this.lists = [firstMembership(first)];
    for (const id of all) this.disks.set(id, new Map());
    for (const id of first) this.start(id);
  }

  get decided(): Membership {
    return this.lists.at(-1)!;
  }

  start(id: string): void {
    const isFirst = this.first.includes(id);
    const life = { id, isUp: true, notifications$: new Subject<Message>() } as { -readonly [K in keyof Life]: Life[K] };
    life.known = this.lives.get(id)?.known ?? (isFirst ? this.lists[0]! : { version: 0, voters: [], origin: 0 });
    const transport = createTransport(id, { ...inProcessGuarantees, messageBytesMax: this.messageBytesMax }, (given) => {
      life.medium = given;
      given.opened({
        send: (to, message) => {
          if (life.isUp) this.line(id, to).push({ from: life, to, message: structuredClone(message) as Json });
        },
        close: () => {},
      });
    });
    void transport.connect();
    for (const peer of this.all) if (peer !== id) life.medium.up(peer);
    const disk = this.disks.get(id)!;
    const locks = {
      node: {
        id,
        name: 'locks',
        environment: {
          clock: this.clock,
          crypto: { getRandomValues: (words: Uint32Array) => words.fill(this.random.below(2 ** 32)) },
        },
        closed: new Promise(() => {}),
        ready: Promise.resolve(),
        notifications$: life.notifications$,
        notify: () => {},
        role: () => ({ context: { membership: life.known } }),
      },
      transport,
      peers: isFirst ? this.first : [],
      storage: {
        load: async (key: string) => disk.get(key),
        save: async (key: string, value: Json) => void (life.isUp && disk.set(key, structuredClone(value))),
      },
      served: Promise.resolve(0),
      isKeeper: true,
      registers: new Set(),
      request: () => {},
      close: () => {},
      acquire: () => new Promise<Lock>((grant) => this.pendingWrites.push({ life, grant })),
    };
    life.register = new Register<Value>(locks as unknown as Locks, 'x', { names: [], fill: '' }, isValue);
    this.lives.set(id, life);
  }

  crash(id: string): void {
    this.lives.get(id)!.isUp = false;
    this.pendingWrites = this.pendingWrites.filter(({ life }) => life.isUp);
    this.holders = this.holders.filter(({ life }) => life.isUp);
  }

  /** Changes the value at a peer that is a member, or was, as far as it knows. */
  change(id: string, fill = ''): void {
    if (this.lives.get(id)!.known.version === 0) return;
    const change: Change = { name: `${this.changes.length}`, called: this.time };
    this.changes.push(change);
    this.lives
      .get(id)!
      .register.change(({ names }) => ({ names: [...names, change.name], fill }))
      .then(
        ({ names }) => (change.returned = { at: this.time, value: names }),
        // Other errors: the change may count or not.
        (error: Error) => {
          if (error instanceof UsageError) change.isRefused = true;
        },
      );
  }

  /** Decides the next list, which only the peers know that the test notifies. */
  decide(voters: readonly string[]): void {
    this.lists.push({ ...this.decided, version: this.decided.version + 1, voters: voters.toSorted(byName) });
  }

  /** True if a peer has stored a written copy. */
  hasTrace(id: string): boolean {
    const { stored } = (this.disks.get(id)!.get('locks/x') ?? {}) as { stored?: { copy: { fence: number } | null } };
    return (stored?.copy?.fence ?? 0) > 0;
  }

  learn(id: string, version = this.decided.version): void {
    const life = this.lives.get(id)!;
    const list = this.lists[version - 1]!;
    if (list.version <= life.known.version) return;
    life.known = list;
    if (life.isUp) life.notifications$.next({ type: 'members' });
  }

  /** Grants the lock to a waiting peer. The present holder is notified at once, later or never. */
  grant(isNotified: boolean): void {
    if (this.pendingWrites.length === 0) return;
    const [{ life, grant }] = this.pendingWrites.splice(this.random.below(this.pendingWrites.length), 1) as [PendingWrite];
    if (isNotified) this.take();
    const holder = { life, isHolding: true } as (typeof this.holders)[number] & { lock: Lock };
    holder.lock = new Lock('x', ++this.fences, 'exclusive', () => {
      holder.isHolding = false;
      this.holders = this.holders.filter((other) => other !== holder);
    });
    this.holders.push(holder);
    grant(holder.lock);
  }

  /** Notifies all holders that the lock is lost. */
  take(): void {
    for (const { lock } of this.holders.splice(0)) lock.lose(new LostError('the lock was taken away'));
  }

  get isHeld(): boolean {
    return this.holders.length > 0;
  }

  /** Delivers the next message of some line. */
  deliver(): boolean {
    const waiting = [...this.lines.values()].filter(
      ([first]) => first && this.apart.includes(first.from.id) === this.apart.includes(first.to),
    );
    if (waiting.length === 0) return false;
    const { from, to, message } = this.random.pick(waiting).shift()!;
    const life = this.lives.get(to);
    if (life?.isUp) life.medium.received(from.id, message);
    return true;
  }

  pass(ms: number): void {
    this.clock.runUntil(this.clock.now() + ms);
  }

  async step(): Promise<void> {
    this.time++;
    await turn();
  }

  /** Ends all failures, with one holder of the lock, until all changes are done or this many steps have passed. */
  async settle(isDone: () => boolean, steps = 20_000): Promise<boolean> {
    this.take();
    this.apart = [];
    for (let i = 0; i < steps && !isDone(); i++) {
      if (!this.isHeld) this.grant(true);
      if (!this.deliver()) this.pass(100);
      await this.step();
    }
    return isDone();
  }

  private line(from: string, to: string) {
    const key = `${from} ${to}`;
    if (!this.lines.has(key)) this.lines.set(key, []);
    return this.lines.get(key)!;
  }
}

/** The mistake in the results, according to the final value; `null` for none. */
export function wrongOf(changes: readonly Change[], last: readonly string[]): string | null {
  if (new Set(last).size !== last.length) return `a change counts twice: ${last.join()}`;
  const counted = changes.find(({ name, isRefused }) => isRefused && last.includes(name));
  if (counted) return `${counted.name} was refused, and counts: ${last.join()}`;
  const returned = changes.filter((change) => change.returned);
  for (const { name, returned: answer } of returned)
    if (answer!.value.some((other, i) => other !== last[i]) || answer!.value.at(-1) !== name)
      return `${name} gave ${answer!.value.join()}, and at last there is ${last.join()}`;
  for (const before of returned)
    for (const { name, called, returned: answer } of returned)
      if (before.returned!.at < called && before.returned!.value.length >= answer!.value.length)
        return `${before.name} was over before ${name} was called, and comes after it: ${last.join()}`;
  return null;
}
