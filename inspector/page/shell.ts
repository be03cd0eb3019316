/** The page's own state: theme, help, which view fills the page and which are shown as text. */
import { effect, signal } from '@preact/signals';

export type Theme = 'light' | 'dark';
export type ViewName = 'network' | 'chart' | 'space-time' | 'plots';

/** False for a page that is a single file with its trace and has no server. */
export const isServed = document.getElementById('trace') === null;

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<Theme>(system.matches ? 'dark' : 'light');
export const isHelpOpen = signal(false);
export const isPaletteOpen = signal(false);
export const isReachOpen = signal(false);
export const maximized = signal<ViewName | null>(null);
/** True if the tree of actors is shown at the left. `null` until the viewer decides: then it is shown if there are programs. */
export const isTreeOpen = signal<boolean | null>(null);
/** True if the chart takes half of the page. */
export const isChartWide = signal(false);
export const asText = signal<ReadonlySet<ViewName>>(new Set());

system.addEventListener('change', () => (theme.value = system.matches ? 'dark' : 'light'));
effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

export const toggleTheme = (): void => {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
};

export const toggleMaximized = (view: ViewName): void => {
  maximized.value = maximized.value === view ? null : view;
};

export const toggleText = (view: ViewName): void => {
  const next = new Set(asText.value);
  if (!next.delete(view)) next.add(view);
  asText.value = next;
};
