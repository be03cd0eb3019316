/** Machines of kinds that generated tests once got wrong, each with what is found in it today. */
import type { AnyStateMachine } from 'xstate';
import { applications } from './cases-applications.fixtures.js';
import { awkward, defects, planted } from './cases-bugs.fixtures.js';
import { chance } from './cases-chance.fixtures.js';
import { features } from './cases-features.fixtures.js';
import { publicReports } from './cases-reports.fixtures.js';
import type { MachineTests } from './options.js';

export interface Case {
  readonly id: string;
  readonly about: string;
  readonly machine: AnyStateMachine;
  readonly tests?: MachineTests;
  /** The result on the page. */
  readonly result: RegExp;
  /** The text of a failure. */
  readonly failure?: RegExp;
  /** The reason of something that is not covered. */
  readonly missing?: RegExp;
  readonly notes?: RegExp;
  /** The finding without the properties of the tests. */
  readonly finding?: string;
  readonly covers?: readonly string[];
}

export const groups: readonly { readonly title: string; readonly cases: readonly Case[] }[] = [
  { title: 'Public reports about XState', cases: publicReports },
  { title: 'XState 5.20 and later', cases: features },
  { title: 'Shapes of applications', cases: applications },
  { title: 'Chance, time and depth', cases: chance },
  { title: 'Planted bugs', cases: planted },
  { title: 'Once reported wrongly', cases: defects },
  { title: 'Once awkward', cases: awkward },
];
