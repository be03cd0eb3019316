/** The membership changes while locks are held: every interleaving of small systems, and the violations without a rule. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { ExploreOptions } from '../../test/explore/explore.js';
import type { NodeId } from '../effects.js';
import { BOUNDS, byName } from './epoch.js';
import { epochsGuards } from './guards.js';
import { locks } from './index.js';
import { linksKnown, ownReport, type EpochsContext, type In, type Standing } from './knowledge.js';
import {
  firstMembership,
  isMajorityOf,
  isOfAnotherCluster,
  membershipAfter,
  NO_MEMBERSHIP,
  type MembershipChange,
} from './membership.js';
import { beginningOf, boundOf, isClique, keptOf, proposalOf, remembers } from './promises.js';
import { oneUser, undisturbedUser } from './users.fixtures.js';
import {
  again,
  all,
  ask,
  change,
  crash,
  cut,
  mutant,
  searchOn,
  starting,
  type Commands,
  type Search,
} from './systems.fixtures.js';

const four = ['a', 'b', 'c', 'd'];
/** All of them are linked except c and d. */
const withoutCD: ExploreOptions['topology'] = {
  nodes: four,
  links: four.flatMap((u, i) => four.slice(i + 1).map((v): [string, string, number] => [u, v, 1])).filter(([u]) => u !== 'c'),
};
const two = { voters: ['a', 'b'] };
const keeps = (user: string, options = {}): Search => ({ hold: null, properties: [undisturbedUser(user)], options });
const quiet = (options = {}): Search => ({ hold: 1, properties: [oneUser], options });

describe('all properties hold', () => {
  test.each<[string, number, Commands, Search, ExploreOptions['topology']?]>([
    ['c is added, b holds', 6980, [ask('b'), change('a', { add: 'c' })], keeps('b', two)],
    ['b is replaced by c, a holds', 67, [ask('a'), change('a', { add: 'c', remove: 'b' })], keeps('a', two)],
    ['c is removed, b holds', 75, [ask('b'), change('a', { remove: 'c' })], keeps('b')],
    ['c is removed, b holds, a proposes again', 413, [ask('b'), change('a', { remove: 'c' }), again('a')], keeps('b')],
    ['the leader is removed by a call on b, who holds', 127, [ask('b'), change('b', { remove: 'a' })], keeps('b')],
    ['of two the leader is removed, b asks', 189, [ask('b'), change('a', { remove: 'a' })], quiet(two)],
    ['the holder is removed', 566, [ask('c'), ask('b'), change('a', { remove: 'c' })], quiet()],
    ['c is removed, and a link is cut', 1303, [ask('b'), change('a', { remove: 'c' }), cut('a', 'b')], { hold: 1 }],
    [
      'of four c is removed, which d does not reach',
      5957,
      [change('a', { remove: 'c' }), ask('d')],
      { hold: 1, options: { voters: four } },
      withoutCD,
    ],
    ['c is removed, and the leader crashes', 7463, [ask('b'), change('a', { remove: 'c' }), ...crash('a')], { hold: 1 }],
  ])('%s: %i states', (_, states, commands, search, topology = all) => {
    expect(searchOn(topology, locks, commands, search)).toMatchObject({ verdict: 'valid', states });
  });
});

const nextIn = ({ membership, wanted, bounds }: EpochsContext) =>
  (wanted && membershipAfter(membership, wanted, bounds.bytes)) ?? membership;
const reachesNext = (args: In) => {
  const { id, membership } = args.context;
  const within = [...linksKnown(args), id];
  return isMajorityOf(within, membership) || isMajorityOf(within, nextIn(args.context));
};
/** Rule 9, changed: promises of a majority of the new list are sufficient. */
const newMajorityAlone = mutant({
  actions: {
    propose: assign(({ context }: { context: EpochsContext }) => {
      const next = nextIn(context);
      const members = [...context.links, context.id].filter((node) => next.voters.includes(node)).sort(byName);
      const promised = { epoch: (context.promised?.epoch ?? 0) + 1, proposer: context.id, members, next };
      return { promised, reports: [ownReport({ ...context, promised })] };
    }) as never,
  },
  guards: {
    leads: ((args: In) => args.context.leader === args.context.id && reachesNext(args)) as never,
    isElected: (({ context, event }: In) =>
      event.type === 'leader' && event.leader === context.id && context.leader !== context.id) as never,
    losesMajority: ((args: In) => !reachesNext(args)) as never,
    mayBegin: (({ context: { reports, promised } }: In) =>
      reports.length === promised!.members.length &&
      isClique(reports) &&
      isMajorityOf(promised!.members, promised!.next)) as never,
  },
});
/** Rule 9, changed: the removed voter is not asked to promise. */
const withoutWitness = mutant({
  actions: {
    propose: assign(({ context }: { context: EpochsContext }) => {
      const { next, members } = proposalOf(context);
      const ballot = { epoch: (context.promised?.epoch ?? 0) + 1, proposer: context.id, next };
      const promised = { ...ballot, members: members.filter((node) => next.voters.includes(node)) };
      return { promised, reports: [ownReport({ ...context, promised })] };
    }) as never,
  },
});
const concluding = (how: (context: EpochsContext) => ReturnType<typeof beginningOf>) =>
  mutant({ actions: { conclude: assign(({ context }: { context: EpochsContext }) => ({ served: how(context) })) as never } });

