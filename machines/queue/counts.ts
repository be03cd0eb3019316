/**
 * Where counting ends for the checker. A guardian whose observation was not begun by its own timer may count finds that bounce for
 * ever, and only time ends that; but from some number on it does not matter how many they were.
 *
 * Let the count be greater than φ can be. Then so is the estimate that comes of it, and until the next timeout the difference of
 * estimate and φ stays as it is: only a drop and the turn of the pointer change either, and they change both by one. While the
 * difference is positive every find that comes in is dropped, since φ was at least 1 before it, the edge is not legal, and nothing is
 * injected. Nothing else reads these numbers, and the next timeout forgets them.
 */
import type { NodeView, RoleView } from '../protocol.js';
import type { GuardianContext } from './guardian.js';
import { GUARDIAN } from './messages.js';

/** More than two pointers, the finds that a corruption puts on an edge, and those that its guardian injects by mistake. */
export const ENOUGH = 12;

export function withoutExcess(view: NodeView): NodeView {
  if (!Object.values(view).some(exceeds)) return view;
  const roles = Object.entries(view).map(([role, state]) => [role, exceeds(state) ? capped(state) : state] as const);
  return Object.fromEntries(roles);
}

const exceeds = ({ chart, context }: RoleView<GuardianContext>): boolean => chart === GUARDIAN && context.sent > ENOUGH;
const capped = (guardian: RoleView): RoleView => ({ ...guardian, context: { ...guardian.context, sent: ENOUGH } });
