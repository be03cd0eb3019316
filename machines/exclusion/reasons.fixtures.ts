/** Equivalent mutants of the charts, with reasons. */
import { because } from '../because.fixtures.js';
import { EXCLUSION } from './view.js';

const swap = (place: string, first = 1) => `swap actions ${place}, actions ${first} and ${first + 1}`;

/** Edits that apply to all charts. */
const common = (chart: string) => ({
  ...because(
    chart,
    'each sets registers that the other neither sets nor reads',
    swap('initiator.compete: always #2'),
    swap('initiator.win: always'),
    swap('initiator.unlock: always'),
  ),
  ...because(chart, 'that it is unlocked says nothing of the registers', swap('initiator.unlock: always', 2)),
  ...because(chart, 'who has won has not lost', 'reorder choices initiator.compete: always #2, before #1'),
});

const ANSWER = 'the answer is for the sender, whatever the registers hold';

const corrected = {
  ...common(EXCLUSION),
  ...because(
    EXCLUSION,
    ANSWER,
    swap('participant: release'),
    swap('participant.idle: prepare'),
    swap('participant.prepare: prepare'),
    swap('participant.compete: request'),
    swap('participant.compete: setLock'),
  ),
  ...because(
    EXCLUSION,
    'a candidate and its priority stand in different registers',
    swap('participant.prepare: request'),
    swap('participant.compete: request #2'),
  ),
  ...because(EXCLUSION, 'an applicant is no candidate', 'reorder choices participant.compete: request #3, before #2'),
};

const PRINTED = 'printed';
/** Where CleanUp is enabled after each disconnection, it runs before the next event. */
const busy = ['participant.prepare: prepare', 'participant.prepare: request', 'participant.compete: prepare'];
const owing = ['participant.compete: request', 'participant.compete: request #2', 'initiator.unlock: ackRelease'];

const printed = {
  ...common(PRINTED),
  ...because(
    PRINTED,
    'CleanUp has been done when the event comes, and there is nothing to tidy',
    ...[...busy, ...owing].flatMap((place) => [`drop action ${place}, action 1`, swap(place)]),
    'drop action participant.compete: setLock, action 2',
    swap('participant.compete: setLock'),
    swap('participant.compete: setLock', 2),
  ),
  ...because(
    PRINTED,
    'both end with nobody locked, and the answer is for the sender',
    swap('participant: release'),
    swap('participant: release', 2),
  ),
  ...because(PRINTED, ANSWER, swap('participant.idle: prepare', 2), swap('participant.prepare: prepare', 2)),
  ...because(
    PRINTED,
    'a candidate and its priority stand in different registers',
    swap('participant.prepare: request', 2),
    swap('participant.compete: request', 2),
  ),
  ...because(PRINTED, 'an applicant is no candidate', 'reorder choices participant.compete: request #2, before #1'),
  ...because(PRINTED, 'nobody waits for an unlock, and there is nothing to ignore', 'drop guard (root): unlock'),
};

export const reasons: Readonly<Record<string, string>> = { ...corrected, ...printed };
