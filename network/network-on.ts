/** The network of a scenario on a scheduler of RxJS: for marble tests, or in real time with a real clock. */
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../machines/checks.js';
import { UsageError } from '../machines/errors.js';
import { Network } from './network.js';
import type { Scenario } from './scenario/types.js';
import { shownValue } from './scenario/read.js';
import { requireScenario } from './scenario/required.js';
import { timingOn } from './timing.js';
import { linkChanges } from './topology/link-changes.js';
import { faultBudget } from './world/environment.js';

/**
 * Creates the network of a scenario on any scheduler of RxJS. It starts by itself, after all work that is scheduled for now, so subscribe
 * first. With `until: { at }` it stops at that time, and its Observables complete; otherwise call `network.stop()`.
 *
 * A scheduler does not know the order of Quiver's events within one tick: use `Simulation` for runs that a seed repeats.
 *
 * @param scenario a parsed scenario.
 * @param scheduler the RxJS scheduler that defines the time.
 * @returns a network that has not started.
 * @example
 * ```ts
 * import { map } from 'rxjs';
 * import { TestScheduler } from 'rxjs/testing';
 * import { directory } from 'xstate-quiver/machines';
 * import { networkOn, parseScenario } from 'xstate-quiver/network';
 *
 * const events = [{ at: 1, node: 'n1', do: 'request' }];
 * const json = { protocol: 'directory', topology: { kind: 'path', n: 2 }, network: { latency: 3 }, events };
 * const scheduler = new TestScheduler((actual, expected) => console.log(actual.length === expected.length));
 * scheduler.run(({ expectObservable }) => {
 *   const network = networkOn(parseScenario(json, { directory }), scheduler);
 *   expectObservable(network.sent$.pipe(map(({ message }) => message.type[0]))).toBe('-f--t');
 * });
 * ```
 * @public
 */
export function networkOn(scenario: Scenario, scheduler: SchedulerLike): Network {
  requireScenario('networkOn', scenario);
  if (!isObject(scheduler) || typeof scheduler.schedule !== 'function')
    throw new UsageError(`networkOn needs an RxJS scheduler as its second argument, got ${shownValue(scheduler)}.`);
  const { protocol, graph, options, network: conditions, seed, events, workload, contacts, until } = scenario;
  const network = new Network({
    protocol,
    instance: { ...graph, options },
    conditions,
    timing: timingOn(scheduler),
    seed,
    host: 'snapshots',
    script: events,
    workload,
    budget: faultBudget(conditions),
  });
  const start = (): void => {
    if ('at' in until) scheduler.schedule(() => network.stop(), until.at);
    network.start();
    network.startWorkload();
    events.forEach(({ at }, place) => scheduler.schedule(() => void network.world.make({ event: place }), at));
    for (const change of linkChanges(contacts)) scheduler.schedule(() => network.perform(change), change.at);
  };
  // The expectation of a marble test subscribes by the scheduler, in this tick.
  scheduler.schedule(() => scheduler.schedule(start));
  return network;
}
