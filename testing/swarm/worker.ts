/** A process of the swarm: rehearses the schedules that it receives, one task after the other. */
import { formatFailure } from '../../test/rehearsal/failure.js';
import { rehearse } from '../../test/rehearsal/rehearse.js';
import type { Result, SwarmTask } from './index.js';
import { WORKLOADS } from './workloads.js';

async function perform(task: SwarmTask): Promise<Result> {
  const { workload, seed, schedules } = task;
  const { options, main } = WORKLOADS[workload];
  const begun = process.cpuUsage();
  const { runs, counts, failure } = await rehearse({ ...options, seed, runs: schedules, shrinkSeconds: 30 }, main);
  const { user, system } = process.cpuUsage(begun);
  return {
    task,
    schedules: runs,
    grants: counts['grant'] ?? 0,
    faults: counts['fault'] ?? 0,
    operations: counts['return'] ?? 0,
    seconds: (user + system) / 1e6,
    failure: failure && { seed: failure.seed, text: formatFailure(failure) },
  };
}

process.on('message', (task: SwarmTask) => void perform(task).then((result) => process.send!(result)));
