/** Which of what is read rather than watched is in the lower panel. */
import { signal } from '@preact/signals';

export type Tab = 'events' | 'why' | 'properties' | 'by hand' | 'compare' | 'plots';

export const tab = signal<Tab>('events');
