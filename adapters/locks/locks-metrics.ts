/**
 * Metrics of locks for the OpenTelemetry metrics API.
 *
 *     import { metrics } from '@opentelemetry/api';
 *     const locks = createLocks({ transport, peers, metrics: metrics.getMeter('locks') });
 *
 * The attributes are the peer and the `name` of `createLocks`. Names of locks are not attributes, because there can be any number of them.
 */
import { filter, type Observable } from 'rxjs';
import type { LiveNode } from '../node/node.js';
import type { LockQueueNotification } from './lock-queue.js';
import type { LocksStatus } from './locks-status.js';

type Attributes = Readonly<Record<string, string>>;
type Describe = {
  readonly description?: string;
  readonly unit?: string;
  readonly advice?: { explicitBucketBoundaries?: number[] };
};
type Observe = (result: { observe(value: number, attributes: Attributes): void }) => void;

/** The part of OpenTelemetry's `Meter` that is used. */
export interface LocksMeter {
  createCounter(name: string, options: Describe): { add(value: number, attributes: Attributes): void };
  createHistogram(name: string, options: Describe): { record(value: number, attributes: Attributes): void };
  createObservableGauge(
    name: string,
    options: Describe,
  ): { addCallback(observe: Observe): void; removeCallback(observe: Observe): void };
}

const PREFIX = 'quiver.locks';
/** From a hand-over in one process to a wait of minutes, in seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Reports the metrics of locks. `epochs$` emits each epoch that begins. */
export function reportMetrics(
  meter: LocksMeter,
  { id, name: ofLocks }: LiveNode,
  epochs$: Observable<number>,
  notifications$: Observable<LockQueueNotification>,
  status: () => LocksStatus,
): void {
  const attributes: Attributes = { 'quiver.peer': id, 'quiver.locks.name': ofLocks };
  const duration = (name: string, description: string) =>
    meter.createHistogram(`${PREFIX}.${name}.duration`, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: BUCKETS_S },
    });
  const waits = duration('wait', 'From a request to the end of its wait');
  const holds = duration('hold', 'From a grant to its release or loss');
  const epochs = meter.createCounter(`${PREFIX}.epochs`, { description: 'Epochs that have begun at this peer', unit: '{epoch}' });
  epochs$.subscribe(() => epochs.add(1, attributes));
  notifications$.pipe(filter(({ type }) => type !== 'asked')).subscribe(({ type, ms }) => {
    const durations = type === 'released' || type === 'lost' ? holds : waits;
    durations.record(ms / 1000, { ...attributes, 'quiver.locks.outcome': type });
  });
  const gauge = (name: string, description: string, read: (now: LocksStatus) => number) => {
    const instrument = meter.createObservableGauge(`${PREFIX}.${name}`, { description });
    const observe: Observe = (result) => {
      const now = status();
      result.observe(read(now), attributes);
      // The last observed value stays forever, so it has to be that of the end. The callback is removed only after all callbacks were
      // called.
      if (now.state === 'closed') queueMicrotask(() => instrument.removeCallback(observe));
    };
    instrument.addCallback(observe);
  };
  gauge('serving', '1 while locks are granted at this peer', ({ state }) => Number(state === 'serving' || state === 'attached'));
  gauge('held', 'Locks that are held at this peer', ({ held }) => held.length);
  gauge('waiting', 'Requests that wait at this peer', ({ waiting }) => waiting.reduce((sum, { callers }) => sum + callers, 0));
}
