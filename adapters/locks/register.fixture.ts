/** The part of a peer's locks that a register uses, between peers that the test controls. */
import { Subject } from 'rxjs';
import type { Message } from '../../machines/effects.js';
import { hash } from '../../machines/hash.js';
import { BOUNDS, firstFence } from '../../machines/locks/epoch.js';
import { firstMembership, type Membership } from '../../machines/locks/membership.js';
import { VirtualClock } from '../../network/clock.js';
import type { PeerStorage } from '../storage/storage.js';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import type { Json } from '../transports/transport.js';
import { Lock } from './lock-handle.js';
import { Register } from './register.js';
import type { Locks } from './locks.js';

export interface Options {
  readonly peers?: readonly string[];
  readonly storage?: PeerStorage;
  /** The epoch that this peer has served first. @defaultValue 5 */
  readonly served?: Promise<number>;
  readonly isKeeper?: boolean;
  /** The number of fences of an epoch. @defaultValue as shipped */
  readonly grants?: number;
  /** The voters. @defaultValue the peers */
  readonly decided?: Membership;
}

/** The fence of the first grant. */
export const FIRST = firstFence(5, BOUNDS.grants) + 10;

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** The locks of peer `a`, as far as a register uses them. Locks are granted at once, with fences of epoch 5. */
export async function locksOf({
  peers = ['a', 'b', 'c'],
  storage,
  served = Promise.resolve(5),
  isKeeper = true,
  grants = BOUNDS.grants,
  decided = firstMembership(peers),
}: Options = {}) {
  let medium!: DriverListener;
  const sent: { to: string; name: string; message: any }[] = [];
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    given.opened({
      send: (to, envelope) => {
        const { name, message } = envelope as { name: string; message: Json };
        sent.push({ to, name, message });
      },
      close: () => {},
    });
  });
  await transport.connect();
  const clock = new VirtualClock();
  const granted: Lock[] = [];
  const asked: unknown[][] = [];
  const released: Lock[] = [];
  const notifications$ = new Subject<Message>();
  const notified: Message[] = [];
  let end!: (error: Error | null) => void;
  const crypto = { getRandomValues: (words: Uint32Array) => words.fill(70), randomUUID: () => '' };
  const locks = {
    node: {
      id: 'a',
      name: 'locks',
      environment: { clock, crypto },
      closed: new Promise((resolve) => (end = resolve)),
      ready: Promise.resolve(),
      notifications$,
      notify: (notification: Message) => void notified.push(notification),
      role: () => ({ context: { membership: decided, bounds: { ...BOUNDS, grants } } }),
    },
    transport,
    peers,
    get members() {
      return decided.voters;
    },
    storage,
    served,
    isKeeper,
    registers: new Set(),
    request: () => {},
    close: () => {},
    acquire: async (...given: unknown[]) => {
      asked.push(given);
      const lock = new Lock(given[0] as string, FIRST + granted.length, 'exclusive', (lock) => void released.push(lock));
      granted.push(lock);
      return lock;
    },
  };
  /** Changes the members, as this peer learns it. */
  const decide = (version: number, voters: readonly string[]) => {
    decided = { ...decided, version, voters };
    notifications$.next({ type: 'members' });
  };
  const sendText = (from: string, message: object, name = 'locks/x') => medium.received(from, { v: 1, name, message } as Json);
  return { locks: locks as unknown as Locks, medium, clock, sent, granted, asked, released, notified, end, sendText, decide };
}

export const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Register `x` of peer `a`, between peers that are up. */
export async function registerOf(options: Options = {}) {
  const all = await locksOf(options);
  for (const peer of ['b', 'c']) all.medium.up(peer);
  const register = new Register(all.locks, 'x', 0, isNumber);
  await turn();
  /** The last question to a peer. */
  const lastTo = (peer: string) => all.sent.filter(({ to }) => to === peer).at(-1)?.message;
  /** Answers the last question to a peer. */
  const answer = async (peer: string, reported: object) => {
    all.sendText(peer, { ...reported, number: lastTo(peer).number });
    await turn();
  };
  return { ...all, register, lastTo, answer };
}

/** The keepers without a change of the members, and the digest of the initial value. */
export const keepers = { version: 1, peers: ['a', 'b', 'c'] };
export const initial = hash('0');
export const copy = (fence: number, value: number) => ({ type: 'copy', copy: { fence, value, keepers } });
export const none = { type: 'copy', copy: null };
export const stored = { type: 'stored' };
