/**
 * Why a peer is not reached, as far as the layers of a transport know it: each knows a little, and whoever waits for the peer asks the
 * uppermost, which asks the one below it.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Transport } from './transport.js';

/** In words that follow the peer's name and a colon; `null` for what one knows nothing of. */
type Explanation = (peer: NodeId) => string | null;

const explanations = new WeakMap<Transport, Explanation>();

export const explainAbsence = (transport: Transport, explanation: Explanation): void =>
  void explanations.set(transport, explanation);

export const absenceOf = (transport: Transport, peer: NodeId): string | null => explanations.get(transport)?.(peer) ?? null;
