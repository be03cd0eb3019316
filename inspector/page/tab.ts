/** The tabs of the lower panel, and the one that is open. */
import { signal } from '@preact/signals';

export const TABS = ['events', 'why', 'properties', 'by hand', 'compare', 'plots'] as const;

export type Tab = (typeof TABS)[number];

export const tab = signal<Tab>('events');
