/**
 * A topology in each form of a scenario: a kind with its parameters, nodes and links, a file, or a contact list.
 *
 * The caller reads files (`readText`), because the network also runs in a browser.
 */
import { UsageError, thrownText } from '../../machines/errors.js';
import type { Link, Topology } from '../../machines/protocol.js';
import {
  complain,
  placeIn,
  readFields,
  readList,
  readName,
  readTicks,
  readObject,
  readOneOf,
  type Fields,
} from '../scenario/read.js';
import { backbone, backbones, type Backbone } from './backbones.js';
import { parseContacts, type Contact } from './contacts.js';
import { parseGml } from './gml.js';
import { topologyKinds, ofKind } from './kinds.js';
import { movingKinds, ofMovingKind } from './moving.js';
import { validateTopology } from './validate.js';
import type { NodeId } from '../../machines/effects.js';

/** A topology and, if it changes over time, its contacts. */
export interface TopologyInTime extends Topology {
  readonly contacts: readonly Contact[];
}

/** The text of a file that a scenario names. */
export type ReadText = (path: string) => string;

/** Maximum size of a file; longer ones take more than a few seconds. */
const TEXT_MAX_MB = 64;

const FORMS = ['kind', 'nodes', 'file', 'contacts'] as const;

const noFiles: ReadText = () => {
  throw new UsageError('files cannot be read here');
};

export function createTopology(spec: unknown, text: ReadText = noFiles): TopologyInTime {
  const path = 'topology';
  const fields = readObject(spec, path);
  const form = FORMS.find((key) => fields[key] !== undefined);
  switch (form) {
    case 'kind':
      return ofAnyKind(fields, path);
    case 'nodes':
      return still(validateTopology(explicit(fields, path)));
    case 'file':
      return still(fromFile(readFields(fields, path, ['file'])['file'], placeIn(path, 'file'), text, parseTopology));
    case 'contacts':
      return fromFile(readFields(fields, path, ['contacts'])['contacts'], placeIn(path, 'contacts'), text, parseInTime);
    default:
      throw new UsageError(`${path} must have "kind", "nodes" with "links", "file" or "contacts". It has ${keysOf(fields)}.`);
  }
}

const still = (topology: Topology): TopologyInTime => ({ ...topology, contacts: [] });

const keysOf = (fields: Fields): string => Object.keys(fields).slice(0, 5).join(', ') || 'nothing';

function ofAnyKind(fields: Fields, path: string): TopologyInTime {
  const known = [...Object.keys(topologyKinds), ...Object.keys(movingKinds), ...backbones];
  const kind = readOneOf(fields['kind'], placeIn(path, 'kind'), known);
  if (kind in movingKinds) return ofMovingKind(kind, fields, path);
  if (kind in topologyKinds) return still(ofKind(kind, fields, path));
  readFields(fields, path, ['kind']);
  return still(backbone(kind as Backbone));
}

function explicit(fields: Fields, path: string): Topology {
  readFields(fields, path, ['nodes', 'links']);
  const place = placeIn(path, 'nodes');
  return {
    nodes: readList(fields['nodes'], place, 'names').map((node, i) => readName(node, placeIn(place, i), 'a name')),
    links: readList(fields['links'], placeIn(path, 'links'), 'links').map((link, i) =>
      readLink(link, placeIn(placeIn(path, 'links'), i)),
    ),
  };
}

function readLink(value: unknown, path: string): Link {
  const link = readList(value, path, 'two names and perhaps a weight');
  if (link.length !== 2 && link.length !== 3) complain(path, 'a list of two names and perhaps a weight', value);
  const [u, v, weight = 1] = link;
  return [
    readName(u, placeIn(path, 0), 'a name'),
    readName(v, placeIn(path, 1), 'a name'),
    readTicks(weight, placeIn(path, 2), 'a weight'),
  ];
}

/** Parses GML, or an edge list, by the file's name. */
const parseTopology = (content: string, file: string): Topology =>
  validateTopology(/\.gml$/i.test(file) ? parseGml(content) : parseEdgeList(content), '');

/** The topology starts without links: all links come with the contacts. */
function parseInTime(content: string): TopologyInTime {
  const contacts = parseContacts(content);
  const nodes = [...new Set(contacts.flatMap(({ i, j }) => [i, j]))];
  return { ...validateTopology({ nodes, links: [] }, ''), contacts };
}

/** Reads a file. Errors about its content begin with its name. */
function fromFile<T>(value: unknown, path: string, text: ReadText, parse: (content: string, file: string) => T): T {
  const file = readName(value, path, 'the name of a file');
  let content: string;
  try {
    content = text(file);
  } catch (error) {
    const why = error instanceof UsageError ? error.message : `cannot read "${file}": ${thrownText(error)}`;
    throw new UsageError(`${path}: ${why}`, { cause: error });
  }
  try {
    if (content.length > TEXT_MAX_MB * 1e6) throw new UsageError(`longer than ${TEXT_MAX_MB} MB. Use a smaller file.`);
    return parse(content, file);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Edge lists: a line `a b` or `a b weight` is a link, `#` begins a comment. Nodes are ordered by their first mention. */
export function parseEdgeList(text: string): Topology {
  const nodes = new Set<NodeId>();
  const links: Link[] = [];
  const lineOf = new Map<string, number>();
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    const [u, v, weight, ...more] = line.split('#', 1)[0]!.split(/\s+/).filter(Boolean);
    if (u === undefined) continue;
    const where = `line ${number} of the edge list`;
    if (v === undefined || more.length > 0)
      throw new UsageError(`${where} must be "a b" or "a b weight", and names contain no spaces.`);
    const length = weight === undefined ? 1 : Number(weight);
    if (!(length >= 0 && length < Infinity))
      throw new UsageError(`${where}: the weight "${weight}" must be a number of at least 0.`);
    if (u === v) throw new UsageError(`${where} links "${u}" to itself. Name two nodes.`);
    const key = u < v ? `${u} ${v}` : `${v} ${u}`;
    const first = lineOf.get(key);
    if (first !== undefined)
      throw new UsageError(`${where} repeats the link of line ${first}. List a link once, in either direction.`);
    lineOf.set(key, number);
    nodes.add(u).add(v);
    links.push([u, v, length]);
  }
  return { nodes: [...nodes], links };
}
