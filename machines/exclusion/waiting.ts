/**
 * The dependency graph of Lemma 4.6, corrected: participants that owe an outcome to a candidate, and candidates that owe a priority to a
 * participant.
 *
 * The paper also counts a first request on its way as a debt of the participant. With this definition the graph has cycles (erratum 1). The
 * corrected participant refuses a first request that would have to wait, so the request is a debt only after its sender is a candidate.
 */
import type { Site } from './totals.js';
import { has, type PortNumber, type Ports } from './ports.js';

const portTo = (site: Site, peer: Site): PortNumber => (site === peer ? 0 : (site.ways.get(peer.id)?.port ?? -1));

const competes = ({ fact }: Site): boolean => fact?.initiator === 'compete';

/** True if the participant has the candidate's priority for the current trial, or the priority is on its way. */
function owesOutcome(participant: Site, candidate: Site): boolean {
  const { P } = participant.fact!.context;
  if (has(P, portTo(participant, candidate))) return true;
  return participant.incoming.some(({ from, message }) => from === candidate.id && message.type === 'request');
}

/** True if one of these ports of a node leads to the peer. */
const leadsTo = ({ linked }: Site, ports: Ports, peer: Site): boolean => ports.some((port) => linked.get(port) === peer);

/** Competing candidates of a participant. */
function candidates(participant: Site): Site[] {
  const found: Site[] = [];
  for (const port of participant.fact?.context.C ?? []) {
    const candidate = participant.linked.get(port);
    if (candidate && competes(candidate) && leadsTo(candidate, candidate.fact!.context.L, participant)) found.push(candidate);
  }
  return found;
}

/** True if some nodes wait for each other in a cycle. */
export function hasCycleOfWaiting(sites: Iterable<Site>): boolean {
  /** Candidates that owe a priority to a participant, and participants that owe an outcome to a candidate. */
  const [debtors, owing] = [new Map<Site, Site[]>(), new Map<Site, Site[]>()];
  const note = (graph: Map<Site, Site[]>, from: Site, to: Site) => {
    const known = graph.get(from);
    if (known) known.push(to);
    else graph.set(from, [to]);
  };
  for (const participant of sites) {
    if (!participant.fact || participant.fact.context.C.length === 0) continue;
    for (const candidate of candidates(participant)) {
      if (owesOutcome(participant, candidate)) note(owing, candidate, participant);
      else note(debtors, participant, candidate);
    }
  }
  if (debtors.size < 2) return false;
  const [finished, path] = [new Set<Site>(), new Set<Site>()];
  const visit = (site: Site): boolean => {
    if (path.has(site)) return true;
    if (finished.has(site)) return false;
    path.add(site);
    const isInCycle = (debtors.get(site) ?? []).some((candidate) => (owing.get(candidate) ?? []).some(visit));
    path.delete(site);
    finished.add(site);
    return isInCycle;
  };
  return [...debtors.keys()].some(visit);
}
