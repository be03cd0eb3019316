/** The reason of missing service in each state of a peer, with a node, a transport and a clock that the test controls. */
import { Subject } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import { firstMembership, NO_MEMBERSHIP, OF_ALL_PRESENT, type Membership } from '../../machines/locks/membership.js';
import { VirtualClock } from '../../network/clock.js';
import type { LiveNode } from '../node/node.js';
import { explainAbsence } from '../transports/absence.js';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { noteLinkedPeers } from '../transports/linked-peers.js';
import type { Transport, TransportEvent } from '../transports/transport.js';
import type { LocksStatus } from './locks-status.js';
import { warnOfEnd, warnWhenUnserved } from './unserved.js';

const three = firstMembership(['a', 'b', 'c']);
const later = (voters: readonly string[]): Membership => ({ ...three, version: 2, voters });

/** Peer `a`; `missing` are the peers that it does not reach. */
function peer(context: object = {}, missing: readonly string[] = ['b', 'c']) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const clock = new VirtualClock();
  const steps$ = new Subject<void>();
  const standing = {
    id: 'a',
    memory: 'forgotten',
    membership: three,
    served: { epoch: 3, members: [], membership: NO_MEMBERSHIP },
    links: [],
  };
  const role = {
    value: 'apart' as unknown,
    context: { ...standing, promised: null, pending: [], differing: [], ...context },
  };
  const notices: object[] = [];
  const node = Object.assign(new EventTarget(), {
    id: 'a',
    name: 'mine',
    steps$,
    environment: { clock },
    isThere: true,
    role: (name: string) => (node.isThere && name === EPOCHS ? role : undefined),
    notify: (notification: object) => void notices.push(notification),
  });
  const peers = new Set<string>();
  const events = new Subject<TransportEvent>();
  const transport = { id: 'a', guarantees: inProcessGuarantees, peers, events } as unknown as Transport & { peers: Set<string> };
  const watch = () =>
    warnWhenUnserved(node as unknown as LiveNode, transport, ['b', 'c'], () => ({ missing }) as unknown as LocksStatus);
  const pass = (ms: number) => clock.runUntil(clock.now() + ms);
  const becomes = (value: unknown) => {
    role.value = value;
    steps$.next();
  };
  const receives = (type: string, detail: object) => node.dispatchEvent(new CustomEvent(type, { detail }));
  const warnings = () =>
    warn.mock.calls.map(([text]) => (text as string).replace('"mine" of peer "a" has granted no locks for 10 s: ', ''));
  /** The reason after ten seconds. */
  const why = () => {
    watch();
    pass(10_000);
    return warnings().at(-1);
  };
  return { node, transport, watch, pass, becomes, receives, warnings, notices, why, end: () => steps$.complete() };
}

test('it is reported once, ten seconds after the last service, and again later', () => {
  const { watch, pass, becomes, warnings, notices, end } = peer();
  watch();
  pass(9_999);
  expect(warnings()).toEqual([]);
  pass(1);
  expect([warnings().length, notices]).toEqual([1, [{ type: 'unserved', ms: 10_000, missing: ['b', 'c'] }]]);
  becomes({ following: {} });
  pass(60_000);
  expect(warnings()).toHaveLength(1);
  becomes({ serving: {} });
  pass(60_000);
  becomes('apart');
  pass(9_000);
  // In time.
  becomes('attached');
  pass(60_000);
  expect(warnings()).toHaveLength(1);
  becomes('apart');
  pass(10_000);
  expect(warnings()).toHaveLength(2);
  becomes('serving');
  becomes('apart');
  end();
  pass(60_000);
  expect(warnings()).toHaveLength(2);
});

test('a peer without a connection reports that', () => {
  const { node, why } = peer();
  node.isThere = false;
  expect(why()).toBe('its transport is not connected');
});

test('unreasonable numbers are reported once, and are the reason until the peer serves', () => {
  const { receives, pass, becomes, warnings, watch } = peer();
  watch();
  const reason =
    'its epochs\' numbers (900) and those here (4) are more than a year apart. See the page "Operating locks", section "Numbers that differ too much"';
  receives('unreasonable', { peer: 'b', epoch: 900, known: 4 });
  receives('unreasonable', { peer: 'b', epoch: 901, known: 5 });
  expect(warnings()).toEqual([`"mine" of peer "a" ignores "b": ${reason}`]);
  pass(10_000);
  expect(warnings().at(-1)).toBe(`it does not reach b, c (b: ${reason}), and a majority of the peers has to be connected`);
  receives('serving', { members: ['a', 'b'] });
  becomes('serving');
  becomes('apart');
  pass(10_000);
  expect(warnings().at(-1)).toBe('it does not reach b, c, and a majority of the peers has to be connected');
});

test('an open tab does not answer', () => {
  expect(peer({ membership: OF_ALL_PRESENT }).why()).toBe('an open tab does not answer. Close it, or end its debugger');
});

