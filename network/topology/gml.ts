/**
 * GML files, such as those of the Internet Topology Zoo.
 *
 * A file is a list of keys and values; a value is a number, a string, or a list of keys and values in brackets. The parser reads
 * `graph`, its `node`s (`id`, `label`, `Longitude`, `Latitude`) and `edge`s (`source`, `target`, `weight`), and skips the rest.
 * Real files are sloppy: labels that several nodes share get the id appended, repeated links count once (with the smallest
 * weight), self-links are dropped, and directions are ignored. The weight of a link is the one in the file; otherwise the
 * great-circle distance between its ends in kilometers, if both have a position; otherwise 1.
 *
 * Everything is read in one pass, without recursion and without going back.
 */
import { UsageError } from '../../machines/errors.js';
import type { Link, Topology } from '../../machines/protocol.js';
import { shownValue } from '../scenario/read.js';
import { greatCircleKm, type Position } from './metric.js';

type Value = string | number | List;

/** Values of each key, in order, because a key may be repeated. */
type List = Map<string, Value[]>;

interface GmlNode {
  readonly id: number;
  readonly label: string;
  readonly position: Position | undefined;
}

export function parseGml(text: string): Topology {
  const graph = readLists(text).get('graph')?.[0];
  if (!(graph instanceof Map)) throw new UsageError('The GML file has no "graph [ … ]". Check that it is a GML file.');
  const nodes = new Map<number, GmlNode>();
  for (const entry of listsOf(graph, 'node')) {
    const node = readNode(entry);
    if (nodes.has(node.id)) throw new UsageError(`The GML file has two nodes with id ${node.id}. Give each node its own id.`);
    nodes.set(node.id, node);
  }
  const names = uniqueNames([...nodes.values()]);
  const links = new Map<string, Link>();
  for (const entry of listsOf(graph, 'edge')) {
    const [u, v] = [endOf(entry, 'source', nodes), endOf(entry, 'target', nodes)];
    if (u === v) continue;
    const key = u.id < v.id ? `${u.id} ${v.id}` : `${v.id} ${u.id}`;
    const weight = weightOf(entry, u, v);
    const before = links.get(key);
    if (before === undefined || weight < before[2]) links.set(key, [names.get(u.id)!, names.get(v.id)!, weight]);
  }
  return { nodes: [...names.values()], links: [...links.values()] };
}

function readNode(entry: List): GmlNode {
  const id = numberOf(entry, 'id');
  if (id === undefined || !Number.isSafeInteger(id))
    throw new UsageError(`A node of the GML file has the id ${shownValue(entry.get('id')?.[0])}. Use an integer.`);
  const [latitude, longitude] = [numberOf(entry, 'Latitude'), numberOf(entry, 'Longitude')];
  const position = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
  const label = entry.get('label')?.[0];
  return { id, label: label === undefined || label instanceof Map ? '' : String(label).trim().replace(/\s+/g, ' '), position };
}

/** The label if it is unique, else the label with the id, or only the id without a label. */
function uniqueNames(nodes: readonly GmlNode[]): Map<number, string> {
  const uses = new Map<string, number>();
  for (const { label } of nodes) uses.set(label, (uses.get(label) ?? 0) + 1);
  return new Map(
    nodes.map(({ id, label }) => [id, label === '' ? `${id}` : uses.get(label) === 1 ? label : `${label} (${id})`] as const),
  );
}

function endOf(edge: List, key: 'source' | 'target', nodes: ReadonlyMap<number, GmlNode>): GmlNode {
  const id = edge.get(key)?.[0];
  const node = typeof id === 'number' ? nodes.get(id) : undefined;
  if (!node) throw new UsageError(`An edge of the GML file has the ${key} ${shownValue(id)}, which is not the id of a node.`);
  return node;
}

function weightOf(edge: List, u: GmlNode, v: GmlNode): number {
  return numberOf(edge, 'weight') ?? (u.position && v.position ? greatCircleKm(u.position, v.position) : 1);
}

function numberOf(list: List, key: string): number | undefined {
  const value = list.get(key)?.[0];
  return typeof value === 'number' ? value : undefined;
}

const listsOf = (list: List, key: string): List[] => (list.get(key) ?? []).filter((value) => value instanceof Map);

/** Maximum nesting of lists; real files have three levels. */
const DEPTH_MAX = 100;
const BLANK = /\s/;
const WORD = /[^\s[\]"#]+/y;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', apos: "'" };

/** The whole file as one list. */
function readLists(text: string): List {
  const root: List = new Map();
  const open: List[] = [root];
  let key: string | undefined;
  const put = (value: Value, at: number): void => {
    if (key === undefined) throw fault(text, at, 'a value without a key before it.');
    const list = open.at(-1)!;
    const values = list.get(key);
    if (values) values.push(value);
    else list.set(key, [value]);
    key = undefined;
  };
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (char <= ' ' || BLANK.test(char)) {
      at++;
    } else if (char === '#') {
      at = endOfLine(text, at);
    } else if (char === '[') {
      if (open.length > DEPTH_MAX) throw fault(text, at, `lists nested deeper than ${DEPTH_MAX} levels.`);
      const list: List = new Map();
      put(list, at++);
      open.push(list);
    } else if (char === ']') {
      if (key !== undefined) throw fault(text, at, `no value after "${key}".`);
      if (open.length === 1) throw fault(text, at, 'a "]" without a matching "[".');
      open.pop();
      at++;
    } else if (char === '"') {
      const end = text.indexOf('"', at + 1);
      if (end === -1) throw fault(text, at, 'a string without a closing quote.');
      put(unescape(text.slice(at + 1, end)), at);
      at = end + 1;
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(text)![0];
      if (key === undefined) key = word;
      else if (NUMBER.test(word)) put(Number(word), at);
      else throw fault(text, at, `"${word.slice(0, 40)}" where a number, a string or a list is expected.`);
      at += word.length;
    }
  }
  if (open.length > 1 || key !== undefined) throw fault(text, at, 'the end of the file inside a list. Is it truncated?');
  return root;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** GML is officially ASCII: other letters are written as `&#233;` or `&eacute;`. This supports numbers and the five names of XML. */
const unescape = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|(\w{2,4}));/g, (whole, code?: string, name?: string) => {
        if (name !== undefined) return ENTITIES[name] ?? whole;
        return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole;
      })
    : text;

function fault(text: string, at: number, what: string): UsageError {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return new UsageError(`Line ${line} of the GML file has ${what}`);
}
