/** Helpers for the tests of findings: machines without types, and the check for exactly the expected findings. */
import { createMachine, fromCallback, fromPromise, setup } from 'xstate';
import { expect, test } from 'vitest';
import type { MachineTests } from './options.js';
import { MachineTesting } from './testing.js';

export const chart = (config: object): any => createMachine(config as never);
export const made = (given: object) => ({
  createMachine: (config: object): any => setup(given as never).createMachine(config as never),
});
export const p = fromPromise(async () => 1);
export const cb = fromCallback(() => () => {});

/** `kid: dropped event T of kid!`: the chart where it is not the machine itself, and `!` where it is a failure. */
export type FindingCase = readonly [name: string, machine: any, finds: readonly string[], tests: MachineTests];

export function testFindings(cases: readonly FindingCase[]): void {
  test.each(cases)('%s', async (_, machine, finds, tests) => {
    const findings = await new MachineTesting(machine, { ...tests, limits: { states: 300 } }).findings();
    const found = findings.map(
      ({ chart: of, name, isFailure }) => `${of === machine.id ? '' : `${of}: `}${name}${isFailure ? '!' : ''}`,
    );
    expect(found.toSorted()).toEqual([...finds].toSorted());
  });
}
