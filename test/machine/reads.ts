/**
 * Determines which values of a context can influence a machine, from the texts of its functions. These are the values that a guard, a
 * delay, an input, an action or a property of the tests reads, and the values that they are computed from.
 *
 * A value that only its own assigner reads, such as a counter for display, has no influence. States that differ only in such values are the
 * same. If a text does not show what it reads, everything counts as read.
 */
import type { AnyStateMachine } from 'xstate';
import { guardsIn, implementationsOf } from './references.js';
import type { MachineTests } from './options.js';

type Read = ReadonlySet<string> | 'all';

/** Options of the tests that see no snapshot. */
const BLIND = new Set(['sut', 'cleanup', 'exec', 'input', 'provide', 'delays', 'limits', 'reasons']);
/** Parts of XState's own actions and guards, which are not code of the application. */
const INTERNAL = new Set(['resolve', 'execute', 'check', 'retryResolve']);

/** Returns a function that decides whether a key of the context is read by anything other than the action that assigns it. */
export function isReadIn(machine: AnyStateMachine, tests: MachineTests): (key: string) => boolean {
  const found = new Reads();
  const { context: _context, ...config } = machine.config;
  const { actors: _actors, ...implementations } = implementationsOf(machine);
  found.visit(config);
  found.visit(implementations);
  found.visit(tests.provide);
  for (const [option, given] of Object.entries(tests)) if (!BLIND.has(option)) found.visit(given);
  const read = found.closed();
  return (key) => read === 'all' || read.has(key);
}

class Reads {
  private read = new Set<string>();
  private isAll = false;
  private readonly assigned = new Map<string, Read[]>();
  private readonly met = new Set<unknown>();

  visit(value: unknown): void {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || this.met.has(value)) return;
    this.met.add(value);
    if (typeof value === 'object') {
      for (const inner of Object.values(value)) this.visit(inner);
      return;
    }
    const parts: Readonly<Record<string, unknown>> = value;
    if (parts['type'] === 'xstate.assign') this.assign(parts['assignment']);
    else if (isOfXState(value)) for (const [key, inner] of Object.entries(parts)) this.visit(INTERNAL.has(key) ? null : inner);
    else this.add(readsOf(value));
  }

  private assign(assignment: unknown): void {
    if (typeof assignment === 'function') return this.add(readsOf(assignment));
    for (const [key, assigner] of Object.entries(assignment ?? {})) {
      if (typeof assigner !== 'function') continue;
      const reads = readsOf(assigner);
      // The input of an actor is used beyond its key.
      if (/\bspawn\b/.test(textOf(assigner)) || canThrow(textOf(assigner))) this.add(reads);
      this.assigned.set(key, [...(this.assigned.get(key) ?? []), reads]);
    }
  }

  private add(reads: Read): void {
    if (reads === 'all') this.isAll = true;
    else for (const key of reads) this.read.add(key);
  }

  /** Adds the values that read values are computed from. */
  closed(): Read {
    for (const key of this.read) for (const reads of this.assigned.get(key) ?? []) this.add(reads);
    return this.isAll ? 'all' : this.read;
  }
}

/** Calls and properties with which an assigner is harmless for any context, as in usual counters and lists. */
const HARMLESS =
  /^(?:length|size|map|filter|slice|concat|includes|indexOf|join|trim|toString|some|every|at|find|findIndex|flat|flatMap|has|get|keys|values|entries|toSorted|toReversed|toSpliced)$/;
const HARMLESS_CALL =
  /^(?:Number|String|Boolean|Array|Object|Math|Date|Set|Map|structuredClone|async|function|if|for|while|switch|return)$/;
