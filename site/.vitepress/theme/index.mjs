/** The default theme, with fixes for what axe reports about it; see also accessible.mjs. */
import { h } from 'vue';
import { withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import './theme.css';

const nothingHere = () =>
  h('main', { class: 'nothing-here' }, [h('h1', 'This page is not here'), h('a', { href: withBase('/') }, 'To the first page')]);

export default { ...DefaultTheme, Layout: () => h(DefaultTheme.Layout, null, { 'not-found': nothingHere }) };
