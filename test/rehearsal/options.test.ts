/** Arguments that `rehearse` rejects: invalid options, invalid failure files, and broken judges. */
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
  [{ peers: 0 }, 'Invalid option "peers" in rehearse: 0. Pass 1 to 15 peers.'],
  [{ peers: '3' as never }, 'Invalid option "peers" in rehearse: "3". Pass a number, or a list'],
  [{ seeds: 5 } as object, 'Unknown option "seeds" in rehearse. Use: peers, services,'],
  [{ runs: 0 }, 'Invalid option "runs" in rehearse: 0. Pass an integer from 1 to'],
  [{ runs: '5' as never }, 'Invalid option "runs" in rehearse: "5". Pass an integer from 1 to'],
  [{ seed: 1.5 }, 'Invalid option "seed" in rehearse: 1.5. Pass an integer'],
  [{ runs: 1e9 }, 'Invalid option "runs" in rehearse: 1000000000. Pass an integer from 1 to 1,000,000; for more runs'],
  [
    { seconds: Infinity },
    'Invalid option "seconds" in rehearse: Infinity. Pass a number greater than 0 and at most 86,400, a day of virtual time',
  ],
  [{ seconds: 1e9 }, 'Invalid option "seconds" in rehearse: 1000000000. Pass a number greater than 0 and at most 86,400'],
  [{ faults: 'kill' as never }, 'Invalid option "faults" in rehearse: "kill". Pass a list'],
  [{ limits: 'small' as never }, 'Invalid option "limits" in rehearse: "small". Pass a list'],
  [{ judges: 'fences' as never }, 'Invalid option "judges" in rehearse: "fences". Pass a list of judges'],
  [{ judges: [{ name: 'x' }] as never }, 'Invalid option "judges" in rehearse: [{"name":"x"}]. Pass a list of judges'],
  [{ services: { hub: 5 as never } }, 'Invalid option "services" in rehearse: {"hub":5}. Pass the main function of each'],
  [{ clients: { c0: null as never } }, 'Invalid option "clients" in rehearse: {"c0":null}. Pass the main function of each'],
  [{ knobs: { window: 5 as never } }, 'Invalid option "knobs" in rehearse: {"window":5}. Pass a list of values'],
  [{ knobs: { window: [] } }, 'Invalid option "knobs" in rehearse: {"window":[]}. Pass a list of values'],
  [{ shrinkSeconds: -1 }, 'Invalid option "shrinkSeconds" in rehearse: -1. Pass a number of seconds, or 0'],
  [{ turnSeconds: 0 }, 'Invalid option "turnSeconds" in rehearse: 0. Pass a number of seconds'],
  [{ faults: ['fire' as never] }, 'Unknown fault "fire" in rehearse. Use: kill, power'],
  [{ limits: ['tiny' as never] }, 'Invalid option "limits" in rehearse: "tiny". Pass a list with some of: shipped, small.'],
  [{ limits: [] }, 'Invalid option "limits" in rehearse: an empty list. Pass a list with some of: shipped, small.'],
  [{ seconds: 0 }, 'Invalid option "seconds" in rehearse: 0. Pass a number greater than 0 and at most 86,400'],
  [{ services: { p1: () => {} } }, 'Invalid name "p1" of a service or client'],
  [
    { replay: { rehearsal: 0, scenario: {} } as never },
    'The failure has version 0, and this release replays version 1. Run the rehearsal again.',
  ],
  [{ replay: {} as never }, 'This is not a failure of a rehearsal'],
  [{ replay: { ...failed, story: 5 } as never }, 'was changed or truncated: story is not a list of events'],
  [
    { replay: { ...failed, roles: { charts: {} } } as never },
    'was changed or truncated: roles does not contain steps and charts',
  ],
  [changed({ peers: 2 }), 'was changed or truncated: scenario.peers is not a list of names'],
  [changed({ peers: ['p0', 'p0'] }), 'scenario has no peers, or two processes with the same name'],
  [changed({ peers: [] }), 'scenario has no peers, or two processes with the same name'],
  [changed({ seconds: null }), 'scenario.seconds is not a number'],
  [changed({ seconds: -1 }), 'scenario.seconds is not a number greater than 0 and at most 86400'],
  [changed({ seconds: 1e9 }), 'scenario.seconds is not a number greater than 0 and at most 86400'],
  [changed({ startsMs: [0, -5] }), 'scenario.startsMs is not a list of 2 times of at least 0'],
  [changed({ latencyMs: [-1, 2] }), 'scenario.latencyMs is not two times of at least 0, the smaller one first'],
  [changed({ latencyMs: [3, 2] }), 'scenario.latencyMs is not two times of at least 0, the smaller one first'],
  [changed({ faults: [{ ...fault('kill'), atMs: -1 }] }), 'scenario.faults[0].atMs is -1, not a time of at least 0'],
  [changed({ faults: [{ ...fault('kill'), lastsMs: -7 }] }), 'scenario.faults[0].lastsMs is -7, not a time of at least 0'],
  [changed({ seed: undefined }), 'scenario.seed is not a number'],
  [changed({ startsMs: [0] }), 'scenario.startsMs is not a list of 2 times'],
  [changed({ latencyMs: 5 }), 'scenario.latencyMs is not two times'],
  [changed({ distances: [{}] }), 'scenario.distances is not a list of pairs'],
  [changed({ limits: 'tiny' }), 'scenario.limits is not one of shipped, small'],
  [changed({ knobs: null }), 'scenario.knobs is not an object'],
  [changed({ faults: undefined }), 'scenario.faults is not a list'],
  [changed({ faults: [fault('fire' as never)] }), 'scenario.faults[0] is the unknown fault "fire". Use one of: kill,'],
  [changed({ faults: [{ ...fault('kill'), who: 'p7' }] }), 'scenario.faults[0] concerns "p7", which is not one of'],
  [changed({ faults: [{ ...fault('kill'), atMs: '1' }] }), 'scenario.faults[0].atMs is "1", not a time of at least 0'],
  [changed({ services: ['hub'] }), 'of another rehearsal: its services are hub, but this rehearsal has none'],
])('rejected: %j', async (options, description) => {
  await expect(rehearse({ runs: 1, ...options }, () => {})).rejects.toThrow(description);
});

