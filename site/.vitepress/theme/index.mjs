/** The default theme, with fixes for what axe reports about it; see also accessible.mjs. */
import { defineAsyncComponent, h } from 'vue';
import { withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import '@shikijs/vitepress-twoslash/style.css';
import './theme.css';

const nothingHere = () =>
  h('main', { class: 'nothing-here' }, [h('h1', 'This page is not here'), h('a', { href: withBase('/') }, 'To the first page')]);

export default {
  ...DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': nothingHere }),
  // Hovers in code are loaded by the pages that have them.
  enhanceApp: ({ app }) =>
    void app.component(
      'VMenu',
      defineAsyncComponent(() => import('./hover.mjs')),
    ),
};
