import { assign, setup } from 'xstate';

/** A machine that a page and members share. */
export const visits = setup({
  types: { context: {} as { n: number }, events: {} as { type: 'VISIT' } },
}).createMachine({ context: { n: 0 }, on: { VISIT: { actions: assign({ n: ({ context }) => context.n + 1 }) } } });
