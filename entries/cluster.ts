/**
 * `xstate-quiver/cluster`: cluster actors, one live instance of a machine for each id.
 *
 * @module xstate-quiver/cluster
 */
export { clusterLogic, createCluster, delivery, ActorError, type Cluster } from '../adapters/cluster/cluster.js';
