/**
 * Text that people read, by file: Markdown paragraphs, comments, docstrings, error messages, texts of pages and other strings, and test titles.
 *
 * TypeScript is read with the oxc parser. Each segment has its line, so that a finding points to the source.
 */
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

/** Code in a segment is one word: it counts for the length of a sentence, and no rule looks into it. */
const CODE = '`code`';
const withoutCode = (text) => {
  let count = 0;
  // No two are alike: two pieces of code next to each other are not a repeated word.
  return text.replaceAll(/`[^`\n]*`/g, () => `\`code${count++}\``);
};

const lineTable = (text) => {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
};

function lineAt(starts, offset) {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Paragraphs of lines: blank lines, list items, headings, table cells and tags of docstrings end one. */
function paragraphs(lines, firstLine, kind) {
  const segments = [];
  let current = null;
  let isFenced = false;
  const end = () => {
    if (current) segments.push(current);
    current = null;
  };
  const add = (line, text) => {
    if (current) current.text += ` ${text}`;
    else current = { kind, line, text };
  };
  lines.forEach((raw, index) => {
    const line = firstLine + index;
    const text = raw.trim();
    if (text.startsWith('```')) {
      isFenced = !isFenced;
      return end();
    }
    if (isFenced || /^(<|\||:::|!\[)/.test(text)) {
      end();
      if (isFenced || !text.startsWith('|') || /^[|\s:-]+$/.test(text)) return;
      for (const cell of text.split(/(?<!\\)\|/)) if (cell.trim()) segments.push({ kind, line, text: withoutCode(cell.trim()) });
      return;
    }
    if (text === '') return end();
    // Drawings and code that comments indent.
    if (kind !== 'markdown' && /^\s{2,}/.test(raw) && !current) return;
    if (kind !== 'markdown' && /^\s{3,}\S/.test(raw)) return end();
    if (/^(#{1,6}\s|[-*]\s|\d+\.\s|@\w)/.test(text)) end();
    const plain = text.replace(/^(#{1,6}|[-*]|\d+\.)\s+/, '').replace(/^@\w+(\s+\{[^}]*\})?/, '');
    if (/^@(example|see|internal|public|experimental)/.test(text) && plain.trim() === '') return;
    if (plain.trim()) add(line, withoutCode(plain.trim()));
    if (kind === 'markdown' && text.startsWith('#')) end();
  });
  end();
  return segments;
}

export function inMarkdown(text) {
  const lines = text.split('\n');
  if (lines[0] === '---') {
    const close = lines.indexOf('---', 1);
    for (let i = 0; i <= close; i++) lines[i] = '';
  }
  return paragraphs(lines, 1, 'markdown').map((segment) => ({
    ...segment,
    text: segment.text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/<[^>]+>|\*\*|__/g, ''),
  }));
}

/** Line comments below each other are one text. */
function inComments(source, comments, starts) {
  const segments = [];
  let run = null;
  const endRun = () => {
    if (run) segments.push(...paragraphs(run.lines, run.line, 'comment'));
    run = null;
  };
  for (const { type, value, start } of comments) {
    const line = lineAt(starts, start);
    if (type === 'Line') {
      const isWhole = /^\s*$/.test(source.slice(starts[line - 1], start));
      if (/^\s*(oxlint|eslint|@ts-|\/ <)/.test(value)) continue;
      if (run && isWhole && run.line + run.lines.length === line) run.lines.push(value.replace(/^ /, ''));
      else {
        endRun();
        run = { line, lines: [value.replace(/^ /, '')] };
      }
    } else {
      endRun();
      const lines = value
        .replace(/^\*/, '')
        .split('\n')
        .map((one) => one.replace(/^\s*\* ?/, ''));
      lines[0] = lines[0].trim();
      segments.push(...paragraphs(lines, line, value.startsWith('*') ? 'docstring' : 'comment'));
    }
  }
  endRun();
  return segments;
}

const textOf = (node) => {
  if (/^(Literal|JSXText)$/.test(node?.type) && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join(CODE);
  if (node?.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null && right === null ? null : `${left ?? CODE}${right ?? CODE}`;
  }
  return null;
};

const calleeOf = (node) => {
  let callee = node.callee;
  while (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression') callee = callee.callee ?? callee.tag;
  while (callee.type === 'MemberExpression' && callee.object.type === 'MemberExpression') callee = callee.object;
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.object.type === 'Identifier'
    ? `${callee.object.name}.${callee.property.name}`
    : '';
};

const TEST = /^(test|it|describe)(\.|$)/;
const isError = (node) => node.callee.type === 'Identifier' && node.callee.name.endsWith('Error');

/** Strings of at least this many words are read: shorter ones are keys and names. */
const WORDS_MIN = 5;

function inStrings(program, starts, isTest) {
  const segments = [];
  const seen = new Set();
  const add = (kind, node, text = textOf(node)) => {
    if (!text?.trim() || seen.has(node.start)) return;
    seen.add(node.start);
    segments.push({ kind, line: lineAt(starts, node.start), text: withoutCode(text) });
  };
  /** Adds a string that is neither code nor a drawing. */
  const addText = (node) => {
    const text = isTest ? null : textOf(node);
    const words = text?.split(/\s+/).filter((word) => /^[A-Za-z'’]{2,}[,.:]?$/.test(word)) ?? [];
    if (words.length >= WORDS_MIN && !/[{}<>=|&$\\]/.test(text)) add('text', node, text);
  };
  new Visitor({
    NewExpression: (node) => void (isError(node) && !isTest && add('error', node.arguments[0])),
    CallExpression(node) {
      const callee = calleeOf(node);
      // The first call of `test.each(table)(title)` has a table, the second the title.
      const isTable = callee.endsWith('.each') && node.callee.type === 'MemberExpression';
      if (isTest && TEST.test(callee) && !isTable) add('title', node.arguments[0]);
      else if (!isTest && /^console\.(warn|error)$/.test(callee)) add('error', node.arguments[0]);
    },
    BinaryExpression: addText,
    Literal: addText,
    TemplateLiteral: addText,
    JSXText: addText,
    Property(node) {
      if (!isTest && node.key.type === 'Identifier' && node.key.name === 'description') add('error', node.value);
    },
  }).visit(program);
  return segments;
}

export function inCode(path, source) {
  const { program, comments } = parseSync(path, source);
  const starts = lineTable(source);
  const isTest = /\.(test|deep|fixtures?)\.tsx?$/.test(path);
  return [...inComments(source, comments, starts), ...inStrings(program, starts, isTest)];
}

export function segmentsOf(path) {
  const source = readFileSync(path, 'utf8');
  return path.endsWith('.md') ? inMarkdown(source) : inCode(path, source);
}
