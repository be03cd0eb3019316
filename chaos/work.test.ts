import { describe, expect, test } from 'vitest';
import { ForgottenError, LostError } from '../adapters/transports/errors.js';
import { askRepeatedly } from './work.js';

/** Result of one request for each of the answers, in the phase after all faults. */
async function asked(...answers: readonly (boolean | Error)[]): Promise<string[]> {
  const notified: string[] = [];
  const peer = {
    phase: 'healed' as const,
    note: (what: string) => notified.push(what),
    answered: () => notified.push('answered'),
    notify: (report: string) => notified.push(`tells ${report}`),
  };
  const left = [...answers];
  await askRepeatedly(peer, { node: { addEventListener: () => {} } }, () => {
    const answer = left.shift()!;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  expect(left).toEqual([]);
  return notified;
}

describe('a peer that requests permits', () => {
  test('takes until the permits are exhausted', async () => {
    expect(await asked(true, true, false)).toEqual(['answered', 'answered', 'answered']);
  });

  test('asks again if it is unknown whether a transfer counts, and has not been served', async () => {
    expect(await asked(new LostError('the lock was lost'), false)).toEqual(['answered']);
  });

  test('ends when its locks have ended', async () => {
    const ended = new LostError('the locks have ended', { cause: new Error('closed') });
    await expect(asked(ended)).rejects.toBe(ended);
  });

  test('is served by hearing that too many have forgotten', async () => {
    expect(await asked(true, new ForgottenError('begun anew'))).toEqual(['answered', 'forgotten', 'tells served']);
  });

  test('ends of every other error', async () => {
    await expect(asked(new TypeError('a defect'))).rejects.toThrow('a defect');
  });
});
