/**
 * Lists of peers that do not fit together, and changes of members that others overtake. The test replaces the node and sends its notices.
 */
import { Subject } from 'rxjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Message, NodeId } from '../../machines/effects.js';
import { firstMembership, OF_ALL_PRESENT, type Membership } from '../../machines/locks/membership.js';
import type { LiveNode } from '../node/node.js';
import { explainAbsence } from '../transports/absence.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { noteLinkedPeers } from '../transports/linked-peers.js';
import type { Linked, Transport } from '../transports/transport.js';
import type { LocksOptions } from './locks-options.js';
import { clientNamed, firstPeersOf, Members, shorterList, type Moving } from './members.js';

const three = ['a', 'b', 'c'];

const transportOf = (messageBytesMax = inProcessGuarantees.messageBytesMax, peers: readonly NodeId[] = []) =>
  ({ id: 'a', guarantees: { ...inProcessGuarantees, messageBytesMax }, peers: new Set(peers) }) as unknown as Transport<Linked>;

describe('the peers with which a cluster begins', () => {
  const firstOf = (options: Partial<LocksOptions>) => firstPeersOf({ transport: transportOf(), ...options });
  const linkedWith = (...peers: NodeId[]) => {
    const transport = transportOf();
    noteLinkedPeers(transport, peers);
    return transport;
  };

  test('a client that is listed among those who vote is refused', () => {
    expect(() => firstOf({ peers: three, client: true })).toThrow(
      'client "a" is among the peers a, b, c, which vote. Pass a unique id, or remove client: true',
    );
  });

  test('the error about an unlisted peer contains the whole list', () => {
    expect(() => firstOf({ peers: ['b', 'c'] })).toThrow('peer "a" is not among the peers b, c. List it,');
  });

  test('a list for which messages have no room is refused', () => {
    expect(() => firstOf({ peers: three, transport: transportOf(160) })).toThrow(
      'a list of 3 voters with ids of this length is too long for peer "a": a sixteenth of its largest message, 10 bytes as JSON, and 8192 ' +
        'voters are the limit. Use shorter ids, fewer voters or a transport with larger messages. Nothing has changed',
    );
    expect(firstOf({ peers: three, transport: transportOf(16 * '["a","b","c"]'.length) })).toBe(three);
  });

  test('listed peers without a link are named', () => {
    expect(() => firstOf({ peers: [...three, 'd'], transport: linkedWith('b', 'x') })).toThrow(
      'the transport of peer "a" is linked with b, x, and not with c, d of the peers of these locks. List every possible peer in linked(transport, { peers })',
    );
    expect(firstOf({ peers: three, transport: linkedWith('b', 'c') })).toBe(three);
  });

  test('a client has to be linked with a voter', () => {
    const peers = ['b', 'c'];
    expect(firstOf({ peers, client: true, transport: linkedWith('x', 'c') })).toBe(peers);
    expect(() => firstOf({ peers, client: true, transport: linkedWith('x') })).toThrow('is linked with x, and not with b, c');
  });
});

interface Known {
  readonly membership?: Membership;
  readonly clients?: readonly NodeId[];
  readonly state?: string;
  readonly transport?: Transport<Linked>;
  readonly first?: readonly NodeId[];
  readonly registers?: readonly Moving[];
  /** A client knows its host, and no list. */
  readonly host?: NodeId;
}

