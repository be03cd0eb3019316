/** The check before `npm publish` requires public addresses and a changelog of the version. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { missingIn } from './check-release.mjs';

function folderOf(manifest: object, changes: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '0.2.0', ...manifest }));
  writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${changes}\n`);
  return folder;
}
const addresses = { repository: 'github:a/b', homepage: 'https://a.example', bugs: 'https://a.example/bugs' };

test('each missing part is named, with its fix', () => {
  expect(missingIn(folderOf({ homepage: 'https://a.example' }, '## Unreleased'))).toEqual([
    'package.json has no repository. Set it: npm pkg set repository=https://…',
    'package.json has no bugs. Set it: npm pkg set bugs=https://…',
    'CHANGELOG.md has no version 0.2.0. Add the heading "## 0.2.0" with the changes below it',
  ]);
  expect(missingIn(folderOf(addresses, '## Unreleased\n\n## 0.2.01 (2026-12-01)'))).toHaveLength(1);
});

test('a complete release passes', () => {
  expect(missingIn(folderOf(addresses, '## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0 (2026-11-01)'))).toEqual([]);
});

test('npm runs the check before it publishes', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(scripts.prepublishOnly).toBe('node scripts/check-release.mjs');
});
