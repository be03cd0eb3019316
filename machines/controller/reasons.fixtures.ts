/** Equivalent mutants of the charts, with reasons. */
import { because } from '../because.fixtures.js';

const AGAIN = 'starting leads at once to where the news of the change says';
const APART = 'the one reads nothing that the other sets';
const swap = (place: string, first = 1) => `swap actions ${place}, actions ${first} and ${first + 1}`;

const changes = (chart: string) =>
  because(chart, AGAIN, 'retarget (root): epoch, to starting', 'retarget (root): epoch #2, to starting');

export const reasons: Readonly<Record<string, string>> = {
  ...because(
    'request',
    'what is announced is what was asked for, whatever the bin holds',
    ...['ready: take', 'ready: child', 'exhausted: take'].map((place) => swap(place, 2)),
  ),
  ...because(
    'request',
    'the own request is the same, whatever the bin holds',
    ...['take #2', 'child #2', 'name #2'].map((event) => swap(`ready: ${event}`)),
    ...['open', 'frozen'].map((state) => swap(`refilling.${state}: permit #2`)),
    ...['refilling', 'held'].map((state) => swap(`${state}: epoch`)),
  ),
  ...because(
    'request',
    'that it rests does not depend on the bin',
    swap('refilling: reject', 2),
    swap('refilling.frozen: permit', 3),
  ),
  ...because(
    'request',
    AGAIN,
    ...['refilling', 'frozen', 'held'].map((state) => `retarget ${state}: epoch #2, to starting`),
    'retarget frozen: epoch, to starting',
  ),
  ...because('request', 'who asks for a refill has started alive', 'retarget refilling.open: permit, to starting'),
  ...changes('delivery'),
  ...changes('pipelined'),
  ...because(
    'pipelined',
    APART,
    swap('stocked: always #2'),
    ...['reject', 'defer'].map((reply) => swap(`stocked: ${reply}`)),
    ...['stocked', 'exhausted', 'dry'].map((state) => swap(`${state}: request #2`)),
    ...['exhausted', 'dry'].flatMap((state) => ['permit', 'reject', 'defer'].map((reply) => swap(`${state}: ${reply}`))),
  ),
  ...because(
    'pipelined',
    'a refill is asked for only where the permits do not suffice',
    'reorder choices stocked: always #2, before #1',
  ),
  ...because(
    'root',
    'what becomes of the unserved is one of four things',
    'reorder choices starting: always #2, before #1',
    'reorder choices starting: always #3, before #2',
  ),
  ...because(
    'root',
    'the first that is parked is served at once, where there is enough',
    'drop transition parking: request',
    'reorder choices parking: request #2, before #1',
  ),
  ...because('main', 'a parent is no child', 'reorder choices (root): link.down #2, before #1'),
  ...because(
    'main',
    APART,
    swap('running: collect', 2),
    swap('running: depleted'),
    swap('running: depleted', 3),
    ...['collecting', 'settling'].map((state) => swap(`${state}: joined`, 3)),
    swap('settling: settled', 3),
    ...['settled', 'settled #2'].flatMap((event) => ['leaving', 'severing'].map((state) => swap(`${state}: ${event}`))),
    swap('severing: settled', 3),
    swap('severing: settled', 4),
  ),
  ...because('main', 'a node leaves only if it has lost no child', 'drop transition outside: link.up'),
  ...because('main', 'collecting leads to settling at once, for nobody is awaited', 'retarget settling: rested, to collecting'),
  ...because('deposits', APART, swap('(root): deposit'), swap('open: always'), swap('open: always #3', 2)),
  ...because(
    'deposits',
    'to pour over and to send on come to the same in any order',
    'reorder choices open: always #2, before #1',
  ),
  ...because('newcomer', 'a node without deposits has no such role to open', 'drop guard outside: welcome'),
};