test('another list comes first, of peers that have not come back with this one', () => {
  const differing = [
    { node: 'b', hasGivenWay: false },
    { node: 'c', hasGivenWay: true },
    { node: 'd', hasGivenWay: false },
  ];
  expect(peer({ differing }).why()).toBe(
    'the list of peers at "b", "d" differs from a, b, c. Restart all peers with the same list',
  );
});

test('a peer that is not a member: the members to ask, and the known reasons', () => {
  const among = peer({ membership: firstMembership(['b', 'c']), links: ['b'] }, ['c']);
  explainAbsence(among.transport, (other) => (other === 'c' ? 'its hub is away' : null));
  expect(among.why()).toBe(
    'it is not a member (c: its hub is away). Call addMember("a") on one of b, c, which must list it in the peers of linked',
  );
  const alone = peer({ membership: NO_MEMBERSHIP, links: ['b'] }, []);
  noteLinkedPeers(alone.transport, ['a', 'b', 'c']);
  explainAbsence(alone.transport, (other) => `${other} is asleep`);
  expect(alone.why()).toBe(
    'it is not a member (c: c is asleep). Call addMember("a") on a member, which must list it in the peers of linked',
  );
  const unlisted = peer({ membership: NO_MEMBERSHIP, links: ['b'] }, []);
  for (const other of ['b', 'c']) unlisted.transport.peers.add(other);
  expect(unlisted.why()).toContain('it is not a member (c: connected, without "mine"');
});

test('a removed peer: that it was removed, and not only that it is not a member', () => {
  const removed = peer(
    { membership: later(['b', 'c']), served: { epoch: 3, members: ['a', 'b', 'c'], membership: three }, links: ['b', 'c'] },
    [],
  );
  expect(removed.why()).toBe(
    'it was removed from the members. Close it, or call addMember("a") on one of b, c, which must list it in the peers of linked',
  );
});

test('an unknown peer gets the advice to join, unless it has served or is connected', () => {
  const never = { served: { epoch: 0, members: [] } };
  const tooFew = ', and a majority of the peers has to be connected';
  expect(peer(never).why()).toBe(
    `it does not reach b, c${tooFew}; if they already serve without "a", name it in the peers of linked there, ` +
      'start it with join: true and call addMember("a") on one of them',
  );
  expect(peer().why()).toBe(`it does not reach b, c${tooFew}`);
  expect(peer({ ...never, membership: firstMembership(['a', 'b', 'c', 'd']) }, ['b', 'c']).why()).toBe(
    `it does not reach b, c${tooFew}`,
  );
  expect(peer({ ...never, membership: firstMembership(['a', 'b', 'c', 'd', 'e']) }, ['b', 'c', 'd']).why()).toBe(
    `it does not reach b, c, d${tooFew}`,
  );
});

test('a majority that has forgotten waits for all; any other compares the status', () => {
  expect(peer({}, ['c']).why()).toBe(
    'it does not reach c, and peers without storage begin once all are connected, or after locks.bootstrap() on one peer of a ' +
      'new cluster; if c was removed since, no peer here remembers that: stop all peers, and start them with the present list of peers',
  );
  expect(peer({ memory: 'known' }, ['c']).why()).toBe('it does not reach c. Compare locks.status() of all peers');
  expect(peer({}, []).why()).toBe('it reaches all peers. Compare locks.status() of all peers');
});

test('a change of the members that may be decided names its missing voters', () => {
  const ballot = (proposer: string, membership: Membership) => ({ proposer, next: membership });
  const [two, four] = [later(['a', 'b', 'd']), { ...later(['a', 'b', 'd', 'e']), version: 3 }];
  const decided = (voters: string, absent: string) =>
    `it does not reach c; a change of the members to ${voters} may have been decided, and of these it does not reach ${absent}. ` +
    'Start them: a majority of these must remember its promises, or all must be connected';
  const others = 'it does not reach c, and peers without storage begin once all are connected';
  const links = ['b'];
  expect(peer({ links, pending: [ballot('b', two), ballot('b', four)] }, ['c']).why()).toBe(decided('a, b, d, e', 'd, e'));
  expect(peer({ links, promised: ballot('c', two) }, ['c']).why()).toBe(decided('a, b, d', 'd'));
  // Its own ballot, one with a list that is not later, and one whose voters are all connected.
  expect(peer({ links, pending: [ballot('a', two)] }, ['c']).why()).toContain(others);
  expect(peer({ links, pending: [ballot('b', { ...two, version: 1 })] }, ['c']).why()).toContain(others);
  expect(peer({ links: ['b', 'd'], pending: [ballot('b', two)] }, ['c']).why()).toContain(others);
});

test('an end is reported with its error, unless it was requested', () => {
  const { node, warnings } = peer();
  warnOfEnd(node as unknown as LiveNode, new ClosedError('closed'));
  expect(warnings()).toEqual([]);
  warnOfEnd(node as unknown as LiveNode, new ConnectionError('the cable is cut'));
  expect(warnings()).toEqual([
    '"mine" of peer "a" has ended: the cable is cut; every request rejects with this ConnectionError, and so does locks.ready before the ' +
      'first grant. See the page "Locks", section "When the locks of a peer end"',
  ]);
});
