/** Samples: events and inputs for the chart, and small systems with link changes and with the rules as printed, which deadlock. */
import type { ChartSamples, SystemSample } from '../protocol.js';
import { initiatorMessages, participantMessages, type ExclusionContext, type ExclusionInput, type Rules } from './machine.js';

/** A port that the node does not have. */
const STRANGE = 9;

/** All events from every port: the chart itself rejects unexpected ones. */
function events({ ports, priorities }: ExclusionContext) {
  return [
    { type: 'lock' },
    { type: 'lock', ports: [STRANGE] },
    { type: 'unlock' },
    { type: 'drawn', value: priorities - 1 },
    { type: 'prepare', from: STRANGE },
    { type: 'link.up', peer: 2 },
    ...(ports.includes(1) ? [] : [{ type: 'link.up', peer: 1 }]),
    { type: 'link.down', peer: 1 },
    ...[...new Set([0, 1, ...ports])].flatMap((from) => [
      ...[...initiatorMessages, ...participantMessages].map((type) => ({ type, from })),
      { type: 'request', priority: from % priorities, from },
      { type: 'win', won: true, from },
      { type: 'win', won: false, from },
    ]),
  ];
}

const start = (rules: Rules): ExclusionInput => ({ rules, priorities: 2, ports: [1] });

/** The messages of initiators lead a participant deep into a trial. */
const asked = (context: ExclusionContext) =>
  [0, ...context.ports].flatMap((from) => [
    ...initiatorMessages.map((type) => ({ type, from })),
    { type: 'request', priority: from, from },
  ]);

export const samplesOf = (rules: readonly Rules[]): readonly ChartSamples[] =>
  rules.flatMap((set) => [
    { input: start(set), events },
    { input: start(set), events: asked },
  ]);

const lock = (node: string) => ({ at: 0, node, do: 'lock' });

const pair = { kind: 'path', n: 2 };
const row = { kind: 'path', n: 3 };

export const exclusionSystems: readonly SystemSample[] = [
  { topology: pair, options: { priorities: 2, hold: 1 }, events: ['n0', 'n1', 'n0'].map(lock) },
  { topology: row, options: { priorities: 2, rules: 'deferred' }, events: ['n0', 'n1', 'n2'].map(lock) },
  {
    topology: row,
    options: { priorities: 2, hold: 1 },
    events: [lock('n0'), lock('n1'), { at: 0, do: 'cut', link: ['n1', 'n2'] }, { at: 0, do: 'join', link: ['n1', 'n2'] }],
  },
  { topology: pair, options: { priorities: 2, hold: 1 }, events: [{ at: 0, node: 'n0', do: 'pair', port: 1 }, lock('n1')] },
  {
    topology: pair,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    events: ['n0', 'n1', 'n0'].map(lock),
    violates: 'every request succeeds',
  },
];
