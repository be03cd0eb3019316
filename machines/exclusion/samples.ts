/** Sample events and inputs for one chart, for path generation and coverage. */
import type { ChartSamples } from '../protocol.js';
import { initiatorSays, participantSays, type ExclusionContext, type ExclusionInput, type Rules } from './machine.js';

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
      ...[...initiatorSays, ...participantSays].map((type) => ({ type, from })),
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
    ...initiatorSays.map((type) => ({ type, from })),
    { type: 'request', priority: from, from },
  ]);

export const samplesOf = (rules: readonly Rules[]): readonly ChartSamples[] =>
  rules.flatMap((set) => [
    { input: start(set), events },
    { input: start(set), events: asked },
  ]);
