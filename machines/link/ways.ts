/**
 * By which way frames reach the peer: directly, or passed on by a neighbor of both, a relay.
 *
 * An end that has not heard its peer directly for half its patience, or hears from it that this is so over there, hands its frames to a relay
 * as well; they still go directly, too, so that the direct way is found again as soon as there is one. Routes are learned backward, as
 * bridges learn them (Perlman): by whom the peer was heard, by that one it is reached. While nothing is heard, each beat tries the next
 * relay, so that a peer that is gone costs one message a beat more and not one for each neighbor. A relay passes on over a direct way alone:
 * one hop, no loops. Sessions and numbers are those of the two ends, whichever way a frame takes: what comes twice, or late after the way
 * has changed, is known by them, and a change of the way takes no link down.
 */
import type { NodeId, Send, Tell } from '../effects.js';
import type { Bye, Frame, LinkContext } from './frames.js';
import { roleTo } from './view.js';

/** From the other role of a node that is to pass on: to its own peer. */
export interface Pass {
  readonly type: 'pass';
  readonly target: NodeId;
  readonly message: Frame | Bye;
}

/** To a neighbor of both ends: pass this on. */
export interface Relay {
  readonly type: 'relay';
  readonly target: NodeId;
  readonly message: Frame | Bye;
}

/** From a neighbor of both ends: this is what the origin asked to have passed on. */
export interface Relayed {
  readonly type: 'relayed';
  readonly origin: NodeId;
  readonly message: Frame | Bye;
}

/** As it is heard: by whom, where it did not come directly. */
export type Heard<M> = M & { readonly from: NodeId; readonly via?: NodeId };

const halfOf = ({ patience }: Pick<LinkContext, 'patience'>): number => Math.ceil(patience / 2);

/** True if the peer is heard directly, as far as this end knows. */
export const hearsDirectly = (c: LinkContext): boolean => c.deaf < halfOf(c);

const nextRelay = ({ relays, via }: LinkContext): NodeId | null =>
  relays[(via === null ? 0 : relays.indexOf(via) + 1) % relays.length] ?? null;

/** How an end begins: with nobody to pass on it has one way only. */
export const firstWay = (c: Pick<LinkContext, 'relays' | 'patience'>) => ({
  via: c.relays[0] ?? null,
  deaf: c.relays.length === 0 ? 0 : halfOf(c),
});

/**
 * The way after a frame. One that came directly, and says that its sender hears directly as well, ends the detour; unless it says that
 * something is missing, for then what its sender believes to hear may be out of date.
 */
export function wayAfter(c: LinkContext, { hears, rejects, via }: Heard<Frame>): Pick<LinkContext, 'via' | 'deaf'> {
  const { deaf } = c;
  if (via === undefined) return { via: hears ? (rejects ? c.via : null) : (c.via ?? nextRelay(c)), deaf: 0 };
  return { via: hears && hearsDirectly(c) ? c.via : via, deaf };
}

/** The way after a beat, of so many in which the peer was not heard at all. */
export function wayAfterBeat(c: LinkContext, silence: number): Pick<LinkContext, 'via' | 'deaf'> {
  if (c.relays.length === 0) return { via: null, deaf: 0 };
  const deaf = Math.min(c.deaf + 1, halfOf(c));
  const isLost = c.theirs === null || silence >= halfOf(c) || (c.via === null && deaf === halfOf(c));
  return { via: isLost ? nextRelay(c) : c.via, deaf };
}

/** The way after a report that the peer is gone: if only the direct way is gone, a relay still reaches the peer, and the peer this end. */
export const wayAfterReport = (c: LinkContext): Pick<LinkContext, 'via' | 'deaf'> =>
  c.relays.length === 0 ? { via: null, deaf: 0 } : { via: c.via ?? nextRelay(c), deaf: halfOf(c) };

const nobody: Tell = { role: [], message: { type: 'pass' } };

/** What is sent to the peer, for the role that speaks with the relay; for none while it goes directly alone. */
export function passing(c: LinkContext, sent: () => Send<Frame | Bye>): Tell {
  if (c.via === null) return nobody;
  const { to, message } = sent();
  const pass: Pass = { type: 'pass', target: c.peer, message };
  return to === c.peer ? { role: roleTo(c.via), message: pass } : nobody;
}
