/**
 * SCXML documents as charts of XState, as far as a pure chart can express them: sending is an effect, and `donedata`, `invoke`
 * and other processors are not supported. Written for the conformance cases of the W3C and SCION (`scxml.deep.ts`).
 */
import { DOMParser } from '@xmldom/xmldom';
import { enqueueActions, setup, stateIn, type AnyStateMachine } from 'xstate';
import { effects } from '../../machines/effects.js';

/** The chart of a document waits for this, so that its first step is a step like any other. */
export const BEGIN = 'begin';

type Data = Record<string, unknown>;
type Json = Record<string, any>;
interface SentEvent {
  readonly type: string;
  readonly data?: unknown;
}

/** A part of the language that a pure chart cannot express, or that this reader does not support. */
export class NotExpressed extends Error {}

const nameOf = (element: Element): string => element.localName ?? element.tagName;
const childrenOf = (element: Element, ...names: string[]): Element[] =>
  [...(element.childNodes as unknown as Iterable<Element>)].filter(
    (node) => node.nodeType === 1 && (names.length === 0 || names.includes(nameOf(node))),
  );
const wordsIn = (text: string | null | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '');
const attribute = (element: Element, name: string): string | undefined =>
  element.hasAttribute(name) ? element.getAttribute(name)! : undefined;

// Expressions.

/** Runs a text with the names of `data` in scope; writing to another name is an error, unless a script declares it. */
function run(code: string, data: Data, event: SentEvent | undefined): unknown {
  const given: Data = {
    _event: event && event.type !== BEGIN ? { name: event.type, data: event.data } : undefined,
    _sessionid: 'case',
  };
  const scope = new Proxy(data, {
    has: (_, key) => key in data || key in given,
    get: (_, key) => (key in data ? data : given)[key as string],
    set: (_, key, value) => !(key in given) && Reflect.set(data, key, value),
  });
  return new Function('scope', `with (scope) { ${code} }`)(scope);
}
/** Strictly: a name that is nowhere declared cannot be written to. */
const runStrictly = (code: string, data: Data, event: SentEvent | undefined): unknown =>
  run(`return (function () { 'use strict'; ${code} })();`, data, event);
const valueOf = (text: string, data: Data, event?: SentEvent): unknown => runStrictly(`return (${text}\n);`, data, event);

// Executable content.

type Perform = (block: Block) => void;

/** A block of executable content while it is performed. */
interface Block {
  readonly data: Data;
  readonly event: SentEvent | undefined;
  readonly enqueue: any;
}

function contentOf(element: Element): Perform {
  const performed = childrenOf(element).map(performerOf);
  return (block) => performed.forEach((perform) => perform(block));
}

const PERFORMERS: Readonly<Record<string, (element: Element) => Perform>> = {
  log: () => () => {},
  raise: (element) => {
    const type = attribute(element, 'event')!;
    return ({ enqueue }) => enqueue.raise({ type });
  },
  assign: (element) => {
    const location = attribute(element, 'location')!;
    const expression = attribute(element, 'expr') ?? quoted(element);
    return ({ data, event }) => void runStrictly(`${location} = (${expression}\n);`, data, event);
  },
  script: (element) => {
    if (element.hasAttribute('src')) throw new NotExpressed('a script of another file');
    return ({ data, event }) => void run(element.textContent ?? '', data, event);
  },
  if: (element) => {
    const clauses: { readonly condition: string; readonly performed: Perform[] }[] = [
      { condition: conditionOf(element), performed: [] },
    ];
    for (const child of childrenOf(element)) {
      if (nameOf(child) === 'elseif') clauses.push({ condition: conditionOf(child), performed: [] });
      else if (nameOf(child) === 'else') clauses.push({ condition: 'true', performed: [] });
      else clauses.at(-1)!.performed.push(performerOf(child));
    }
    return (block) => {
      const clause = clauses.find(({ condition }) => Boolean(valueOf(condition, block.data, block.event)));
      clause?.performed.forEach((perform) => perform(block));
    };
  },
  foreach: (element) => {
    const [array, item, index] = ['array', 'item', 'index'].map((name) => attribute(element, name));
    const perform = contentOf(element);
    return (block) => {
      const { data, event } = block;
      const items = valueOf(array!, data, event);
      if (!Array.isArray(items)) throw new TypeError(`${array} is no array`);
      const names = index === undefined ? [item!] : [item!, index];
      for (const name of names) {
        run(`var ${name};`, data, event);
        data[name] ??= undefined;
      }
      [...items].forEach((value: unknown, i) => {
        names.forEach((name, at) => void (data[name] = at === 0 ? value : i));
        perform(block);
      });
    };
  },
  send: sending,
  cancel: (element) => {
    const [id, expression] = [attribute(element, 'sendid'), attribute(element, 'sendidexpr')];
    return ({ data, event, enqueue }) =>
      enqueue({ type: 'disarm', params: { timer: id ?? String(valueOf(expression!, data, event)) } });
  },
};

