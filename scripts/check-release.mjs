/**
 * The check before `npm publish` (`prepublishOnly`): package.json must have public addresses, and CHANGELOG.md a heading for the version.
 * Until the addresses exist, the package cannot be published by mistake.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Fields with the addresses of the sources, the pages and the issues. */
const ADDRESSES = ['repository', 'homepage', 'bugs'];

/** Lists the missing parts of a release from a folder, each with its fix. */
export function missingIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const headings = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').match(/^## .*$/gm) ?? [];
  const absent = ADDRESSES.filter((name) => !manifest[name]);
  return [
    ...absent.map((name) => `package.json has no ${name}. Set it: npm pkg set ${name}=https://…`),
    ...(headings.some((heading) => heading.split(/[ ,]+/)[1] === manifest.version)
      ? []
      : [`CHANGELOG.md has no version ${manifest.version}. Add the heading "## ${manifest.version}" with the changes below it`]),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = missingIn(join(fileURLToPath(import.meta.url), '../..'));
  for (const what of missing) console.error(`Cannot publish: ${what}`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
