/**
 * The way of frames to the peer: directly, or through a neighbor of both ends, a relay.
 *
 * An end uses a relay if it has not received its peer directly for half its patience, or if the peer reports the same. Frames are still
 * also sent directly, so that the direct way is found again as soon as it works. Routes are learned backward, as bridges learn them
 * (Perlman): the relay that brought a frame from the peer is the way to it. While nothing is received, each heartbeat tries the next relay,
 * so a peer that is gone costs one more message per heartbeat and not one for each neighbor. A relay forwards only over a direct way: one
 * hop, no loops. Sessions and sequence numbers belong to the two ends, whichever way a frame takes. Duplicates, and frames that are late
 * because the way has changed, are recognized by them, and a change of the way does not take the link down.
 */
import type { NodeId, Send, Tell } from '../effects.js';
import type { Bye, Frame, LinkContext } from './frames.js';
import { roleTo } from './view.js';

/** From another role of this node: send a relay request to this role's peer. */
export interface Pass {
  readonly type: 'pass';
  readonly target: NodeId;
  readonly message: Frame | Bye;
}

/** To a neighbor of both ends: forward this message to the target. */
export interface Relay {
  readonly type: 'relay';
  readonly target: NodeId;
  readonly message: Frame | Bye;
}

/** From a neighbor of both ends: a message that the origin asked it to forward. */
export interface Relayed {
  readonly type: 'relayed';
  readonly origin: NodeId;
  readonly message: Frame | Bye;
}

/** A received message, with the relay that forwarded it if it did not come directly. */
export type Incoming<M> = M & { readonly from: NodeId; readonly via?: NodeId };

const halfOf = ({ patience }: Pick<LinkContext, 'patience'>): number => Math.ceil(patience / 2);

/** True if the peer is received directly, as far as this end knows. */
export const receivesDirectly = (c: LinkContext): boolean => c.deaf < halfOf(c);

/** The timer that runs while a frame arrives was set before it: only the last of its heartbeats counts as silent. */
export const silenceAfterFrame = ({ pace }: Pick<LinkContext, 'pace'>): number => 1 - pace;

const nextRelay = ({ relays, via }: LinkContext): NodeId | null =>
  relays[(via === null ? 0 : relays.indexOf(via) + 1) % relays.length] ?? null;

/** The initial way to the peer: the first relay or, without relays, the direct one. */
export const firstWay = (c: Pick<LinkContext, 'relays' | 'patience'>) => ({
  via: c.relays[0] ?? null,
  deaf: c.relays.length === 0 ? 0 : halfOf(c),
});

/**
 * The way to the peer after a frame from it.
 * If both ends receive each other directly, the detour over a relay ends. A rejection does not end it, because its sender may not be up to
 * date.
 */
export function wayAfter(c: LinkContext, { hears, rejects, via }: Incoming<Frame>): Pick<LinkContext, 'via' | 'deaf'> {
  const { deaf } = c;
  if (via === undefined) return { via: hears ? (rejects ? c.via : null) : (c.via ?? nextRelay(c)), deaf: silenceAfterFrame(c) };
  return { via: hears && receivesDirectly(c) ? c.via : via, deaf };
}

/** The way after a heartbeat, `silence` heartbeats after the last frame from the peer. */
export function wayAfterBeat(c: LinkContext, silence: number): Pick<LinkContext, 'via' | 'deaf'> {
  if (c.relays.length === 0) return { via: null, deaf: 0 };
  const deaf = Math.min(c.deaf + c.pace, halfOf(c));
  const isLost = c.theirs === null || silence >= halfOf(c) || (c.via === null && deaf === halfOf(c));
  return { via: isLost ? nextRelay(c) : c.via, deaf };
}

/** The way after a report that the peer is gone: if only the direct way is gone, a relay still connects both ends. */
export const wayAfterReport = (c: LinkContext): Pick<LinkContext, 'via' | 'deaf'> =>
  c.relays.length === 0 ? { via: null, deaf: 0 } : { via: c.via ?? nextRelay(c), deaf: halfOf(c) };

const noRole: Tell = { role: [], message: { type: 'pass' } };

/** The message for the role that is linked with the relay; for no role if frames are only sent directly. */
export function passing(c: LinkContext, sent: () => Send<Frame | Bye>): Tell {
  if (c.via === null) return noRole;
  const { to, message } = sent();
  const pass: Pass = { type: 'pass', target: c.peer, message };
  return to === c.peer ? { role: roleTo(c.via), message: pass } : noRole;
}