/** Peer `a` with its knowledge of the cluster. */
function peer({ membership = firstMembership(three), clients = [], state = 'serving', host, ...others }: Known = {}) {
  const { transport = transportOf(undefined, ['b', 'c', 'd']), first = three, registers = [] } = others;
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const notifications$ = new Subject<Message>();
  const steps$ = new Subject<void>();
  let end!: (error: Error | null) => void;
  const standing = { membership, served: { membership, members: [] }, clients: clients.map((node) => ({ node })), id: 'a' };
  const role = { value: state, context: host ? { host, membership } : standing };
  const asked: object[] = [];
  const node = {
    id: 'a',
    name: 'locks',
    ready: Promise.resolve(),
    closed: new Promise<Error | null>((resolve) => (end = resolve)),
    notifications$,
    steps$,
    role: () => role,
    notify: () => {},
    fail: () => {},
    attempt: (_: string, change: object) => (asked.push(change), true),
  } as unknown as LiveNode;
  const members = new Members(node, transport, first, new Set(registers));
  const notify = (notification: object) => notifications$.next(notification as Message);
  /** Announces new voters. */
  const decide = (voters: readonly NodeId[]) => {
    standing.membership = { ...standing.membership, version: standing.membership.version + 1, voters };
    notify({ type: 'members', version: standing.membership.version, voters });
  };
  const change = async (add: NodeId | null, remove: NodeId | null) => members.change({ add, remove });
  /** The change that is requested now. */
  const wanted = async (add: NodeId | null, remove: NodeId | null) => {
    const settling: unknown[] = [];
    const decided = change(add, remove);
    decided.then(
      (voters) => settling.push(voters),
      () => {},
    );
    await vi.waitFor(() => expect(asked).toContainEqual({ add, remove }));
    return { decided, settling };
  };
  return {
    node,
    members,
    notifications$,
    steps$,
    standing,
    notify,
    decide,
    change,
    wanted,
    end,
    warned: () => warn.mock.calls.flat(),
  };
}

describe('messages about lists', () => {
  test('a client that was added to the members: by which peer, and the remedy', () => {
    expect(clientNamed(peer().node, 'b').message).toBe(
      'client "a" was added to the members of "locks", as "b" reports, and a client does not vote. Start it with join: true, or remove it with ' +
        'locks.removeMember',
    );
  });

  test('a list that lacks a stored voter is refused, unless the cluster began with it', () => {
    const { node } = peer({ membership: { ...firstMembership(three), version: 2, voters: ['a', 'b', 'd', 'e'] } });
    expect(shorterList(node, ['b', 'a'])?.message).toBe(
      'peer "a" was given the peers a, b for "locks", and has stored that a, b, d, e vote. Pass the original list of peers. ' +
        'If d, e must leave, call locks.removeMember',
    );
    for (const peers of [three, ['a', 'b', 'd', 'e'], []]) expect(shorterList(node, peers)).toBe(null);
    expect(shorterList({ role: () => undefined } as unknown as LiveNode, ['a'])).toBe(null);
  });

  test('a serving peer with names that do not vote warns once', () => {
    const { notify, warned } = peer({ first: [...three, 'd', 'e'] });
    notify({ type: 'serving' });
    notify({ type: 'serving' });
    expect(warned()).toEqual([
      'peer "a" was given the peers a, b, c, d, e for "locks", of which d, e do not vote: a, b, c do, by decision of the cluster. Pass the original ' +
        'list of peers, and call addMember for each new voter',
    ]);
  });

  test('a client does not warn about the list that it was given', () => {
    const { notify, warned } = peer({ host: 'b' });
    notify({ type: 'serving' });
    expect(warned()).toEqual([]);
  });

  const differs = (id: NodeId) => ({ type: 'differs', peer: id, own: firstMembership(three), theirs: firstMembership([id]) });

  test('a serving peer reports a peer with another list once', () => {
    const { notify, warned } = peer();
    for (const id of ['x', 'y', 'x']) notify(differs(id));
    const warning = (id: NodeId) =>
      `peer "${id}" was started with the peers ${id} for "locks", and "a" with a, b, c. Start both with the original list of peers, ` +
      'and later peers with join: true; both may grant the same locks';
    expect(warned()).toEqual([warning('x'), warning('y')]);
  });

  test('a peer that does not serve grants nothing, and reports no peer', () => {
    const { notify, warned } = peer({ state: 'preparing' });
    notify(differs('x'));
    expect(warned()).toEqual([]);
  });
});

