/** The actor logic `electionLogic`: takes part in an election as long as its XState actor runs. */
import type { NodeId } from '../machines/effects.js';
import type { Election } from './election.js';
import { objectLogic, type FromActor, type ObjectLogic } from './object-logic.js';

/**
 * The notice of `electionLogic`: the leader as this peer knows it, at the start and after each change.
 *
 * @public
 */
export interface ElectionNotice extends FromActor {
  readonly type: 'leader';
  /** `null` while no leader is known. */
  readonly leader: NodeId | null;
  /** True if this peer leads. */
  readonly isLeader: boolean;
}

/** The type of the events of an actor that takes none. */
interface NoEvent {
  readonly type: never;
}

type ElectionState = Pick<Election, 'leader' | 'isLeader'>;

/**
 * An election as actor logic: it sends `leader` to its parent at the start and after each change, and takes no events. The snapshot has
 * `leader` and `isLeader`. Stopping the actor leaves the election open.
 *
 * @example
 * ```ts
 * import { createActor, setup, waitFor } from 'xstate';
 * import { createElection, electionLogic, type Election, type ElectionNotice } from 'xstate-quiver/election';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const election = createElection({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const scheduler = setup({
 *   types: { context: {} as { election: Election }, input: {} as { election: Election }, events: {} as ElectionNotice },
 *   actors: { election: electionLogic },
 *   guards: { isLeader: ({ event }) => event.isLeader },
 * }).createMachine({
 *   context: ({ input }) => input,
 *   invoke: { id: 'election', src: 'election', input: ({ context }) => context },
 *   on: { leader: [{ guard: 'isLeader', target: '.leading' }, { target: '.following' }] },
 *   initial: 'following',
 *   states: { following: {}, leading: {} },
 * });
 * const actor = createActor(scheduler, { input: { election } }).start();
 * await waitFor(actor, (snapshot) => snapshot.matches('leading'));
 * actor.stop();
 * await election.close();
 * ```
 * @public
 */
export const electionLogic: ObjectLogic<'election', Election, ElectionState, NoEvent, ElectionNotice> = objectLogic({
  key: 'election',
  method: 'nearest',
  initial: { leader: null, isLeader: false },
  attach(election, report, signal) {
    const announce = () => {
      const { leader, isLeader } = election;
      report({ leader, isLeader }, { type: 'leader', leader, isLeader });
    };
    election.addEventListener('change', announce, { signal });
    announce();
    return {};
  },
  closed: ({ node }) => node.closed,
});
