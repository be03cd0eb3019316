/**
 * Bounds of counters for the checker of the arrow queue (guardian.ts has its terms). A guardian estimates φ, the
 * number of finds on its edge, by counting the finds that return to it. If its own timer did not start the count, it may count forever,
 * and only time ends that. From some number on, the count no longer matters.
 *
 * Let the count exceed the maximum of φ. Then so does the resulting estimate, and until the next timeout the difference of estimate and φ
 * is constant. Only a drop and the turn of the pointer change either, and they change both by one. While the difference is positive, every
 * incoming find is dropped: φ was at least 1 before it, the edge is not legal, and nothing is injected. No other rule reads these numbers,
 * and the next timeout resets them.
 */
import type { NodeView, RoleView } from '../protocol.js';
import type { GuardianContext } from './guardian.js';
import { GUARDIAN } from './messages.js';

/** More than the sum of two pointers, the finds of a corruption on an edge, and those that its guardian injects by mistake. */
export const ENOUGH = 12;

export function withoutExcess(view: NodeView): NodeView {
  if (!Object.values(view).some(exceeds)) return view;
  const roles = Object.entries(view).map(([role, state]) => [role, exceeds(state) ? capped(state) : state] as const);
  return Object.fromEntries(roles);
}

const exceeds = ({ chart, context }: RoleView<GuardianContext>): boolean => chart === GUARDIAN && context.sent > ENOUGH;
const capped = (guardian: RoleView): RoleView => ({ ...guardian, context: { ...guardian.context, sent: ENOUGH } });
