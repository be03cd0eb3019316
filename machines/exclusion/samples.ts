/** Events and starts worth trying on one chart: what path generation and coverage feed it. */
import type { ChartSamples } from '../protocol.js';
import { initiatorSays, participantSays, type ExclusionContext, type ExclusionInput, type Rules } from './machine.js';

/** No port of the node. */
const STRANGE = 9;

/** Everything from every port: the chart itself refuses what it does not expect. */
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
