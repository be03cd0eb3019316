/** Events and starts worth trying on one chart: what path generation and coverage feed it. */
import type { ChartSamples } from '../protocol.js';
import { initiatorSays, participantSays, type ExclusionContext, type ExclusionInput, type Rules } from './machine.js';

/** Everything from every port: the chart itself refuses what it does not expect. */
function events({ ports, priorities }: ExclusionContext) {
  return [
    { type: 'lock' },
    { type: 'unlock' },
    { type: 'drawn', value: priorities - 1 },
    { type: 'link.up', peer: 2 },
    { type: 'link.down', peer: 1 },
    ...[0, ...ports].flatMap((from) => [
      ...[...initiatorSays, ...participantSays].map((type) => ({ type, from })),
      { type: 'request', priority: from % priorities, from },
      { type: 'win', won: true, from },
      { type: 'win', won: false, from },
    ]),
  ];
}

const start = (rules: Rules): ExclusionInput => ({ rules, priorities: 2, ports: [1] });

export const samplesOf = (rules: readonly Rules[]): readonly ChartSamples[] =>
  rules.map((set) => ({ input: start(set), events }));
