import { expect, test } from 'vitest';
import { readChart } from './chart.js';
import { partsMissingIn } from './chart-difference.js';

const before = readChart('order', {
  initial: 'open',
  states: { open: { on: { PAY: 'paid', CANCEL: 'canceled' } }, paid: {}, canceled: { type: 'final' } },
});
const after = readChart('order', {
  initial: 'open',
  states: {
    open: { on: { PAY: { target: 'paid', guard: 'enough' }, CANCEL: 'canceled' } },
    paid: { entry: 'thank' },
    refunded: {},
    canceled: { type: 'final' },
  },
});

const named = (parts: ReturnType<typeof partsMissingIn>) =>
  [...parts].map((part) => (typeof part === 'string' ? part : `${part.source} ${part.label}`));

test('states and transitions that are new or have other words differ', () => {
  expect(named(partsMissingIn(after, before))).toEqual(['paid', 'refunded', 'open PAY']);
  expect(named(partsMissingIn(before, after))).toEqual(['paid', 'open PAY']);
});

test('a chart does not differ from itself', () => {
  expect(named(partsMissingIn(before, before))).toEqual([]);
});
