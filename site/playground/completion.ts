/** Completion of a scenario: the keys and values that its JSON Schema allows at the cursor. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import { keysAt, valuesAt, type JsonPath, type Schema } from './schema.js';

/** A source of completions for the editor. */
export const completionOf =
  (schema: Schema) =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(state).resolveInner(pos, -1);
    const place = placeOf(state, node, pos);
    if (!place) return null;
    const { from, path } = place;
    if (!explicit && from === pos && state.sliceDoc(pos - 1, pos) !== '"') return null;
    const value = valueOf(state, syntaxTree(state).topNode.firstChild);
    const options = place.isKey ? keysOf(schema, value, path) : valuesAt(schema, value, path).map((label) => ({ label }));
    return options.length === 0 ? null : { from, to: place.to, options, validFor: /^"?[\w$-]*"?$/ };
  };

const keysOf = (schema: Schema, value: unknown, path: JsonPath): Completion[] =>
  keysAt(schema, value, path).map(({ name, isRequired, start }) => ({
    label: `"${name}"`,
    apply: `"${name}": ${start}`,
    type: 'property',
    boost: isRequired ? 1 : 0,
    ...(isRequired && { detail: 'required' }),
  }));

interface Place {
  readonly path: JsonPath;
  readonly isKey: boolean;
  /** The text that a completion replaces. */
  readonly from: number;
  readonly to: number;
}

/** Where the cursor is in the JSON; `null` for a place where nothing can be written. */
function placeOf(state: EditorState, node: SyntaxNode, pos: number): Place | null {
  const start = wordStart(state, pos);
  const to = state.sliceDoc(pos, pos + 1) === '"' && state.sliceDoc(start, start + 1) === '"' ? pos + 1 : pos;
  const holder = holderOf(node, start);
  if (!holder) return null;
  const before = lastSign(state, holder.from, start);
  if (holder.name === 'Array') return { path: [...pathTo(state, holder), indexIn(holder, start)], isKey: false, from: start, to };
  if (before === ':') {
    const key = keyBefore(state, holder, start);
    return key === null ? null : { path: [...pathTo(state, holder), key], isKey: false, from: start, to };
  }
  return before === '{' || before === ',' ? { path: pathTo(state, holder), isKey: true, from: start, to } : null;
}

/** The beginning of the word or string before the cursor. */
function wordStart(state: EditorState, pos: number): number {
  const { text, from } = state.doc.lineAt(pos);
  return pos - /"?[\w$-]*$/.exec(text.slice(0, pos - from))![0].length;
}

/** The object or array around a place. */
function holderOf(node: SyntaxNode | null, at: number): SyntaxNode | null {
  for (let one = node; one; one = one.parent) if ((one.name === 'Object' || one.name === 'Array') && one.from < at) return one;
  return null;
}

/** The last character before a place, without white space. */
const lastSign = (state: EditorState, from: number, at: number): string => state.sliceDoc(from, at).trimEnd().slice(-1);

/** The key whose value is at a place. */
function keyBefore(state: EditorState, holder: SyntaxNode, at: number): string | null {
  let key: string | null = null;
  for (const property of holder.getChildren('Property')) {
    const name = property.getChild('PropertyName');
    if (name && name.to <= at) key = stringOf(state, name);
  }
  return key;
}

const indexIn = (array: SyntaxNode, at: number): number => valuesIn(array).filter(({ to }) => to <= at).length;

function pathTo(state: EditorState, node: SyntaxNode): JsonPath {
  const { parent } = node;
  if (!parent) return [];
  if (parent.name === 'Array') return [...pathTo(state, parent), indexIn(parent, node.from)];
  const name = parent.name === 'Property' ? parent.getChild('PropertyName') : null;
  return name ? [...pathTo(state, parent.parent!), stringOf(state, name)] : pathTo(state, parent);
}

/** The value of a node, as far as it is written: half a text has values, too. */
function valueOf(state: EditorState, node: SyntaxNode | null): unknown {
  if (node?.name === 'Array') return valuesIn(node).map((one) => valueOf(state, one));
  if (node?.name === 'Object')
    return Object.fromEntries(
      node.getChildren('Property').flatMap((property) => {
        const name = property.getChild('PropertyName');
        return name ? [[stringOf(state, name), valueOf(state, valuesIn(property)[0] ?? null)]] : [];
      }),
    );
  if (!node) return undefined;
  return node.name === 'String' ? stringOf(state, node) : parsed(state.sliceDoc(node.from, node.to));
}

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

function valuesIn(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) if (VALUES.has(child.name)) found.push(child);
  return found;
}

const stringOf = (state: EditorState, { from, to }: SyntaxNode): string => {
  const text = state.sliceDoc(from, to);
  return String(parsed(text) ?? text.replaceAll('"', ''));
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