/** An element or a result that may be missing, with something read from it. */
const READ_OF_MISSING = /(?:[\w$)\]]\[[^\]]*\]|\.(?:at|find|get|pop|shift)\([^()]*\))\s*!?\s*[.[(]/;

/** True if the value of a key can make its assigner throw, according to its text. */
function canThrow(text: string): boolean {
  if (/\bthrow\b/.test(text) || READ_OF_MISSING.test(text)) return true;
  const calls = [...text.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]*)\(/g)].some(([, name]) => !HARMLESS_CALL.test(name!));
  return calls || [...text.matchAll(/\bcontext\.[\w$]+\.([\w$]+)/g)].some(([, name]) => !HARMLESS.test(name!));
}

const textOf = (does: unknown): string => Function.prototype.toString.call(does);

/** One that XState's `sendTo`, `raise`, `and` … have made: its parts are the application's. */
const isOfXState = (value: object): boolean =>
  ('type' in value && String(value.type).startsWith('xstate.')) || 'guards' in value || 'check' in value;

/** The parts of the context that a function reads. */
function readsOf(does: unknown): Read {
  const text = textOf(does);
  if (text.includes('[native code]')) return 'all';
  const [head, body] = headAndBody(text);
  if (/\bcontext\b/.test(head.replaceAll(/[{,]\s*context\s*(?=[,}])/g, ''))) return 'all';
  const plain = head.replaceAll(/\{[^}]*\}/g, '').match(/[A-Za-z_$][\w$]*/g) ?? [];
  if (plain.some((name) => name !== 'async' && name !== 'function' && isBare(name, body))) return 'all';
  const reads = new Set<string>();
  for (const [, key] of body.matchAll(/\bcontext\b(?:\s*(?:\?\.|\.)\s*([A-Za-z_$][\w$]*))?/g)) {
    if (key === undefined) return 'all';
    reads.add(key);
  }
  return reads;
}

/** Parameters, and what comes after them. */
function headAndBody(text: string): readonly [string, string] {
  const arrow = /^(?:async\s*)?(?:\(([^()]*)\)|([A-Za-z_$][\w$]*))\s*=>/.exec(text);
  if (arrow) return [arrow[1] ?? arrow[2]!, text.slice(arrow[0].length)];
  const other = /^(?:async\s+)?(?:function\b\s*)?[\w$]*\s*\(([^()]*)\)/.exec(text);
  // A head with calls in it is not taken apart.
  return other ? [other[1]!, text.slice(other[0].length)] : ['context', ''];
}

/** True if a text uses a name as a whole, and not only its parts. */
const isBare = (name: string, body: string): boolean =>
  new RegExp(String.raw`(?<![.\w$])${name.replaceAll('$', String.raw`\$`)}(?![\w$])(?!\s*(\?\.|\.)\s*[A-Za-z_$])(?!\s*:)`).test(
    body,
  );

/** The keys of the context that a guard reads, according to its text. */
export function readsOfGuard(guard: unknown, named: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (one: unknown): void => {
    if (typeof one === 'string') visit(named[one]);
    else if (typeof one === 'object' && one !== null) visit(named[(one as { readonly type: string }).type]);
    if (typeof one !== 'function') return;
    for (const inner of guardsIn(one)) visit(inner);
    const reads = isOfXState(one) ? [] : readsOf(one);
    if (reads !== 'all') for (const key of reads) found.add(key);
  };
  visit(guard);
  return found;
}

/** The numbers and texts in the sources of guards. A search prefers states whose context has reached one of them. */
export function constantsIn(guards: Iterable<unknown>): ReadonlySet<number | string> {
  const constants = new Set<number | string>();
  const visit = (guard: unknown): void => {
    if (typeof guard !== 'function') return;
    for (const inner of guardsIn(guard)) visit(inner);
    if (isOfXState(guard)) return;
    for (const [one] of textOf(guard).matchAll(/\b\d+(?:\.\d+)?\b/g)) constants.add(Number(one));
    for (const [, one] of textOf(guard).matchAll(/["'`]([^"'`]{1,40})["'`]/g)) constants.add(one!);
  };
  for (const guard of guards) visit(guard);
  return constants;
}
