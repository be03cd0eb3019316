/**
 * The public API of the shipped package: its entries, their exported names, and the declaration and docstring of each.
 *
 * This module reads the declarations of the build, so it sees only the content of the package.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type Comment, type Program } from 'oxc-parser';

export const root = fileURLToPath(new URL('..', import.meta.url));

interface Declaration {
  /** In the build. */
  readonly file: string;
  /** As the build has it, without what is private and without comments. */
  readonly text: string;
  /** The docstring; empty if there is none. */
  readonly docs: string;
  /** Those of its members. */
  readonly inner: readonly string[];
}

interface Parsed {
  readonly source: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

const parsed = new Map<string, Parsed>();

function parse(file: string): Parsed {
  if (!parsed.has(file)) {
    const source = readFileSync(file, 'utf8');
    const { program, comments } = parseSync(file, source);
    parsed.set(file, { source, program, comments });
  }
  return parsed.get(file)!;
}

const at = (file: string, source: string): string => join(dirname(file), source.replace(/\.js$/, '.d.ts'));

/** The text of a part of a file without its comments, its private members and the white space at its ends. */
function textOf({ source, comments }: Parsed, start: number, end: number): string {
  const inside = comments.filter((comment) => comment.start >= start && comment.end <= end);
  const bare = inside.toReversed().reduce(
    (text, comment) => {
      return text.slice(0, comment.start - start) + text.slice(comment.end - start);
    },
    source.slice(start, end),
  );
  const isShown = (line: string): boolean => line.trim() !== '' && !/^\s*(private |#private)/.test(line);
  return bare.split('\n').filter(isShown).join('\n').trim();
}

/** The docstring right before a position. */
function docsBefore({ source, comments }: Parsed, position: number): string {
  const comment = comments.findLast(({ end }) => end <= position);
  return comment?.value.startsWith('*') && source.slice(comment.end, position).trim() === '' ? comment.value : '';
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value);

/** The declarations of a name in a file: several for a type with a value, or for overloads. Follows `export` to other files. */
export function declarationsOf(file: string, name: string): readonly Declaration[] {
  const here = parse(file);
  return here.program.body.flatMap((node): readonly Declaration[] => {
    if (node.type === 'ExportAllDeclaration') {
      if (node.exported)
        return nameOf(node.exported) === name
          ? [{ file: at(file, node.source.value), text: '', docs: docsBefore(here, node.start), inner: [] }]
          : [];
      return namesOf(at(file, node.source.value)).includes(name) ? declarationsOf(at(file, node.source.value), name) : [];
    }
    if (node.type === 'ImportDeclaration') {
      const local = node.specifiers.find((one) => one.type === 'ImportSpecifier' && one.local.name === name);
      if (local?.type !== 'ImportSpecifier' || !node.source.value.startsWith('.')) return [];
      return declarationsOf(at(file, node.source.value), nameOf(local.imported));
    }
    if (node.type === 'ExportNamedDeclaration' && node.source) {
      const one = node.specifiers.find(({ exported }) => nameOf(exported) === name);
      return one ? declarationsOf(at(file, node.source.value), nameOf(one.local)) : [];
    }
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (!declaration || !declaredBy(declaration).includes(name)) return [];
    const inner = here.comments.filter(({ start, end }) => start >= node.start && end <= node.end).map(({ value }) => value);
    return [{ file, text: textOf(here, node.start, node.end), docs: docsBefore(here, node.start), inner }];
  });
}

function declaredBy(node: Program['body'][number] | NonNullable<unknown>): readonly string[] {
  const { declarations, id } = node as {
    readonly declarations?: readonly { readonly id: { readonly name: string } }[];
    readonly id?: { readonly name: string };
  };
  return declarations ? declarations.map((one) => one.id.name) : id ? [id.name] : [];
}

/** The exported names of a file, in order. */
export function namesOf(file: string): readonly string[] {
  const names = parse(file).program.body.flatMap((node): readonly string[] => {
    if (node.type === 'ExportAllDeclaration')
      return node.exported ? [nameOf(node.exported)] : namesOf(at(file, node.source.value));
    if (node.type !== 'ExportNamedDeclaration') return [];
    return node.declaration ? declaredBy(node.declaration) : node.specifiers.map(({ exported }) => nameOf(exported));
  });
  return [...new Set(names)];
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { types?: string }>;
};
export const entries = Object.entries(exports).flatMap(([entry, { types }]) =>
  types ? [[entry, join(root, types)] as const] : [],
);
