/** The search runs in the browser. It also finds pages by words that other libraries use, and it knows the reference by its headings only. */

/**
 * Each word of a page is indexed with its synonyms. VitePress sends this function to the browser as text, so the table is inside of it.
 */
const processTerm = (term) => {
  const synonyms = {
    lock: ['mutex', 'semaphore'],
    locks: ['mutex', 'semaphore'],
    quota: ['semaphore', 'throttle'],
    quotas: ['semaphore', 'throttle'],
    permits: ['semaphore'],
    majority: ['quorum'],
    majorities: ['quorum'],
    patience: ['timeout'],
    withinms: ['timeout'],
    deadline: ['timeout'],
    crashes: ['failover'],
    interleaving: ['concurrency', 'race'],
  };
  const word = term.toLowerCase();
  return Object.hasOwn(synonyms, word) ? [word, ...synonyms[word]] : [word];
};

const HEADING = /<h[1-6][^]*?<\/h[1-6]>/g;

/** The text that is indexed of a page. The whole reference would be half of the index. */
function render(source, env, md) {
  const html = md.render(source, env);
  if (env.frontmatter?.search === false) return '';
  return env.relativePath.startsWith('site/reference/') ? (html.match(HEADING) ?? []).join('\n') : html;
}

export const search = {
  provider: 'local',
  options: {
    _render: render,
    miniSearch: { options: { processTerm }, searchOptions: { processTerm: (term) => term.toLowerCase() } },
  },
};