function performerOf(element: Element): Perform {
  const perform = PERFORMERS[nameOf(element)];
  if (!perform) throw new NotExpressed(`<${nameOf(element)}>`);
  return perform(element);
}

const quoted = (element: Element): string => {
  const text = (element.textContent ?? '').trim();
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text.replaceAll(/\s+/g, ' '));
  }
};

function conditionOf(element: Element): string {
  const condition = attribute(element, 'cond') ?? 'true';
  if (/\bIn\(/.test(condition)) throw new NotExpressed('In() within executable content');
  return condition;
}

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1 };
function delayOf(text: string): number {
  const [, amount, unit] = /^([\d.]+)(ms|s|)$/.exec(text) ?? [];
  if (amount === undefined) throw new NotExpressed(`the delay "${text}"`);
  return Number(amount) * MILLISECONDS[unit!]!;
}

/** Events that are sent to the session itself go through its queue, at once or later; raised events belong to the same step. */
function sending(element: Element): Perform {
  if (childrenOf(element, 'content').length > 0) throw new NotExpressed('<content> of <send>');
  const reported = (name: string, block: Block): unknown => {
    const [plain, expression] = [attribute(element, name), attribute(element, `${name}expr`)];
    return plain ?? (expression === undefined ? undefined : valueOf(expression, block.data, block.event));
  };
  for (const name of ['idlocation', 'targetexpr', 'typeexpr', 'type'])
    if (element.hasAttribute(name)) throw new NotExpressed(`<send ${name}>`);
  const target = attribute(element, 'target');
  if (target !== undefined && target !== '#_internal') throw new NotExpressed('<send> to others');
  return (block) => {
    const fields = childrenOf(element, 'param').map((param): [string, unknown] => [
      attribute(param, 'name')!,
      valueOf(attribute(param, 'expr') ?? attribute(param, 'location')!, block.data, block.event),
    ]);
    fields.push(
      ...wordsIn(attribute(element, 'namelist')).map((name): [string, unknown] => [name, valueOf(name, block.data, block.event)]),
    );
    const message: SentEvent = {
      type: String(reported('event', block)),
      ...(fields.length > 0 ? { data: Object.fromEntries(fields) } : {}),
    };
    if (target === '#_internal') return block.enqueue.raise(message);
    const delay = delayOf(String(reported('delay', block) ?? '0s'));
    return block.enqueue({ type: 'send', params: { to: 'itself', message, delay, id: attribute(element, 'id') } });
  };
}

/** One action for the content of an `<onentry>`, an `<onexit>` or a transition; an error ends it and is raised. */
function actionOf(elements: readonly Element[]): any[] {
  return elements
    .filter((element) => childrenOf(element).length > 0)
    .map((element) => {
      const perform = contentOf(element);
      return enqueueActions(({ context, event, enqueue }: any) => {
        const data = structuredClone(context) as Data;
        try {
          perform({ data, event, enqueue });
        } catch {
          enqueue.raise({ type: 'error.execution' });
        }
        enqueue.assign(data);
      });
    });
}

// States and transitions.

