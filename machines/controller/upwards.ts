/** What every delivery process does alike with permits that go back up: those of a leaf that left, and its own at a change. */
import { send, tell, type NodeId } from '../effects.js';
import { MAIN, type Controller, type Return, type Settle } from './messages.js';

interface Bin {
  readonly of: Controller;
  readonly parent: NodeId;
  readonly permits: number;
}

export const passOn = send(({ context: { of, parent }, event }: { context: Bin; event: unknown }) => ({
  to: parent,
  message: { type: 'return' as const, of, permits: (event as Return).permits },
}));

/** Adds its own permits to those of the request procedure, and hands them in. */
export const handIn = tell(({ context: { of, permits }, event }: { context: Bin; event: unknown }) => {
  const { permits: local, members, issued } = event as Settle;
  return {
    role: MAIN,
    message: { type: 'settled' as const, part: of, permits: permits + local, members, issued, signalled: false },
  };
});
