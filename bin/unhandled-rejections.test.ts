/**
 * Errors of the tested code outside of all paths, through the program itself: each is a failure, and none delays the end of the program.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createMachine, fromPromise, setup } from 'xstate';
import { MachineTesting } from '../test/machine/testing.js';
import { called } from './called.fixture.js';
import { patienceOf } from './patience.js';

const { inFolder } = called();

const program = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));
const xstate = import.meta.resolve('xstate');

function quiver(name: string, body: string, ...words: string[]) {
  const file = inFolder(name, `import { createMachine, fromCallback, setup } from ${JSON.stringify(xstate)};\n${body}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'test', file, ...words], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

test('an uncaught rejection of an action fails every report; endless work is ended', () => {
  const machine = `
  const tick = fromCallback(() => void setInterval(() => {}, 1000));
  export default setup({ actors: { tick } }).createMachine({ id: 'm', invoke: { src: 'tick' }, on: { GO: { actions: () => {
    void Promise.reject(new Error('nobody hears'));
    setTimeout(() => { throw new Error('nor this'); });
  } } } });`;
  const real = inFolder('real.mjs', "export default { services: { tick: 'real' } };");
  const { status, stdout, stderr } = quiver('unknown.mjs', machine, '--with', real, '--json');
  const { verdict, failures } = JSON.parse(stdout);
  expect([status, verdict]).toEqual([1, 'invalid']);
  expect(failures.map(({ rule }: { rule: string }) => rule)).toEqual([
    'no unhandled error (Error "nobody hears")',
    'no unhandled error (Error "nor this")',
  ]);
  expect(failures[0].text).toMatch(
    /While the tests ran, an action or a live service threw .* or rejected a promise with it, and no code caught it\. Catch the error there, or turn the action into a service with onError\./,
  );
  expect(stderr).toMatch(
    /^quiver: The work is done, but something is still running \(Timeout\): a module, an action or a live service has not stopped what it started\. Return a function that stops it\. The process now exits\.\n$/,
  );
});

describe('what is waited for and never comes', () => {
  const load = setup({ actors: { load: fromPromise(() => new Promise<void>(() => {})) } }).createMachine({
    initial: 'a',
    states: { a: { invoke: { src: 'load', onDone: 'b' } }, b: {} },
  });
  const plain = createMachine({ id: 'm', initial: 'a', states: { a: { on: { X: 'b' } }, b: {} } });
  const never = () => new Promise<never>(() => {});
  test.each([
    [load, { services: { load: 'real' as const } }, /^service load, which runs for real has not settled within 0\.02 s/],
    [plain, { sut: never }, /^sut has not settled within/],
    [plain, { exec: { X: never } }, /^exec of X has not settled within/],
    [plain, { states: { b: never } }, /^the assertion of state "b" has not settled/],
  ])('%# is named', async (machine, tests, description) => {
    const testing = new MachineTesting(machine as never, tests, patienceOf(20));
    await expect(testing.firstFailure('shortest')).rejects.toThrow(description);
  });
});
