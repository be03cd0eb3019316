/** Fixes what axe reports about VitePress itself, where the pages are made. If a fix does not fit the version of VitePress, the build ends. */

/** The corner of a table heads no column. */
export function cornersOfTables(md) {
  md.core.ruler.push('corners of tables', ({ tokens }) => {
    tokens.forEach((token, i) => {
      if (token.type !== 'th_open' || tokens[i + 1].content !== '') return;
      for (const part of [token, tokens[i + 2]]) part.tag = 'td';
    });
  });
}

/** The search is a dialog, not a button, and in its list the user chooses links: no clickable element contains another one. */
const SEARCH = [
  ['role="button"', 'role="dialog"\n      aria-modal="true"'],
  [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
  ['<kbd :aria-label', '<kbd role="img" :aria-label'],
  ['aria-expanded="true"', ''],
  ['aria-haspopup="listbox"', ''],
  [
    `:id="'localsearch-item-' + index"\n            :aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"`,
    'role="presentation"',
  ],
  [
    `:aria-label="[...p.titles, p.title].join(' > ')"`,
    `role="option"\n              :id="'localsearch-item-' + index"\n              :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
  ],
];

export const searchAsDialog = {
  name: 'search as dialog',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return null;
    return SEARCH.reduce((text, [from, to]) => {
      if (!text.includes(from))
        throw new Error(`VitePress has another search by now, without ${from}; see what axe has against it`);
      return text.replaceAll(from, to);
    }, code);
  },
};
