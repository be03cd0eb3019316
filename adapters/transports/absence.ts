/**
 * Reasons for which a peer is not reachable. Each layer of a transport knows some. A caller that waits for the peer asks the uppermost
 * layer, which asks the one below it.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Transport } from './transport.js';

/** Returns a reason that follows the peer's name and a colon; `null` if the layer knows none. */
type Explanation = (peer: NodeId) => string | null;

const explanations = new WeakMap<Transport, Explanation>();

export const explainAbsence = (transport: Transport, explanation: Explanation): void =>
  void explanations.set(transport, explanation);

export const absenceOf = (transport: Transport, peer: NodeId): string | null => explanations.get(transport)?.(peer) ?? null;
