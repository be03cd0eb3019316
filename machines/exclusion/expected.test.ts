/** Possible messages in each state of a node: each condition of the rule by itself (spec section 7). */
import { expect, test } from 'vitest';
import type { ExclusionContext, ExclusionMessage } from './machine.js';
import { isExpectedAt, type ExclusionValue } from './view.js';

/** No requests are pending. */
const idle = { lock: null, L: [], R: [], W: [], A: [], C: [], H: [], P: [] } as unknown as ExclusionContext;

type Row = readonly [type: string, initiator: ExclusionValue['initiator'], context: object, isExpected: boolean, because: string];

/** At port 1. */
const rows: readonly Row[] = [
  ['ready', 'prepare', { L: [1] }, true, 'it was asked to prepare'],
  ['ready', 'compete', { L: [1] }, false, 'it competes already'],
  ['ackLock', 'win', { L: [1] }, true, 'it has won'],
  ['ackLock', 'compete', { L: [1] }, false, 'it has not won'],
  ['ackRelease', 'unlock', { L: [1] }, true, 'it lets go'],
  ['ackRelease', 'locked', { L: [1] }, false, 'it holds on'],
  ['ready', 'prepare', { L: [2] }, false, 'that port is not of its request'],
  ['ready', 'prepare', { L: [1], R: [1] }, false, 'that port has answered'],
  ['win', 'compete', { L: [1] }, true, 'a trial is open'],
  ['win', 'prepare', { L: [1] }, false, 'it does not compete'],
  ['win', 'compete', { L: [2] }, false, 'that port is not of its request'],
  ['win', 'compete', { L: [1], W: [[1, true]] }, false, 'that trial has been decided'],
  ['request', 'idle', { A: [1] }, true, 'an applicant was told ready'],
  ['request', 'idle', { C: [1] }, true, 'a candidate competes'],
  ['request', 'idle', { H: [1] }, false, 'it is on hold'],
  ['request', 'idle', { A: [1], P: [[1, 3]] }, false, 'its priority is there already'],
  ['prepare', 'idle', { A: [2], C: [3], H: [4] }, true, 'it is a stranger'],
  ['prepare', 'idle', { A: [1] }, false, 'it is an applicant'],
  ['prepare', 'idle', { C: [1] }, false, 'it is a candidate'],
  ['prepare', 'idle', { H: [1] }, false, 'it is on hold'],
  ['setLock', 'idle', { C: [1] }, true, 'a candidate has won'],
  ['setLock', 'idle', { A: [1] }, false, 'it is no candidate'],
  ['setLock', 'idle', { C: [1], lock: 2 }, false, 'somebody has the lock'],
  ['release', 'idle', { lock: 1 }, true, 'it has the lock'],
  ['release', 'idle', { lock: 2 }, false, 'another one has the lock'],
];

test.each(rows)('%s to a node in %s with %j: %s, for %s', (type, initiator, context, isExpected) => {
  expect(isExpectedAt({ ...idle, ...context }, initiator, 1, { type } as ExclusionMessage)).toBe(isExpected);
});