describe('without rule 9, or one of its parts, a promise breaks', () => {
  const parted = [change('a', { remove: 'b' }), ask('a'), change('b', { remove: 'a' }), ask('b'), cut('a', 'b')];
  const pair: ExploreOptions['topology'] = { nodes: ['a', 'b'], links: [['a', 'b', 1]] };
  test.each<[string, string, typeof locks, Commands, Search, ExploreOptions['topology']?]>([
    ['a majority of the new list alone decides', 'two majorities never', newMajorityAlone, parted, { hold: null }, pair],
    ['a majority of the new list alone decides', 'one fence, one holder', newMajorityAlone, parted, { hold: null }, pair],
    ['a majority of the new list alone decides', 'one list a version', newMajorityAlone, parted, { hold: null }, pair],
    [
      'a voter that was left out because of a removed one stays left out',
      'return',
      mutant({ guards: { maySeek: () => false } }),
      [change('a', { remove: 'c' })],
      { options: { voters: four } },
      withoutCD,
    ],
    [
      'a change of the list ends all locks',
      'undisturbed',
      concluding((context) => beginningOf(context, (...of) => (context.wanted ? [] : keptOf(...of)))),
      [ask('b'), change('a', { remove: 'c' })],
      keeps('b'),
    ],
    [
      'a removed holder is not kept',
      'one user',
      concluding((context) => {
        const { members, ...beginning } = beginningOf(context);
        const { voters } = beginning.membership;
        const kept = beginning.kept.filter(({ node }) => voters.includes(node));
        return { ...beginning, kept, members: members.filter((node) => voters.includes(node)) };
      }),
      [ask('c'), ask('b'), change('a', { remove: 'c' })],
      quiet(),
    ],
    ['who is removed is no witness', 'return', withoutWitness, [change('a', { remove: 'c' })], {}],
  ])('%s: %s', (_, property, protocol, commands, search, topology = all) => {
    const found = searchOn(topology, protocol, commands, { ...search, only: property });
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});

/**
 * Without storage, b has proposed a change of the list and was killed. It has forgotten that, and the others have promised it, so the new
 * list may be decided. `memory` is that of the other voters; a voter that joins with the change has nothing to remember.
 */
function afterProposal(voters: readonly NodeId[], change: MembershipChange, memory: 'new' | 'forgotten', protocol = locks) {
  const membership = firstMembership(voters);
  const next = membershipAfter(membership, change, BOUNDS.bytes)!;
  const members = [...new Set([...voters, ...next.voters])].sort(byName);
  const none = { served: { epoch: 0, members: [], kept: [], membership }, pending: [], membership };
  const promised = { epoch: 3, proposer: 'b', members, next };
  const stands = (id: NodeId): Standing =>
    id === 'b'
      ? { memory: 'forgotten', promised: null, ...none }
      : { memory: voters.includes(id) ? memory : 'forgotten', promised, ...none };
  return starting(Object.fromEntries(members.map((id) => [id, { stored: stands(id), members: [], floor: 5 }])), protocol);
}

describe('if a change is forgotten, all of both lists are enough (rules 4b and 9)', () => {
  const four: ExploreOptions['topology'] = {
    nodes: ['a', 'b', 'c', 'd'],
    links: ['ab', 'ac', 'ad', 'bc', 'bd', 'cd'].map(([u, v]) => [u!, v!, 1]),
  };
  test.each<[string, number, readonly NodeId[], MembershipChange, 'new' | 'forgotten', ExploreOptions['topology']]>([
    ['c is added, all have forgotten', 5911, ['a', 'b'], { add: 'c', remove: null }, 'forgotten', all],
    ['b is replaced by c, all have forgotten', 381, ['a', 'b'], { add: 'c', remove: 'b' }, 'forgotten', all],
    ['a is replaced by c, all have forgotten', 926, ['a', 'b'], { add: 'c', remove: 'a' }, 'forgotten', all],
    ['c is replaced by d, b has forgotten', 64920, ['a', 'b', 'c'], { add: 'd', remove: 'c' }, 'new', four],
  ])('%s: %i states', (_, states, voters, change, memory, topology) => {
    const found = searchOn(topology, afterProposal(voters, change, memory), [ask('a')], { hold: 1, options: { voters } });
    expect(found).toMatchObject({ verdict: 'valid', states });
  });

  test('otherwise no node is served', () => {
    const forgottenAreMissing = mutant({
      guards: {
        mayBegin: ((args: In) => {
          const { reports, membership } = args.context;
          const bound = boundOf(reports, membership);
          const known = reports.filter(remembers).map(({ node }) => node);
          return epochsGuards.mayBegin(args) && (bound === null || isMajorityOf(known, bound));
        }) as never,
      },
    });
    const protocol = afterProposal(['a', 'b'], { add: 'c', remove: null }, 'forgotten', forgottenAreMissing);
    const { counterexample } = searchOn(all, protocol, [ask('a')], { hold: 1, options: { voters: ['a', 'b'] } });
    expect(counterexample?.property).toBe('service');
  });
});

describe('a node that has forgotten that it is the only voter, and learns it from others', () => {
  const two: ExploreOptions['topology'] = { nodes: ['a', 'b'], links: [] };
  const first = firstMembership(['a', 'b']);
  const membership = membershipAfter(first, { add: null, remove: 'a' }, BOUNDS.bytes)!;
  const served = { epoch: 3, members: ['a', 'b'], kept: [], membership };
  const outsider: Standing = { memory: 'known', promised: null, served, pending: [], membership };
  const search = (protocol: typeof locks) =>
    searchOn(
      two,
      starting({ a: { stored: outsider }, b: { memory: 'forgotten', floor: 5 } }, protocol),
      [ask('b'), { do: 'join', link: ['a', 'b'], weight: 1 }],
      { hold: 1 },
    );

  test('begins: 72 states', () => {
    expect(search(locks)).toMatchObject({ verdict: 'valid', states: 72 });
  });

  test('waits forever if it waits for a relevant node', () => {
    const waits = mutant({ guards: { isOnlyVoter: (() => false) as never } });
    expect(search(waits).counterexample?.property).toBe('service');
  });
});

describe('lists of voters', () => {
  const first = firstMembership(['b', 'a']);
  const after = (change: Parameters<typeof membershipAfter>[1]) => membershipAfter(first, change, BOUNDS.bytes);

  test('one is added, removed or replaced, and the origin stays', () => {
    const { origin } = first;
    expect(first.voters).toEqual(['a', 'b']);
    expect(after({ add: 'c', remove: null })).toEqual({ version: 2, voters: ['a', 'b', 'c'], origin });
    expect(after({ add: null, remove: 'a' })).toEqual({ version: 2, voters: ['b'], origin });
    expect(after({ add: 'c', remove: 'a' })).toEqual({ version: 2, voters: ['b', 'c'], origin });
  });

  test('a change without effect, or one that leaves no voters, is refused', () => {
    expect(after({ add: 'b', remove: null })).toBeNull();
    expect(after({ add: null, remove: 'c' })).toBeNull();
    expect(membershipAfter(firstMembership(['a']), { add: null, remove: 'a' }, BOUNDS.bytes)).toBeNull();
  });

  test('different first lists, or different lists of one version, are separate clusters', () => {
    const later = after({ add: 'c', remove: null })!;
    expect(isOfAnotherCluster(first, later)).toBe(false);
    expect(isOfAnotherCluster(first, NO_MEMBERSHIP)).toBe(false);
    expect(isOfAnotherCluster(first, firstMembership(['a', 'c']))).toBe(true);
    expect(isOfAnotherCluster(later, { ...later, voters: ['a', 'b', 'd'] })).toBe(true);
    expect(isOfAnotherCluster(firstMembership(['a', 'c']), later)).toBe(true);
  });
});
