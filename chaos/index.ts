/**
 * Chaos: rounds of real processes that are killed, stopped and disconnected while they use locks, leaders, quotas, names and cluster
 * actors.
 *
 *     npm run chaos -- --rounds 24 --seed 1
 *     npm run chaos -- --rounds 24 --seed 1 --over mesh
 *     npm run chaos -- --round 7 --seed 1 --history h.ndjson      # only that round, with its history
 *
 * The faults of a round are drawn from the seed. Their effects depend on the machine, so the same round may end differently. The exit
 * status is 1 if a history violates a rule.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lines, notes } from './history.js';
import { BROKERS, inWords, plan, type BrokerKind, type FaultPlan } from './plan.js';
import { hasNats } from './processes.js';
import { runRound, type RoundReport } from './round.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '24' },
    round: { type: 'string' },
    seed: { type: 'string', default: '1' },
    history: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    over: { type: 'string' },
  },
});

const brokers: readonly BrokerKind[] = BROKERS.filter(
  (kind) => kind === values.over || (values.over === undefined && (kind !== 'nats' || hasNats())),
);
if (brokers.length === 0) {
  console.error(`Unknown broker "${values.over}" for --over. Choose one of ${BROKERS.join(', ')}.`);
  process.exit(64);
}
if (!hasNats()) console.log('no nats-server here (Debian: apt-get install nats-server): no round is over NATS');

const seed = Number(values.seed);
const rounds = values.round === undefined ? Array.from({ length: Number(values.rounds) }, (_, i) => i) : [Number(values.round)];
const waiting = rounds.map((round) => plan(seed, round, brokers));
const begin = performance.now();
let broken = 0;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) report(next, await runRound(next));
}

function report({ round, subject, broker, isStored, faults }: FaultPlan, { history, violations }: RoundReport): void {
  const counts = [
    ...['grant', 'lost', 'members'].map((type) => [lines(history, type).length, type] as const),
    ...['took', 'forgotten', 'named', 'leader', 'hosted', 'acknowledged', 'unstored'].map(
      (what) => [notes(history, what).length, what] as const,
    ),
  ].filter(([count]) => count > 0);
  const isHeld = violations.length === 0;
  console.log(
    `${isHeld ? 'held  ' : 'BROKEN'} round ${round}, ${subject} over ${broker}${isStored ? ' with storage' : ''}: ${faults.length} faults, ${counts.map((pair) => pair.join(' ')).join(', ')}`,
  );
  if (values.history !== undefined) writeFileSync(values.history, `${history.map((line) => JSON.stringify(line)).join('\n')}\n`);
  if (isHeld) return;
  broken++;
  for (const line of [...faults.map(inWords), ...violations]) console.log(`         ${line}`);
  console.log(`         again: npm run chaos -- --seed ${seed} --round ${round} --over ${broker} --history history.ndjson`);
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(
  `${rounds.length - broken} of ${rounds.length} rounds held, seed ${seed}, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
);
process.exitCode = broken === 0 ? 0 : 1;