describe('a broken judge is a mistake in the rehearsal, not in the application', () => {
  const judgedBy = (judge: object, main: Main = ({ note }) => note('here')) =>
    rehearse({ peers: 1, runs: 1, faults: [], judges: [...lockJudges(), judge as RehearsalJudge] }, main);
  const observer = (observe: unknown) => ({ name: 'odd', begin: () => ({ observe }) });
  const thrown = (): never => {
    throw new TypeError('no stock');
  };
  const cannot = 'The judge "odd" failed: TypeError: no stock. Fix the judge.';
  const later = 'The judge "odd" returned a promise. Return a description of what is wrong, or nothing, without waiting.';

  test.each<[string, object, description: string]>([
    ['an invariant that throws', invariant('odd', thrown), cannot],
    ['one that throws for an event', observer(thrown), cannot],
    ['one that throws at the end', { name: 'odd', begin: () => ({ end: thrown }) }, cannot],
    [
      'one whose begin throws',
      { name: 'odd', begin: thrown },
      'The judge "odd" failed to begin: TypeError: no stock. Fix the judge.',
    ],
    ['an invariant that returns a promise', invariant('odd', (async () => true) as never), later],
    ['one whose promise rejects', invariant('odd', (async () => thrown()) as never), later],
    ['one that returns a promise for an event', observer(async () => null), later],
    ['one that returns a number', observer(() => 5), 'The judge "odd" returned 5. Return a description'],
    [
      'one whose begin returns a promise',
      { name: 'odd', begin: async () => thrown() },
      '"begin" of the judge "odd" returned a promise. Return an object with methods',
    ],
    [
      'one whose begin returns nothing',
      { name: 'odd', begin: () => {} },
      '"begin" of the judge "odd" returned undefined. Return an object with methods',
    ],
    ['one with a wrong method', observer('all'), '"begin" of the judge "odd" returned an object. Return an object with methods'],
    [
      'an invariant that returns nothing',
      invariant('odd', (() => {}) as never),
      'The invariant "odd" returned undefined. Return true, or false',
    ],
    [
      'an invariant that returns an empty text',
      invariant('odd', () => ''),
      'The invariant "odd" returned an empty text. Return true, or',
    ],
  ])('%s', async (_, judge, description) => {
    const error = await judgedBy(judge).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(description);
    // The same in the turn of a peer, which may catch the error.
    await expect(judgedBy(judge, ({ store }) => store.write('x', 1).catch(() => {}))).rejects.toThrow(description);
  });

  test.each<[readonly unknown[]]>([[['bad', 5]], [[5, String]], [['', String]], [[]]])(
    'invariant(...%j) is rejected immediately',
    (given) => {
      expect(() => Reflect.apply(invariant, null, given)).toThrow('invariant requires a name and a function');
    },
  );
});

describe('an invalid note ends the rehearsal and is not an event', () => {
  test.each<[unknown[], description: string]>([
    [['paid', { order: 5, at: 1 }], 'Invalid note of p0. The field "at" of "paid" is reserved. Rename it.'],
    [['paid', { type: 'uncaught', error: 'x' }], 'The field "type" of "paid" is reserved'],
    [['paid', { peer: 'p9' }], 'The field "peer" of "paid" is reserved'],
    [['paid', { what: 'unpaid' }], 'The field "what" of "paid" is reserved'],
    [['paid', 5], 'Invalid note of p0. The second argument is 5. Pass an object: note('],
    [['paid', null], 'The second argument is null. Pass an object'],
    [[{ order: 5 }], 'The first argument is an object. Pass a text: note('],
    [[], 'The first argument is undefined. Pass a text'],
  ])('note(...%j)', async (given, description) => {
    let notes = 0;
    const judges = [
      { name: 'counts', begin: () => ({ observe: ({ type }: RehearsalEvent) => void (type === 'note' && notes++) }) },
    ];
    const main: Main = ({ note }) => {
      try {
        Reflect.apply(note, null, given);
      } catch {
        // The rehearsal ends although the main catches the error.
      }
    };
    const error = await rehearse({ peers: 1, runs: 1, faults: [], judges }, main).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(description);
    expect(notes).toBe(0);
  });

  test('a value that is given twice is found, whatever else the note contains', async () => {
    const main: Main = ({ note }) => note('named', { name: 5, of: 'all', value: null });
    const { failure } = await rehearse(
      { peers: 2, runs: 1, faults: [], judges: [unique('named', 'name')], shrinkSeconds: 0 },
      main,
    );
    expect(failure).toMatchObject({ judge: 'unique name', description: expect.stringContaining('name 5 was given to p') });
  });
});
