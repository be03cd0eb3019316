/**
 * The prose linter: `npm run prose`. Checks Markdown, comments, docstrings, error messages and test titles against the standard of
 * CONTRIBUTING.md: sentence length and terms with textlint (`.textlintrc.json`), spelling with cspell (`cspell.json`), phrases and titles with
 * the tables of `rules.mjs`.
 *
 * `baseline.json` records how many findings each file still has for each rule. A count above it fails; so does a baseline that is too
 * generous. `--update` records the present counts, and refuses to if a rule has more findings in total than before. `--show RULE [FILE]`
 * lists findings, `--counts` prints the total of each rule.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spellCheckDocument } from 'cspell-lib';
import { createLinter, loadTextlintrc } from 'textlint';
import { DOCSTRING_START, phrases, SENTENCE_START, sentencesOf, TITLE_MAX } from './rules.mjs';
import { segmentsOf } from './segments.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const baselinePath = fileURLToPath(new URL('baseline.json', import.meta.url));
process.chdir(root);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.md'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .trim()
  .split('\n')
  .filter(
    (path) =>
      existsSync(path) && !/^(data|mutation\/results)\/|^scripts\/(prose\/|api-report\.md)|(^|\/)node_modules\//.test(path),
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
    { configFile: 'cspell.json', generateSuggestions: false },
    {},
  );
  return new Set(issues.map((issue) => issue.text));
}

async function findings() {
  const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: '.textlintrc.json' }) });
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

function countsOf(found) {
  const counts = {};
  for (const { path, rule } of found) {
    counts[path] ??= {};
    counts[path][rule] = (counts[path][rule] ?? 0) + 1;
  }
  const sorted = (object) => Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(Object.fromEntries(Object.entries(counts).map(([path, rules]) => [path, sorted(rules)])));
}

function totalsOf(counts) {
  const totals = {};
  for (const rules of Object.values(counts))
    for (const [rule, count] of Object.entries(rules)) totals[rule] = (totals[rule] ?? 0) + count;
  return totals;
}

const write = (counts) => {
  const lines = Object.entries(counts).map(([path, rules]) => `  ${JSON.stringify(path)}: ${JSON.stringify(rules)}`);
  writeFileSync(baselinePath, `{\n${lines.join(',\n')}\n}\n`);
};
const print = ({ path, line, rule, message }) => console.log(`${path}:${line} ${rule}: ${message}`);

const found = await findings();
const counts = countsOf(found);
const baseline = existsSync(baselinePath) ? JSON.parse(readFileSync(baselinePath, 'utf8')) : null;
const [option, ...args] = process.argv.slice(2);

if (option === '--counts') {
  const before = totalsOf(baseline ?? {});
  for (const [rule, count] of Object.entries(totalsOf(counts)).toSorted((a, b) => b[1] - a[1]))
    console.log(`${rule} ${count} (baseline ${before[rule] ?? 0})`);
} else if (option === '--show') {
  for (const one of found)
    if ((!args[0] || args[0] === 'all' || one.rule === args[0]) && (!args[1] || one.path.startsWith(args[1]))) print(one);
} else if (option === '--update' || !baseline) {
  const [now, before] = [totalsOf(counts), totalsOf(baseline ?? counts)];
  const grown = Object.keys(now).filter((rule) => now[rule] > (before[rule] ?? 0));
  if (grown.length > 0) {
    for (const rule of grown)
      console.error(
        `${rule}: ${now[rule]} findings, the baseline has ${before[rule] ?? 0}. Fix the new ones: npm run prose -- --show ${rule}`,
      );
    process.exit(1);
  }
  write(counts);
} else {
  const worse = Object.entries(counts).flatMap(([path, rules]) =>
    Object.keys(rules)
      .filter((rule) => rules[rule] > (baseline[path]?.[rule] ?? 0))
      .map((rule) => [path, rule]),
  );
  for (const [path, rule] of worse) {
    const before = baseline[path]?.[rule] ?? 0;
    console.error(`${path}: ${counts[path][rule]} findings of ${rule}, the baseline has ${before}`);
    for (const one of found) if (one.path === path && one.rule === rule) print(one);
  }
  const better = Object.entries(baseline).some(([path, rules]) =>
    Object.keys(rules).some((rule) => rules[rule] > (counts[path]?.[rule] ?? 0)),
  );
  if (better) console.log('Some files have fewer findings than the baseline. Record that: npm run prose -- --update');
  if (worse.length > 0) process.exit(1);
  console.log(`prose: ${found.length} findings, none new`);
}
