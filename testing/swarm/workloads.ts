/** The workloads that the swarm rehearses: all shipped objects and cluster actors, over hub, mesh, NATS and MQTT. */
import { actorsUnder, unstoredActorsUnder, type ShippedCluster } from '../rehearsal/actors.js';
import { clientsUnder } from '../rehearsal/clients.js';
import { listsUnder } from '../rehearsal/lists.js';
import { locksUnder, shippedFrom } from '../rehearsal/locks.js';
import { membersUnder } from '../rehearsal/members.js';
import { movingObjectsUnder, OBJECTS, objectsUnder, unstoredObjectsUnder, type ShippedObjects } from '../rehearsal/objects.js';
import type { Main } from '../../test/rehearsal/peer.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';

export interface SwarmWorkload {
  readonly options: RehearseOptions;
  readonly main: Main;
  /** The part of the processor time that the swarm spends on this workload. */
  readonly share: number;
}

const shipped = await shippedFrom<ShippedObjects & ShippedCluster>(
  (path) => import(/* @vite-ignore */ `../../adapters/${path}.js`),
  [...OBJECTS, 'cluster/cluster'],
);

const workload = ({ options, main }: Omit<SwarmWorkload, 'share'>, share: number): SwarmWorkload => ({ options, main, share });

const nats = locksUnder(shipped, ['nats']);

export const WORKLOADS = {
  locks: workload(locksUnder(shipped), 0.1),
  'locks, a wrong list': workload(listsUnder(shipped), 0.1),
  'locks, members change': workload(membersUnder(shipped), 0.1),
  'locks, members change, over mesh': workload(membersUnder(shipped, ['mesh']), 0.05),
  'locks over mesh': workload(locksUnder(shipped, ['mesh']), 0.1),
  // Only the shipped limits.
  'locks over NATS': workload({ ...nats, options: { ...nats.options, limits: ['shipped'] } }, 0.1),
  'locks over MQTT': workload(locksUnder(shipped, ['mqtt']), 0.1),
  'locks, unlisted clients': workload(clientsUnder(shipped), 0.05),
  objects: workload(objectsUnder(shipped), 0.1),
  'objects, not stored': workload(unstoredObjectsUnder(shipped), 0.05),
  'objects over mesh': workload(objectsUnder(shipped, ['mesh']), 0.05),
  'objects, members change': workload(movingObjectsUnder(shipped), 0.1),
  'objects, members change, over mesh': workload(movingObjectsUnder(shipped, ['mesh']), 0.05),
  actors: workload(actorsUnder(shipped), 0.05),
  'actors over mesh': workload(actorsUnder(shipped, ['mesh']), 0.05),
  'actors over NATS': workload(actorsUnder(shipped, ['nats']), 0.05),
  'actors, not stored': workload(unstoredActorsUnder(shipped), 0.05),
} satisfies Record<string, SwarmWorkload>;

export type WorkloadName = keyof typeof WORKLOADS;

export const isWorkload = (name: string): name is WorkloadName => Object.hasOwn(WORKLOADS, name);
