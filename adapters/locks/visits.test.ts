/** The visits of a tab, with a page and transports that the test controls. */
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import type { LiveNode } from '../node/node.js';
import type { Linked, Transport } from '../transports/transport.js';
import { Visits, type PageEvents } from './visits.js';

/** A page that records its listeners and their options. */
function pageOf() {
  const listeners: [type: string, listener: () => void, capture: boolean][] = [];
  const page: PageEvents = {
    addEventListener: (type, listener, options) => void listeners.push([type, listener, options?.capture === true]),
    removeEventListener: (type, listener, options) => {
      const at = listeners.findIndex(
        ([known, of, capture]) => known === type && of === listener && capture === (options?.capture === true),
      );
      listeners.splice(at, at < 0 ? 0 : 1);
    },
  };
  const notify = (type: string) => listeners.forEach(([known, listener]) => known === type && listener());
  return { page, listeners, notify };
}

function lineOf(number: number) {
  const line = { number, isClosed: false, peers: new Set<string>(), events: new Subject<unknown>() };
  return Object.assign(line, {
    close: async () => {
      line.isClosed = true;
    },
  });
}

type Line = ReturnType<typeof lineOf>;

function visiting(page?: PageEvents) {
  const lines: Line[] = [];
  const visits = new Visits(() => {
    lines.push(lineOf(lines.length));
    return lines.at(-1) as unknown as Transport<Linked>;
  }, page);
  return { visits, lines };
}

test('a page that leaves closes its transport at once, and makes another on return', () => {
  const { page, notify } = pageOf();
  const { visits, lines } = visiting(page);
  expect([lines.length, visits.line]).toEqual([1, lines[0]]);
  for (const [going, coming] of [
    ['freeze', 'resume'],
    ['pagehide', 'pageshow'],
  ] as const) {
    const begun: unknown[] = [];
    notify(going);
    expect(lines.at(-1)!.isClosed).toBe(true);
    const before = lines.length;
    visits.next((line) => begun.push(line));
    expect([begun, lines.length]).toEqual([[], before]);
    notify(coming);
    expect([begun, visits.line]).toEqual([[lines.at(-1)], lines.at(-1)]);
    expect(lines.length).toBe(before + 1);
    notify(coming);
    expect([begun.length, lines.length]).toEqual([1, before + 1]);
  }
});

test('while the page is there the next visit begins at once', () => {
  const { visits, lines } = visiting();
  const begun: unknown[] = [];
  visits.next((line) => begun.push(line));
  expect([begun, lines.length]).toEqual([[lines[1]], 2]);
});

test('listens before other code can stop the event, and not after the end', async () => {
  const { page, listeners, notify } = pageOf();
  const { visits, lines } = visiting(page);
  expect(listeners.map(([type, , capture]) => [type, capture])).toEqual([
    ['freeze', true],
    ['pagehide', true],
    ['resume', true],
    ['pageshow', true],
  ]);
  notify('freeze');
  visits.next(() => expect.unreachable());
  await visits.end();
  expect([listeners, lines[0]!.isClosed]).toEqual([[], true]);
  visits.next(() => expect.unreachable());
  expect(lines.length).toBe(1);
});

test('the end while the page is there begins nothing more', async () => {
  const { visits, lines } = visiting();
  await visits.end();
  visits.next(() => expect.unreachable());
  expect([lines.length, lines[0]!.isClosed]).toEqual([1, true]);
});

/** A node that has met no other tab yet, and its commands. */
function nodeOf({ isReady = true } = {}) {
  const [links, attempts] = [[] as string[], [] as string[]];
  const node = {
    ready: isReady ? Promise.resolve() : Promise.reject(new Error('cut')),
    steps$: new Subject<unknown>(),
    isOpen: true,
    role: (role: string) => (role === EPOCHS && node.isOpen ? { context: { links } } : undefined),
    attempt: (name: string) => void attempts.push(name),
  };
  return { node, links, attempts, begin: (visits: Visits) => visits.begin(node as unknown as LiveNode) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a tab that meets no other one begins the cluster as soon as it is there', async () => {
  const { visits } = visiting();
  const { attempts, begin } = nodeOf();
  begin(visits);
  expect(attempts).toEqual([]);
  await turn();
  expect(attempts).toEqual(['bootstrap']);
});

test('one that meets others waits for a message or the end of each, then begins once', async () => {
  const { visits, lines } = visiting();
  const { node, links, attempts, begin } = nodeOf();
  const [{ peers, events }] = lines as [Line];
  for (const peer of ['b', 'c']) peers.add(peer);
  begin(visits);
  await turn();
  peers.add('d');
  links.push('b');
  node.steps$.next(0);
  await turn();
  expect(attempts).toEqual([]);
  peers.delete('c');
  events.next(0);
  await turn();
  expect(attempts).toEqual(['bootstrap']);
  expect([node.steps$.observed, events.observed]).toEqual([false, false]);
  node.steps$.next(0);
  await turn();
  expect(attempts).toHaveLength(1);
});

test('steps at the same time begin it once', async () => {
  const { visits, lines } = visiting();
  const { node, links, attempts, begin } = nodeOf();
  lines[0]!.peers.add('b');
  begin(visits);
  await turn();
  links.push('b');
  for (let i = 0; i < 3; i++) node.steps$.next(i);
  await turn();
  expect(attempts).toEqual(['bootstrap']);
});

test('one that has ended, or never began, begins nothing', async () => {
  const { visits, lines } = visiting();
  const { node, attempts, begin } = nodeOf();
  lines[0]!.peers.add('b');
  begin(visits);
  await turn();
  node.isOpen = false;
  lines[0]!.peers.delete('b');
  node.steps$.next(0);
  await turn();
  const failed = nodeOf({ isReady: false });
  failed.begin(visits);
  await turn();
  expect([attempts, failed.attempts]).toEqual([[], []]);
});
