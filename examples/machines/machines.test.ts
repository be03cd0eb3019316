/** Ten machines as applications have them: with nothing but samples covered, and their mistakes and races found. */
import { describe, expect, test } from 'vitest';
import { describeMachine } from '../../test/machine/describe-machine.js';
import { MachineTesting } from '../../test/machine/testing.js';
import type { MachineTests } from '../../test/machine/options.js';
import { describeStep } from '../../test/machine/steps.js';
import { judgeMachineMutants, machineMutants } from '../../test/machine/mutants.js';
import { races } from './races.js';
import { examples } from './samples.js';

for (const { machine, tests } of Object.values(examples)) describeMachine(machine, tests, { describe, test, expect });

/** The shortest way that was found into each race. */
const ways: Readonly<Record<string, string>> = {
  checkout:
    'ADD {"item":"book"}, CHECK_OUT, ADDRESS {"address":"Main Street 1"}, PAY, after paymentLimit in payment.charging, charge done {"receipt":"r1"}',
  'media player': 'SELECT {"track":"a"}, SELECT {"track":"b"}, load a done "a", PLAY',
  'form wizard': 'NAME {"name":"ann"}, NAME {"name":""}, delayed CHECK, checkName done true, NEXT',
  upload: 'FILE {"file":"a.png"}, HOLD, GO_ON, send fails Error "send failed", HOLD, GO_ON, delayed RETRY',
  login: 'LOG_IN {"user":"ann","password":"x"}, authenticate done {"token":"t1"}, REFUSED, LOG_OUT, refresh done {"token":"t2"}',
  'traffic light':
    'BUTTON, after green in cars.green, after yellow in cars.yellow, after approach in pedestrians.wait, after red in cars.red',
  'drag and drop': 'DOWN, UP, delayed LONG',
  chat: 'CONNECT, socket sends socket.closed, after backoff in online.lost',
  editor: 'KEY {"key":"a"}, after rest in file.dirty, KEY {"key":"a"}, save done "a"',
  order: 'ADD {"article":"pen"}, line/stock done true, SUBMIT, line: CHECK_AGAIN',
};

/** Above they run on live actors; the charts alone are quicker, and find the same (test/machine/pure.test.ts). Child machines need actors. */
const quickly = (tests: MachineTests): MachineTests => (tests.children ? tests : { ...tests, mode: 'pure' });

describe('a race in each, found by the same tests', () => {
  test.each(Object.entries(races))('%s', async (name, { machine, breaks }) => {
    const { tests } = examples[name]!;
    // The search stops at the first states of a machine that has thousands.
    const testing = new MachineTesting(machine, quickly({ ...tests, limits: { ...tests.limits, states: 300 } }));
    const found = [...(await testing.searchFailures()), ...(await testing.temporalFailures())].find(
      ({ rule }) => rule === breaks,
    );
    expect(found?.steps.map(describeStep).join(', ')).toBe(ways[name]);
  });
});

describe('five mistakes in each, noticed', () => {
  test.each(Object.entries(examples))('%s', async (_, { machine, tests }) => {
    const testing = new MachineTesting(machine, quickly({ ...tests, limits: { ...tests.limits, states: 60 } }));
    // Five of all there are, from beginning to end of the chart.
    const all = machineMutants(testing);
    const judged = [];
    const five = [0, 1, 2, 3, 4].map((i) => all[Math.floor((i * all.length) / 5)]!);
    for await (const mutant of judgeMachineMutants(testing, five)) judged.push(mutant);
    expect(judged).toHaveLength(5);
    expect(judged.filter(({ killedBy }) => killedBy === null)).toEqual([]);
  });
});
