/** What `rehearse` refuses: options that make no sense, files that are no failure of it, and judges that cannot judge. */
import { expect, test } from 'vitest';
import { invariant } from './judges.js';
import { quietScenario } from './quiet.fixture.js';
import { rehearse } from './rehearse.js';
import type { RehearsalFault } from './scenario.js';

const fault = (what: RehearsalFault['what']): RehearsalFault => ({ what, atMs: 1, lastsMs: 1, who: 'p0', other: 'p1', size: 1 });
const failed = { rehearsal: 4, judge: 'x', says: 'y', atMs: 1, seed: 1, scenario: quietScenario, story: [], log: [] };
const changed = (scenario: object) => ({ replay: { ...failed, scenario: { ...quietScenario, ...scenario } } as never });

test.each([
  [{ peers: 0 }, 'a rehearsal of 0 peers: give 1 to 15'],
  [{ peers: '3' as never }, 'rehearse: peers is "3"; give how many'],
  [{ seeds: 5 } as object, 'rehearse knows no option "seeds"; the options are peers, services,'],
  [{ runs: 0 }, 'rehearse: runs is 0; give an integer of at least 1: no run judges nothing'],
  [{ runs: '5' as never }, 'rehearse: runs is "5"; give an integer of at least 1'],
  [{ seed: 1.5 }, 'rehearse: seed is 1.5; give an integer'],
  [{ seconds: Infinity }, 'rehearse: seconds is Infinity; give more than 0, and not for ever'],
  [{ faults: 'kill' as never }, 'rehearse: faults is "kill"; give a list'],
  [{ limits: 'small' as never }, 'rehearse: limits is "small"; give a list'],
  [{ judges: 'fences' as never }, 'rehearse: judges is "fences"; give a list of judges'],
  [{ judges: [{ name: 'x' }] as never }, 'rehearse: judges is [{"name":"x"}]; give a list of judges'],
  [{ services: { hub: 5 as never } }, 'rehearse: services is {"hub":5}; give the main of each'],
  [{ clients: { c0: null as never } }, 'rehearse: clients is {"c0":null}; give the main of each'],
  [{ knobs: { window: 5 as never } }, 'rehearse: knobs is {"window":5}; give a list of settings'],
  [{ knobs: { window: [] } }, 'rehearse: knobs is {"window":[]}; give a list of settings'],
  [{ shrinkSeconds: -1 }, 'rehearse: shrinkSeconds is -1; give a number of seconds, or 0'],
  [{ turnSeconds: 0 }, 'rehearse: turnSeconds is 0; give a number of seconds'],
  [{ faults: ['fire' as never] }, '"fire" is no fault; there are kill, power'],
  [{ limits: ['tiny' as never] }, 'limits are "tiny"; list some of shipped, small'],
  [{ limits: [] }, 'limits are none; list some of shipped, small'],
  [{ seconds: 0 }, 'rehearse: seconds is 0; give more than 0, and not for ever'],
  [{ services: { p1: () => {} } }, 'a service cannot be named "p1": peers are'],
  [{ replay: { rehearsal: 0, scenario: {} } as never }, 'a failure of version 0; this release repeats version 4: rehearse anew'],
  [{ replay: {} as never }, 'this is no failure of a rehearsal'],
  [{ replay: { ...failed, story: 5 } as never }, 'was changed, or cut: story is no list of happenings'],
  [{ replay: { ...failed, roles: { charts: {} } } as never }, 'was changed, or cut: roles are no steps and charts'],
  [changed({ peers: 2 }), 'was changed, or cut: scenario.peers is no list of names'],
  [changed({ seconds: null }), 'scenario.seconds is no time'],
  [changed({ seed: undefined }), 'scenario.seed is no number'],
  [changed({ startsMs: [0] }), 'scenario.startsMs is no list of 2 times'],
  [changed({ latencyMs: 5 }), 'scenario.latencyMs is not two times'],
  [changed({ distances: [{}] }), 'scenario.distances is no list of two processes each'],
  [changed({ limits: 'tiny' }), 'scenario.limits is none of shipped, small'],
  [changed({ knobs: null }), 'scenario.knobs are none'],
  [changed({ faults: undefined }), 'scenario.faults is no list'],
  [changed({ faults: [fault('fire' as never)] }), 'scenario.faults[0] is "fire", which is no fault; there are kill,'],
  [changed({ faults: [{ ...fault('kill'), who: 'p7' }] }), 'scenario.faults[0] concerns "p7", who is not among'],
  [changed({ faults: [{ ...fault('kill'), atMs: '1' }] }), 'scenario.faults[0].atMs is no number'],
  [changed({ services: ['hub'] }), 'of another rehearsal: its services are hub, and here they are none'],
])('refused: %j', async (options, says) => {
  await expect(rehearse({ runs: 1, ...options }, () => {})).rejects.toThrow(says);
});

test('a judge that breaks is named: it cannot say whether anything is wrong', async () => {
  const odd = invariant('stock', () => {
    throw new TypeError('no stock');
  });
  await expect(rehearse({ peers: 1, runs: 1, faults: [], judges: [odd] }, () => {})).rejects.toThrow(
    'the judge "stock" cannot judge: TypeError: no stock; mend the judge',
  );
});
