/** The reference of the API, from the docstrings of what the package exports: pages that the site takes like the others. */
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const sources = Object.values(exports).flatMap(({ types }) =>
  types ? [types.replace('./dist/', '../').replace('.d.ts', '.ts')] : [],
);

/** Options of typedoc and of typedoc-plugin-markdown. */
export default {
  entryPoints: sources,
  tsconfig: 'tsconfig.json',
  skipErrorChecking: true,
  plugin: ['typedoc-plugin-markdown', './typedoc-options.mjs'],
  out: 'reference',
  router: 'module',
  entryFileName: 'index',
  readme: 'none',
  name: 'Reference',
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useHTMLAnchors: true,
  // Functions come first, and options are tables.
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', '*'],
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  logLevel: 'Warn',
  treatValidationWarningsAsErrors: true,
  validation: { notExported: false, invalidLink: true, invalidPath: false },
};
