/** Which of what is read rather than watched is in the lower panel. */
import { signal } from '@preact/signals';

export type Tab = 'plots' | 'log' | 'why' | 'properties' | 'by hand' | 'compare';

export const tab = signal<Tab>('plots');
