/**
 * The addresses of the site and of the repository, for social cards, the sitemap and the edit links: those of package.json. A release needs
 * them there (scripts/check-release.mjs); until then they are placeholders.
 */
import { readFileSync } from 'node:fs';

const { version, homepage, repository } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export { version };
export const site = (homepage ?? 'https://quiver.example').replace(/\/$/, '');
export const repositoryUrl = (repository?.url ?? 'https://github.com/OWNER/xstate-quiver').replace(/^git\+|\.git$/g, '');