describe('a change is refused', () => {
  test('with invalid options', async () => {
    await expect(peer().members.change({ add: 'd', remove: null }, { signal: 1 } as never)).rejects.toThrow(
      'a change of members: signal is 1',
    );
  });

  test('among tabs', async () => {
    await expect(peer({ membership: OF_ALL_PRESENT, first: [] }).change('d', null)).rejects.toThrow(
      'the members of "locks" are the open tabs, which no call can change. Open or close a tab instead',
    );
  });

  test('by a peer that does not know the members yet', async () => {
    const joining = peer({ membership: { version: 0, voters: [], origin: 0 }, first: [] });
    await expect(joining.change('d', null)).rejects.toThrow('peer "a" is not a member of "locks". Call one of the members');
  });

  test('for a peer that is not connected, with the known reason', async () => {
    const transport = transportOf();
    await expect(peer({ transport }).change('d', null)).rejects.toThrow(
      'peer "d" is not connected with "a". Start it with join: true before it is added',
    );
    explainAbsence(transport, (id) => `nobody has heard of ${id}`);
    await expect(peer({ transport }).change('d', null)).rejects.toThrow(
      'peer "d" is not connected with "a" (nobody has heard of d). Start it with join: true before it is added',
    );
  });

  test('for a client', async () => {
    await expect(peer({ clients: ['d'] }).change('d', null)).rejects.toThrow(
      '"d" is a client of "locks", and does not vote. Close it, and start it with join: true before it is added',
    );
  });

  test('if the resulting list does not fit into messages', async () => {
    const transport = transportOf(16 * '["a","b","c"]'.length, ['d']);
    await expect(peer({ transport }).change('d', null)).rejects.toThrow('a list of 4 voters with ids of this length is too long');
  });

  test('for a peer that never voted, if every list since the first is known', async () => {
    const later = { ...firstMembership(three), version: 2, voters: ['a', 'b'] };
    await expect(peer({ membership: later }).change(null, 'x')).rejects.toThrow(
      '"x" is not a member of "locks" and never was one',
    );
    // A list that it was given does not count if another cluster has accepted it.
    expect(await peer({ membership: later, first: ['a', 'z'] }).change(null, 'x')).toEqual(['a', 'b']);
  });
});

describe('a requested change', () => {
  test.each([
    ['the last member by another one', { membership: firstMembership(['a']), first: ['a'] }, 'd', 'a'],
    ['a member by the caller', {}, 'a', 'b'],
  ] as const)('may replace %s', async (_, known, add, remove) => {
    await expect(peer(known).wanted(add, remove)).resolves.toBeDefined();
  });

  test('may remove a voter from a list that does not fit', async () => {
    const { wanted, decide } = peer({ transport: transportOf(16) });
    const { decided } = await wanted(null, 'c');
    decide(['a', 'b']);
    expect(await decided).toEqual(['a', 'b']);
  });

  test('ends when it is decided and registers have moved, and stops listening', async () => {
    let move!: () => void;
    const moved = vi.fn(() => new Promise<void>((resolve) => (move = resolve)));
    const { wanted, decide, notify, steps$ } = peer({ registers: [{ moved }] });
    const { decided, settling } = await wanted('d', null);
    expect(steps$.observed).toBe(true);
    notify({ type: 'granted' });
    decide(['a', 'b']);
    decide(['a', 'b', 'd']);
    await vi.waitFor(() => expect(moved).toHaveBeenCalled());
    expect([settling, steps$.observed]).toEqual([[], false]);
    move();
    expect(await decided).toEqual(['a', 'b', 'd']);
  });

  test('ends as well when a peer serves again and finds it decided', async () => {
    const { wanted, standing, notify } = peer();
    const { decided } = await wanted(null, 'c');
    standing.membership = { ...standing.membership, version: 2, voters: ['a', 'b'] };
    notify({ type: 'serving' });
    expect(await decided).toEqual(['a', 'b']);
  });

  test('is not ended by any other notification', async () => {
    const { wanted, standing, notify, decide } = peer();
    const { decided } = await wanted(null, 'c');
    standing.membership = { ...standing.membership, version: 2, voters: ['b'] };
    notify({ type: 'granted' });
    decide(['a', 'b']);
    expect(await decided).toEqual(['a', 'b']);
  });

  test('is refused if the caller is removed first', async () => {
    const { wanted, decide } = peer();
    const { decided } = await wanted('d', null);
    decide(['b', 'c']);
    await expect(decided).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'peer "a" was removed before its change was decided. Call another member',
    });
  });

  test('is refused if another change takes its room', async () => {
    const { wanted, decide } = peer({ transport: transportOf(16 * '["a","b","c","d"]'.length, ['d']) });
    const { decided } = await wanted('d', null);
    decide([...three, 'x']);
    await expect(decided).rejects.toThrow('a list of 5 voters with ids of this length is too long');
  });

  test('ends with the locks', async () => {
    const { wanted, end } = peer();
    const { decided } = await wanted('d', null);
    end(null);
    await expect(decided).rejects.toThrow('the locks of peer "a" are closed');
  });
});