function guardOf(element: Element): any {
  const condition = attribute(element, 'cond');
  if (condition === undefined) return undefined;
  const [, state] = /^\s*In\(\s*['"]([^'"]+)['"]\s*\)\s*$/.exec(condition) ?? [];
  if (state !== undefined) return stateIn(`#${plain(state)}`);
  if (/\bIn\(/.test(condition)) throw new NotExpressed('In() among other conditions');
  return ({ context, event }: any) => {
    try {
      return Boolean(valueOf(condition, structuredClone(context) as Data, event));
    } catch {
      return false;
    }
  };
}

/** XState has its own meaning for a dot within a name. */
const plain = (id: string): string => id.replaceAll('.', '_');
const idOf = (element: Element): string => plain(attribute(element, 'id') ?? '');

/** SCXML matches whole words of a name from its beginning, as XState's wildcard does. */
function descriptorOf(word: string): string {
  if (word === '*') return word;
  const name = word.replace(/\.\*?$/, '');
  return name.startsWith('done.state.') ? `xstate.${plain(name).replace('done_state_', 'done.state.')}` : `${name}.*`;
}

const targetsOf = (element: Element): string[] => wordsIn(attribute(element, 'target')).map((id) => `#${plain(id)}`);

/** One that is marked so is internal only within a compound state, and with targets inside of it. */
function isInternal(source: Element, transition: Element): boolean {
  const inside = new Set([...(source.getElementsByTagName('*') as unknown as Iterable<Element>)].map(idOf));
  const isWithin = wordsIn(attribute(transition, 'target')).every((id) => inside.has(plain(id)));
  return attribute(transition, 'type') === 'internal' && nameOf(source) === 'state' && isWithin;
}

function transitionsOf(element: Element): Json {
  const [on, always] = [{} as Record<string, Json[]>, [] as Json[]];
  for (const transition of childrenOf(element, 'transition')) {
    const targets = targetsOf(transition);
    const guard = guardOf(transition);
    const config = {
      ...(targets.length > 0 ? { target: targets, reenter: !isInternal(element, transition) } : {}),
      ...(guard === undefined ? {} : { guard }),
      actions: actionOf([transition]),
    };
    const words = wordsIn(attribute(transition, 'event'));
    if (words.length === 0) always.push(config);
    for (const word of words) (on[descriptorOf(word)] ??= []).push(config);
  }
  return { on, always };
}

function historyOf(element: Element): Json {
  const [byDefault] = childrenOf(element, 'transition');
  if (byDefault && childrenOf(byDefault).length > 0) throw new NotExpressed('content of the default of a <history>');
  const target = byDefault === undefined ? {} : { target: targetsOf(byDefault) };
  return { type: 'history', history: attribute(element, 'type') ?? 'shallow', ...target };
}

function initialOf(element: Element, states: readonly Element[]): Json {
  const [initial] = childrenOf(element, 'initial');
  const transition = initial && childrenOf(initial, 'transition')[0];
  const named = wordsIn(transition ? attribute(transition, 'target') : attribute(element, 'initial'));
  const target = plain(named[0] ?? idOf(states.find((state) => nameOf(state) !== 'history')!));
  if (named.length > 1 || !states.some((state) => idOf(state) === target))
    throw new NotExpressed('an initial state that is no child');
  return { initial: { target, ...(transition ? { actions: actionOf([transition]) } : {}) } };
}

function stateOf(element: Element): Json {
  for (const child of childrenOf(element, 'invoke', 'donedata', 'datamodel')) {
    if (nameOf(child) !== 'datamodel') throw new NotExpressed(`<${nameOf(child)}>`);
  }
  if (nameOf(element) === 'history') return historyOf(element);
  const states = childrenOf(element, 'state', 'parallel', 'final', 'history');
  states.forEach((state, i) => state.hasAttribute('id') || state.setAttribute('id', `${idOf(element)}_${i}`));
  const isParallel = nameOf(element) === 'parallel';
  return {
    ...(isParallel ? { type: 'parallel' } : nameOf(element) === 'final' ? { type: 'final' } : {}),
    ...(states.length > 0 && !isParallel ? initialOf(element, states) : {}),
    ...transitionsOf(element),
    entry: actionOf(childrenOf(element, 'onentry')),
    exit: actionOf(childrenOf(element, 'onexit')),
    states: Object.fromEntries(states.map((state) => [idOf(state), { id: idOf(state), ...stateOf(state) }])),
  };
}

/** The data that are declared anywhere in the document, with their first values. */
function dataOf(document: Element): Data {
  const data: Data = {};
  const elements = [...(document.getElementsByTagName('data') as unknown as Iterable<Element>)];
  if (attribute(document, 'binding') === 'late') throw new NotExpressed('late binding');
  for (const element of elements) {
    if (element.hasAttribute('src')) throw new NotExpressed('data of another file');
    if (childrenOf(element).length > 0) throw new NotExpressed('XML as data');
    const expression = attribute(element, 'expr') ?? ((element.textContent ?? '').trim() === '' ? 'undefined' : quoted(element));
    try {
      data[attribute(element, 'id')!] = structuredClone(valueOf(expression, data));
    } catch (error) {
      throw new NotExpressed(`the value "${expression}"`, { cause: error });
    }
  }
  return data;
}

/** The chart of a document, in a state that waits for `BEGIN`. */
export function chartOf(text: string): AnyStateMachine {
  const document = new DOMParser().parseFromString(text, 'text/xml').documentElement as unknown as Element;
  if (childrenOf(document, 'script').length > 0) throw new NotExpressed('a script of the document');
  const [field] =
    /_ioprocessors|_name\b|_event\.(?:type|origintype|origin|sendid|invokeid|raw)\b|'type' in _event/.exec(text) ?? [];
  if (field !== undefined) throw new NotExpressed(field);
  const body = stateOf(document);
  return (setup({ actions: { ...effects() } as any }) as any).createMachine({
    context: dataOf(document),
    initial: 'before',
    states: { before: { on: { [BEGIN]: 'document' } }, document: body },
  }) as AnyStateMachine;
}
