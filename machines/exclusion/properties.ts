/**
 * The invariants of local mutual exclusion (spec section 7) and its liveness, as named properties.
 *
 * Each invariant is about one node, its links and its neighbors. Totals judge it only where something has changed.
 */
import { always } from '../folded.js';
import type { NodeView, Property } from '../protocol.js';
import type { ExclusionOptions } from './options.js';
import { exclusionFold } from './totals.js';
import { valueOf } from './view.js';

const description = always(exclusionFold, { isLocal: true });

const asks = (view: NodeView): boolean => ['prepare', 'compete', 'win'].includes(valueOf(view).initiator);
const hasLocked = (view: NodeView): boolean => valueOf(view).initiator === 'locked';

const everyRequestSucceeds: Property<ExclusionOptions> = {
  name: 'every request succeeds',
  kind: 'eventually',
  description:
    'A node that requests its neighborhood locks the part of it that persists, even if its neighbors keep competing (lockout freedom).',
  when: (c, id) => asks(c.nodes.get(id)!),
  holds: (c, id) => hasLocked(c.nodes.get(id)!),
};

/** No nodes wait for each other in a cycle. The printed rules violate it, and are therefore checked without this property. */
export const noCycleOfWaiting: Property<ExclusionOptions> = always(exclusionFold, { hasLinearCost: true })(
  'no cycle of waiting',
  'Candidates that owe a priority and participants that owe an outcome do not wait for each other in a cycle (Lemma 4.6, corrected).',
  (t) => !t.hasCycleOfWaiting(),
);

export const exclusionProperties: readonly Property<ExclusionOptions>[] = [
  description(
    'roles of a port',
    'Applicants, candidates and those on hold are different ports; priorities come from candidates, answers and outcomes from ports of the request in hand.',
    (t) => t.mixed === 0,
  ),
  description(
    'phase fits candidates',
    'A participant competes exactly while it has candidates; without them no port is on hold; when idle, it knows no candidate.',
    (t) => t.outOfPhase === 0,
  ),
  description(
    'the request fits the state',
    'A node that is idle has no request in hand; any other has one, and itself in it.',
    (t) => t.unfit === 0,
  ),
  description(
    'two messages on an edge',
    'An edge carries at most one message for each of its ends as initiator, so two in all, and port 0 at most one (Theorem 4.1).',
    (t) => t.crowded === 0,
  ),
  description(
    'the lock set is known',
    'The lock set that a locked node reports is its real lock set; an idle node has none.',
    (t) => t.lockSets.hold,
  ),
  description(
    'one winner',
    'A participant has promised itself to at most one candidate, and to none while it is locked.',
    (t) => t.promises.hold,
  ),
  description(
    'messages are expected',
    'An answer arrives in the state that waits for it, from a port that has not answered yet. A prepare arrives from a new port, a request from a ready or competing one, a setLock from a candidate at a free node, and a release from the holder.',
    (t) => t.messages.hold,
  ),
  noCycleOfWaiting,
  everyRequestSucceeds,
];

export const printedProperties = exclusionProperties.filter((property) => property !== noCycleOfWaiting);
