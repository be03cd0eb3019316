/**
 * Two population protocols: the states of two agents after they meet, the initiator first (Angluin et al. 2006; spec section 9).
 *
 * If the graph is not complete, agents of one opinion may never meet. In both protocols, agents without a rule therefore exchange their
 * states: states move over the graph, so that every pair of states meets.
 */

/** A population protocol: its states, and the new states of two agents after they meet, the initiator first. */
export interface PopulationProtocol<S extends string> {
  readonly states: readonly S[];
  meet(initiator: S, responder: S): readonly [S, S];
  /** A number that no interaction changes, so that a half-applied interaction is visible. */
  invariant?(population: readonly S[]): number;
}

/** Strong opinions A and B cancel each other and convince the weak ones, a and b. */
export type Opinion = 'A' | 'B' | 'a' | 'b';

const isStrong = (opinion: Opinion): boolean => opinion === 'A' || opinion === 'B';
const weak = (opinion: Opinion): Opinion => opinion.toLowerCase() as Opinion;

/** Exact majority with four states: the difference between strong As and strong Bs never changes. */
export const exactMajority: PopulationProtocol<Opinion> = {
  states: ['A', 'B', 'a', 'b'],
  meet(initiator, responder) {
    if (isStrong(initiator) && isStrong(responder)) {
      return initiator === responder ? [initiator, responder] : [weak(initiator), weak(responder)];
    }
    if (isStrong(initiator)) return [weak(initiator), initiator];
    if (isStrong(responder)) return [responder, weak(responder)];
    return [responder, initiator];
  },
  invariant: (population) => count(population, 'A') - count(population, 'B'),
};

export type Rank = 'leader' | 'follower';

/** All agents begin as leaders; when two leaders meet, one becomes a follower. At least one always remains. */
export const leaderElection: PopulationProtocol<Rank> = {
  states: ['leader', 'follower'],
  meet: (initiator, responder) =>
    initiator === 'leader' && responder === 'leader' ? ['leader', 'follower'] : [responder, initiator],
};

export const count = <S>(population: readonly S[], state: S): number => population.filter((other) => other === state).length;
