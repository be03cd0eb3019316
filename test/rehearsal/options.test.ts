/** What `rehearse` refuses: options that make no sense, files that are no failure of it, and judges that cannot judge. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { invariant, lockJudges, type RehearsalJudge } from './judges.js';
import { unique } from './object-judges.js';
import type { Main } from './peer.js';
import { quietScenario } from './quiet.fixture.js';
import { rehearse } from './rehearse.js';
import type { RehearsalFault } from './scenario.js';
import type { RehearsalEvent } from './world.js';

const fault = (what: RehearsalFault['what']): RehearsalFault => ({ what, atMs: 1, lastsMs: 1, who: 'p0', other: 'p1', size: 1 });
const failed = { rehearsal: 1, judge: 'x', description: 'y', atMs: 1, seed: 1, scenario: quietScenario, story: [], log: [] };
const changed = (scenario: object) => ({ replay: { ...failed, scenario: { ...quietScenario, ...scenario } } as never });

test.each([
  [{ peers: 0 }, 'a rehearsal of 0 peers: give 1 to 15'],
  [{ peers: '3' as never }, 'rehearse: peers is "3". Pass how many'],
  [{ seeds: 5 } as object, 'rehearse knows no option "seeds"; the options are peers, services,'],
  [{ runs: 0 }, 'rehearse: runs is 0. Pass an integer of at least 1, since no run judges nothing'],
  [{ runs: '5' as never }, 'rehearse: runs is "5". Pass an integer of at least 1'],
  [{ seed: 1.5 }, 'rehearse: seed is 1.5. Pass an integer'],
  [
    { runs: 1e9 },
    'rehearse: runs is 1000000000. Pass an integer of at least 1, since no run judges nothing, and at most 1,000,000',
  ],
  [{ seconds: Infinity }, 'rehearse: seconds is Infinity. Pass more than 0 and at most 86,400, a day of virtual time'],
  [{ seconds: 1e9 }, 'rehearse: seconds is 1000000000. Pass more than 0 and at most 86,400'],
  [{ faults: 'kill' as never }, 'rehearse: faults is "kill". Pass a list'],
  [{ limits: 'small' as never }, 'rehearse: limits is "small". Pass a list'],
  [{ judges: 'fences' as never }, 'rehearse: judges is "fences". Pass a list of judges'],
  [{ judges: [{ name: 'x' }] as never }, 'rehearse: judges is [{"name":"x"}]. Pass a list of judges'],
  [{ services: { hub: 5 as never } }, 'rehearse: services is {"hub":5}. Pass the main of each'],
  [{ clients: { c0: null as never } }, 'rehearse: clients is {"c0":null}. Pass the main of each'],
  [{ knobs: { window: 5 as never } }, 'rehearse: knobs is {"window":5}. Pass a list of settings'],
  [{ knobs: { window: [] } }, 'rehearse: knobs is {"window":[]}. Pass a list of settings'],
  [{ shrinkSeconds: -1 }, 'rehearse: shrinkSeconds is -1. Pass a number of seconds, or 0'],
  [{ turnSeconds: 0 }, 'rehearse: turnSeconds is 0. Pass a number of seconds'],
  [{ faults: ['fire' as never] }, '"fire" is no fault; there are kill, power'],
  [{ limits: ['tiny' as never] }, 'limits are "tiny"; list some of shipped, small'],
  [{ limits: [] }, 'limits are none; list some of shipped, small'],
  [{ seconds: 0 }, 'rehearse: seconds is 0. Pass more than 0 and at most 86,400'],
  [{ services: { p1: () => {} } }, 'a service cannot be named "p1": peers are'],
  [{ replay: { rehearsal: 0, scenario: {} } as never }, 'a failure of version 0; this release repeats version 1: rehearse anew'],
  [{ replay: {} as never }, 'this is no failure of a rehearsal'],
  [{ replay: { ...failed, story: 5 } as never }, 'was changed, or cut: story is no list of happenings'],
  [{ replay: { ...failed, roles: { charts: {} } } as never }, 'was changed, or cut: roles are no steps and charts'],
  [changed({ peers: 2 }), 'was changed, or cut: scenario.peers is no list of names'],
  [changed({ peers: ['p0', 'p0'] }), 'scenario has no peers, or two processes of one name'],
  [changed({ peers: [] }), 'scenario has no peers, or two processes of one name'],
  [changed({ seconds: null }), 'scenario.seconds is no time'],
  [changed({ seconds: -1 }), 'scenario.seconds is no time of more than 0 and at most 86400'],
  [changed({ seconds: 1e9 }), 'scenario.seconds is no time of more than 0 and at most 86400'],
  [changed({ startsMs: [0, -5] }), 'scenario.startsMs is no list of 2 times from 0 on'],
  [changed({ latencyMs: [-1, 2] }), 'scenario.latencyMs is not two times from 0 on, the smaller one first'],
  [changed({ latencyMs: [3, 2] }), 'scenario.latencyMs is not two times from 0 on, the smaller one first'],
  [changed({ faults: [{ ...fault('kill'), atMs: -1 }] }), 'scenario.faults[0].atMs is -1, and no time from 0 on'],
  [changed({ faults: [{ ...fault('kill'), lastsMs: -7 }] }), 'scenario.faults[0].lastsMs is -7, and no time from 0 on'],
  [changed({ seed: undefined }), 'scenario.seed is no number'],
  [changed({ startsMs: [0] }), 'scenario.startsMs is no list of 2 times'],
  [changed({ latencyMs: 5 }), 'scenario.latencyMs is not two times'],
  [changed({ distances: [{}] }), 'scenario.distances is no list of two processes each'],
  [changed({ limits: 'tiny' }), 'scenario.limits is none of shipped, small'],
  [changed({ knobs: null }), 'scenario.knobs are none'],
  [changed({ faults: undefined }), 'scenario.faults is no list'],
  [changed({ faults: [fault('fire' as never)] }), 'scenario.faults[0] is "fire", which is no fault; there are kill,'],
  [changed({ faults: [{ ...fault('kill'), who: 'p7' }] }), 'scenario.faults[0] concerns "p7", who is not among'],
  [changed({ faults: [{ ...fault('kill'), atMs: '1' }] }), 'scenario.faults[0].atMs is "1", and no time from 0 on'],
  [changed({ services: ['hub'] }), 'of another rehearsal: its services are hub, and here they are none'],
])('refused: %j', async (options, description) => {
  await expect(rehearse({ runs: 1, ...options }, () => {})).rejects.toThrow(description);
});

describe('a judge that cannot judge is a mistake of the rehearsal, and not of the application', () => {
  const judgedBy = (judge: object, main: Main = ({ note }) => note('here')) =>
    rehearse({ peers: 1, runs: 1, faults: [], judges: [...lockJudges(), judge as RehearsalJudge] }, main);
  const hearing = (hear: unknown) => ({ name: 'odd', begin: () => ({ hear }) });
  const thrown = (): never => {
    throw new TypeError('no stock');
  };
  const cannot = 'the judge "odd" cannot judge: TypeError: no stock; mend the judge';
  const later = 'the judge "odd" answers a promise, and the run goes on meanwhile; look at what is there, and return at once';

  test.each<[string, object, description: string]>([
    ['an invariant that throws', invariant('odd', thrown), cannot],
    ['one that throws when it hears', hearing(thrown), cannot],
    ['one that throws at the end', { name: 'odd', begin: () => ({ end: thrown }) }, cannot],
    [
      'one that cannot begin',
      { name: 'odd', begin: thrown },
      'the judge "odd" cannot begin: TypeError: no stock; mend the judge',
    ],
    ['an invariant that answers later', invariant('odd', (async () => true) as never), later],
    ['one whose later answer is an error', invariant('odd', (async () => thrown()) as never), later],
    ['one that hears, and answers later', hearing(async () => null), later],
    ['one that answers a number', hearing(() => 5), 'the judge "odd" answers 5; look at what is there'],
    [
      'one that begins later',
      { name: 'odd', begin: async () => thrown() },
      'the judge "odd" begins with a promise. Pass what hears at once',
    ],
    [
      'one that begins with nothing',
      { name: 'odd', begin: () => {} },
      'the judge "odd" begins with undefined. Pass what hears at once',
    ],
    ['one that cannot hear', hearing('all'), 'the judge "odd" begins with an object. Pass what hears at once'],
    [
      'an invariant that says nothing',
      invariant('odd', (() => {}) as never),
      'the invariant "odd" answers undefined; return true, or false',
    ],
    [
      'an invariant that says an empty text',
      invariant('odd', () => ''),
      'the invariant "odd" answers an empty text; return true, or',
    ],
  ])('%s', async (_, judge, description) => {
    const error = await judgedBy(judge).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(description);
    // Whether it is asked in the turn of a peer or in nobody's, and whatever the peer does with what is thrown at it.
    await expect(judgedBy(judge, ({ store }) => store.write('x', 1).catch(() => {}))).rejects.toThrow(description);
  });

  test.each<[readonly unknown[]]>([[['bad', 5]], [[5, String]], [['', String]], [[]]])(
    'invariant(...%j) is refused where it is made',
    (given) => {
      expect(() => Reflect.apply(invariant, null, given)).toThrow('invariant takes a name and a function of what is there');
    },
  );
});

describe('a note that cannot be one ends the rehearsal, and is no event', () => {
  test.each<[unknown[], description: string]>([
    [
      ['paid', { order: 5, at: 1 }],
      '"p0" notes "paid" with a field "at", which every note has of its own. Pass the field another name',
    ],
    [['paid', { type: 'uncaught', error: 'x' }], '"p0" notes "paid" with a field "type", which every note has'],
    [['paid', { peer: 'p9' }], '"p0" notes "paid" with a field "peer", which every note has'],
    [['paid', { what: 'unpaid' }], '"p0" notes "paid" with a field "what", which every note has'],
    [['paid', 5], '"p0" notes "paid" with 5. Pass fields under their names, as in note('],
    [['paid', null], '"p0" notes "paid" with null. Pass fields under their names'],
    [[{ order: 5 }], '"p0" notes an object. Pass a text first, as in note('],
    [[], '"p0" notes undefined. Pass a text first'],
  ])('note(...%j)', async (given, description) => {
    let heard = 0;
    const judges = [{ name: 'counts', begin: () => ({ hear: ({ type }: RehearsalEvent) => void (type === 'note' && heard++) }) }];
    const main: Main = ({ note }) => {
      try {
        Reflect.apply(note, null, given);
      } catch {
        // A main that catches all is told still.
      }
    };
    const error = await rehearse({ peers: 1, runs: 1, faults: [], judges }, main).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(description);
    expect(heard).toBe(0);
  });

  test('a value that is given twice is found, whatever else the note says', async () => {
    const main: Main = ({ note }) => note('named', { name: 5, of: 'all', value: null });
    const { failure } = await rehearse(
      { peers: 2, runs: 1, faults: [], judges: [unique('named', 'name')], shrinkSeconds: 0 },
      main,
    );
    expect(failure).toMatchObject({ judge: 'unique name', description: expect.stringContaining('name 5 was given to p') });
  });
});
