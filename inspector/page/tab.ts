/** Which of what is read rather than watched is in the lower panel. */
import { signal } from '@preact/signals';

export const TABS = ['events', 'why', 'properties', 'by hand', 'compare', 'plots'] as const;

export type Tab = (typeof TABS)[number];

export const tab = signal<Tab>('events');
