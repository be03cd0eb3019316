/**
 * The type and the docstring of each name in a block that the library or XState declares, shown on hover. They come from the compiler, against the
 * built package: a block of a guide is a part of the program that CI compiles (scripts/blocks.mjs). Without JavaScript a block is plain code.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rendererFloatingVue, transformerTwoslash } from '@shikijs/vitepress-twoslash';
import ts from 'typescript';
import { blocksOf, surroundingsOf } from '../../scripts/blocks.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FENCE = /^```(ts|js)\n([^]*?)^```$/gm;
/** A longer type explains nothing. */
const TYPE_MAX = 400;
const DOCS_MAX = 400;

/** Guides, starts and recipes. */
const pages = ['docs', 'docs/start', 'docs/recipes'].flatMap((folder) =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);

/** The program of each block: its file, and where the block begins in it. All are one compilation, because each one costs a second. */
const programs = new Map();
for (const page of pages) {
  const guide = page.split('/').length === 2 ? blocksOf(page.slice('docs/'.length)).filter(({ kind }) => kind === 'code') : [];
  for (const [, , text] of readFileSync(root + page, 'utf8').matchAll(FENCE)) {
    const block = guide.find((one) => one.text === text);
    const { imports, fromGiven, before, after } = block ? surroundingsOf(block, './scripts/given.js') : {};
    const start = block ? `${imports}\n${fromGiven}${before}\n` : '';
    const file = `${root}block-${programs.size + 1}.ts`;
    programs.set(text, { file, start: start.length, text: `${start}${text}\n${after ?? ''}` });
  }
}
const texts = new Map([...programs.values()].map(({ file, text }) => [file, text]));

const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => true,
  getScriptFileNames: () => [...texts.keys()],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = texts.get(name) ?? ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
  readFile: (name) => texts.get(name) ?? ts.sys.readFile(name),
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
  }),
});

const isOurs = (symbol) =>
  (symbol?.declarations ?? []).some((one) => /\/dist\/|\/node_modules\/xstate\//.test(one.getSourceFile().fileName));

/** The names of a block that have a hover: the first time that each occurs. */
function namesIn({ file, start }, length) {
  const program = service.getProgram();
  const checker = program.getTypeChecker();
  const found = new Map();
  const visit = (node) => {
    if (ts.isIdentifier(node) && node.getStart() >= start && node.getEnd() <= start + length && !found.has(node.text)) {
      const symbol = checker.getSymbolAtLocation(node);
      const isAlias = symbol && symbol.flags & ts.SymbolFlags.Alias;
      if (isOurs(isAlias ? checker.getAliasedSymbol(symbol) : symbol)) found.set(node.text, node.getStart());
    }
    ts.forEachChild(node, visit);
  };
  visit(program.getSourceFile(file));
  return found;
}

const plain = (parts = []) => parts.map(({ text }) => text).join('');
/** The first paragraph. */
const docsOf = (text) => text.split(/\n\s*\n/)[0].slice(0, DOCS_MAX);

/** The types of a block in the form that the plugin renders. */
function typesOf(code) {
  const block = programs.get(`${code}\n`) ?? programs.get(code);
  const nodes = [...(block ? namesIn(block, code.length) : [])].flatMap(([target, at]) => {
    const info = service.getQuickInfoAtPosition(block.file, at);
    const text = plain(info?.displayParts)
      .replace(/^\(alias\) /, '')
      .replace(/\nimport \S+$/, '');
    if (!info || text.length > TYPE_MAX) return [];
    const start = at - block.start;
    const line = code.slice(0, start).split('\n').length - 1;
    const character = start - (code.lastIndexOf('\n', start - 1) + 1);
    return [
      { type: 'hover', text, docs: docsOf(plain(info.documentation)), start, length: target.length, target, line, character },
    ];
  });
  return { code, nodes, meta: { extension: 'ts' } };
}

/** A page is rendered twice: for itself and for the search. */
const known = new Map();
function twoslasher(code) {
  if (!known.has(code)) known.set(code, typesOf(code));
  return structuredClone(known.get(code));
}

/** A plugin of markdown-it: marks the blocks that have types. */
export function blocksWithTypes(md) {
  md.core.ruler.push('blocks with types', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'fence' && /^(ts|js)$/.test(token.info.trim()) && programs.has(token.content))
        token.info = `${token.info.trim()} twoslash`;
  });
}

export const hovers = transformerTwoslash({ twoslasher, renderer: rendererFloatingVue(), langs: ['ts', 'js'] });
