/**
 * The prose linter: `npm run prose`. Checks Markdown, comments, docstrings, error messages and test titles against the standard of
 * CONTRIBUTING.md: sentence length and terms with textlint (`.textlintrc.json`), spelling with cspell (`cspell.json`), phrases and titles with
 * the tables of `rules.mjs`. It prints every finding, and fails if there is one.
 *
 * `npm run prose -- PATH` checks the files whose path begins so. `--counts [DIR]` prints the total of each rule, here or in another checkout.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spellCheckDocument } from 'cspell-lib';
import { createLinter, loadTextlintrc } from 'textlint';
import { DOCSTRING_START, phrases, SENTENCE_START, sentencesOf, TITLE_MAX } from './rules.mjs';
import { segmentsOf } from './segments.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [first, directory] = process.argv.slice(2);
const isCounting = first === '--counts';
const within = isCounting ? '' : (first ?? '');
process.chdir((isCounting && directory) || root);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.md'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .trim()
  .split('\n')
  .filter(
    (path) =>
      path.startsWith(within) &&
      existsSync(path) &&
      !/^(data|mutation\/results)\/|^scripts\/(prose\/|api-report\.md)|(^|\/)node_modules\//.test(path),
  );

/** Findings of the phrases and of how sentences begin. */
function ofPhrases({ kind, text }) {
  const found = [];
  for (const [rule, pattern, advice] of phrases)
    for (const [match] of text.matchAll(pattern)) found.push([rule, `"${match}": ${advice}`]);
  for (const sentence of sentencesOf(text)) {
    if (SENTENCE_START.test(sentence) && !sentence.endsWith('?'))
      found.push(['sentence-start', `"${sentence.slice(0, 50)}": begin with the subject`]);
  }
  if (kind === 'docstring' && DOCSTRING_START.test(text))
    found.push(['docstring-start', `"${text.slice(0, 50)}": begin with a noun phrase or an imperative`]);
  if (kind === 'title' && text.length > TITLE_MAX)
    found.push(['title-length', `${text.length} characters, at most ${TITLE_MAX}`]);
  return found;
}

/** Findings of textlint: each segment is a paragraph of a text. */
async function ofTextlint(linter, path, segments) {
  const text = segments.map((segment) => segment.text.replaceAll(/\s+/g, ' ')).join('\n\n');
  const { messages } = await linter.lintText(text, `${path}.txt`);
  return messages.map(({ ruleId, message, line }) => [segments[(line - 1) >> 1], ruleId, message.replaceAll(/\s+/g, ' ')]);
}

const WORD = /[A-Za-z][A-Za-z'’]+[a-z]|[A-Za-z]{2,}/g;
/** Names in running text are none of the dictionary's business. */
const isName = (word) => /[a-z][A-Z]|^[A-Z]{2,}/.test(word);

/** The words that cspell does not know. */
async function misspelled(words) {
  const text = [...words].join('\n');
  const { issues } = await spellCheckDocument(
    { uri: 'words.txt', text, languageId: 'plaintext' },
    { configFile: `${root}cspell.json`, generateSuggestions: false },
    {},
  );
  return new Set(issues.map((issue) => issue.text));
}

async function findings() {
  const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: `${root}.textlintrc.json` }) });
  const found = [];
  const texts = files.map((path) => [path, segmentsOf(path)]);
  const words = new Set();
  for (const [path, segments] of texts) {
    for (const segment of segments) {
      for (const [rule, message] of ofPhrases(segment)) found.push({ path, line: segment.line, rule, message });
      for (const [word] of segment.text.matchAll(WORD)) if (!isName(word)) words.add(word);
    }
    const prose = segments.filter(({ kind }) => kind !== 'title');
    for (const [{ line }, rule, message] of await ofTextlint(linter, path, prose)) found.push({ path, line, rule, message });
  }
  const wrong = await misspelled(words);
  for (const [path, segments] of texts)
    for (const { line, text } of segments)
      for (const [word] of text.matchAll(WORD))
        if (wrong.has(word)) found.push({ path, line, rule: 'spelling', message: `"${word}"` });
  return found;
}

const found = await findings();

if (isCounting) {
  const counts = new Map();
  for (const { rule } of found) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  for (const [rule, count] of [...counts].toSorted((a, b) => b[1] - a[1])) console.log(`${rule} ${count}`);
} else {
  for (const { path, line, rule, message } of found) console.error(`${path}:${line} ${rule}: ${message}`);
  console.log(`prose: ${found.length} findings in ${files.length} files`);
  if (found.length > 0) process.exitCode = 1;
}
