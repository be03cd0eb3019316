/** The options of `createLocks` and its requests are checked at once. */
import { describe, expect, test } from 'vitest';
import { InProcessBus } from '../transports/in-process.js';
import { checkAcquire, checkLocks, checkNames, checkRequest } from './locks-options.js';

const transport = new InProcessBus().transport('a');
const needed = { transport, peers: ['a', 'b'] };
const meter = { createCounter: () => {}, createHistogram: () => {}, createObservableGauge: () => {} };

describe('of the locks', () => {
  test.each<[option: string, values: readonly unknown[], answer: string]>([
    ['transport', [undefined, {}], 'Pass a transport'],
    ['peers', [undefined, [], 'ab'], "Pass the ids of all peers, as in ['a', 'b', 'c']"],
    ['name', ['', 7], 'Pass a text'],
    ['storage', [{}], 'Pass a storage for the state of a peer'],
    ['join', ['yes'], 'Pass true or false'],
    ['client', ['yes'], 'Pass true or false'],
    ['confirm', ['yes'], 'Pass true or false'],
    [
      'metrics',
      [{}, { ...meter, createCounter: 1 }, { ...meter, createHistogram: 1 }, { ...meter, createObservableGauge: 1 }],
      "Pass a meter, such as metrics.getMeter('locks')",
    ],
    ['inspect', [{}, 'all', { next: 1 }], 'Pass a function, or an observer with next'],
    ['clock', [{}], 'Pass a scheduler of RxJS'],
  ])('%s is refused where it is wrong', (option, values, answer) => {
    for (const value of values) {
      expect(() => checkLocks({ ...needed, [option]: value })).toThrow(`createLocks: ${option} `);
      expect(() => checkLocks({ ...needed, [option]: value })).toThrow(answer);
    }
  });

  test('the transport and the peers are enough, and other options are accepted', () => {
    checkLocks(needed);
    checkLocks({
      ...needed,
      name: 'mine',
      storage: { load: () => {}, save: () => {} },
      join: false,
      client: false,
      confirm: true,
      metrics: meter,
      inspect: () => {},
    });
    checkLocks({ ...needed, inspect: { next: () => {} } });
    expect(() => checkLocks(undefined)).toThrow('createLocks takes its options as an object. Pass { transport, peers }');
  });

  test('a peer that joins later has no peers', () => {
    checkLocks({ transport, join: true });
    expect(() => checkLocks({ ...needed, join: true })).toThrow(
      'createLocks: peers is a list of 2. Pass nothing together with join: true',
    );
  });

  test('a client has peers, and no options for voters', () => {
    checkLocks({ ...needed, client: true, join: false, confirm: false });
    for (const option of ['join', 'confirm', 'storage'])
      expect(() => checkLocks({ ...needed, client: true, [option]: true })).toThrow(
        `createLocks: ${option} is true. Pass nothing together with client: true`,
      );
    expect(() => checkLocks({ transport, client: true })).toThrow('createLocks: peers is missing');
  });
});

test('the name of a lock is 1 to 256 characters', () => {
  for (const name of ['x', 'x'.repeat(256)]) checkNames('locks.request', name);
  for (const name of ['', 'x'.repeat(257), 7, undefined])
    expect(() => checkNames('locks.request', name)).toThrow('a lock needs a name. Pass a string of 1 to 256 characters');
});

describe.each([
  ['locks.acquire("x")', (options: unknown) => checkAcquire('x', options)],
  ['locks.request("x")', (options: unknown) => checkRequest('x', options)],
])('of %s', (who, check) => {
  test.each<[option: string, value: unknown, answer: string]>([
    ['mode', 'read', 'Pass "exclusive" or "shared"'],
    ['ifAvailable', 1, 'Pass true or false'],
    ['steal', true, 'Pass false: a lock is never taken from its holder'],
    ['signal', {}, 'Pass an AbortSignal'],
  ])('%s is refused where it is wrong', (option, value, answer) => {
    expect(() => check({ [option]: value })).toThrow(`${who}: ${option} is `);
    expect(() => check({ [option]: value })).toThrow(answer);
  });

  test('all of them are optional', () => {
    check({});
    check({ mode: 'shared', ifAvailable: true, steal: false, signal: new AbortController().signal });
    check({ mode: 'exclusive' });
  });
});

test('retry is for requests, and true or false', () => {
  checkRequest('x', { retry: true });
  expect(() => checkRequest('x', { retry: 1 })).toThrow('locks.request("x"): retry is 1. Pass true or false');
  expect(() => checkAcquire('x', { retry: true })).toThrow('locks.acquire("x") has no option retry');
});
