/**
 * Text of files, and JSON with the line and column of a syntax error.
 *
 * Engines word their errors differently and some give no position. So when `JSON.parse` fails, this file finds the place: one pass over the
 * tokens with a stack of open brackets, without recursion.
 */
import { UsageError } from '../../machines/errors.js';

/** Text of a file: UTF-8, or Latin-1 as in older files, for which any byte is valid. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${complaintAbout(text)}. The text must be valid JSON.`, { cause: error });
  }
}

/**
 * The next expected token: a value (or the end of an empty list), a key (or the end of an empty object), a colon, or a separator.
 */
type Expected = 'value' | 'value or "]"' | 'key' | 'key or "}"' | ':' | 'next';

const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WORD = /[\w.+-]+|./suy;

function complaintAbout(text: string): string {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
    if (at === text.length) return `${placeOf(text, at)}: the text ends where ${describe(expected, open.at(-1))} should be`;
    const char = text[at]!;
    const wantsValue: boolean = expected.startsWith('value');
    let end: number | undefined = at + 1;
    if (char === '"' && (wantsValue || expected.startsWith('key'))) {
      end = endOfString(text, at);
      if (end === undefined) return `${placeOf(text, at)}: a string that is not closed on its line, or has a bad escape`;
      expected = wantsValue ? 'next' : ':';
    } else if (char === ':' && expected === ':') {
      expected = 'value';
    } else if (char === ',' && expected === 'next' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if ((char === '{' || char === '[') && wantsValue) {
      open.push(char);
      expected = char === '{' ? 'key or "}"' : 'value or "]"';
    } else if (char === closing(open.at(-1)) && (expected === 'next' || expected.endsWith(`"${char}"`))) {
      open.pop();
      expected = 'next';
    } else {
      end = wantsValue ? endOfLiteral(text, at) : undefined;
      if (end === undefined)
        return `${placeOf(text, at)}: ${wordAt(text, at)} where ${describe(expected, open.at(-1))} should be`;
      expected = 'next';
    }
    at = end;
  }
}

function endOfLiteral(text: string, at: number): number | undefined {
  LITERAL.lastIndex = at;
  return LITERAL.test(text) ? LITERAL.lastIndex : undefined;
}

const closing = (bracket: '{' | '[' | undefined): string | undefined => bracket && (bracket === '{' ? '}' : ']');

function describe(expected: Expected, open: '{' | '[' | undefined): string {
  switch (expected) {
    case 'next':
      return open ? `"," or "${closing(open)}"` : 'the end';
    case ':':
      return '":"';
    default:
      return `a ${expected}`;
  }
}

/** Index after the closing quote; `undefined` for an invalid string. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') return at + 1;
    if (char < ' ') return undefined;
    if (char !== '\\') continue;
    at++;
    if (text[at] === 'u') {
      if (!/^[\da-f]{4}$/i.test(text.slice(at + 1, at + 5))) return undefined;
      at += 4;
    } else if (!'"\\/bfnrt'.includes(text[at] ?? ' ')) return undefined;
  }
  return undefined;
}

function wordAt(text: string, at: number): string {
  WORD.lastIndex = at;
  return `"${WORD.exec(text)![0].slice(0, 30)}"`;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
