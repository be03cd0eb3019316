import { describe, expect, test } from 'vitest';
import { describeMachine } from 'xstate-quiver/test';
import { checkout } from './checkout.js';
import samples from './samples.js';

describeMachine(
  checkout,
  {
    ...samples,
    invariants: { 'a paid order has a receipt': (state) => !state.matches('paid') || state.context.receipt !== null },
  },
  { describe, test, expect },
);
