/**
 * `xstate-quiver/cluster`: XState machines as cluster actors. Each id has one live instance, which survives the failure of its process.
 *
 * @module xstate-quiver/cluster
 */
export { clusterLogic, createCluster, delivery, ActorError, type Cluster } from '../adapters/cluster/cluster.js';
