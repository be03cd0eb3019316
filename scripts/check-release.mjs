/**
 * What npm asks before it publishes (`prepublishOnly`): the addresses that only who publishes can know, and what has changed under the number of the
 * version. While the package has no public home it has none of them, and is not published by mistake.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** From the package to its sources, its pages and its people. */
const ADDRESSES = ['repository', 'homepage', 'bugs'];

/** What a release from that folder lacks, each with its cure. */
export function missingIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const headings = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').match(/^## .*$/gm) ?? [];
  const absent = ADDRESSES.filter((name) => !manifest[name]);
  return [
    ...absent.map((name) => `package.json has no ${name}; npm pkg set ${name}=https://… says where it is`),
    ...(headings.some((heading) => heading.split(' ')[1] === manifest.version)
      ? []
      : [`CHANGELOG.md has no version ${manifest.version}; call "## Unreleased" that, with the date, and begin a new one`]),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = missingIn(join(fileURLToPath(import.meta.url), '../..'));
  for (const what of missing) console.error(`not to be published: ${what}`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
