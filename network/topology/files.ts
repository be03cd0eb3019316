/** Topologies in files: GML, edge lists and contact lists. The caller reads the text, because the network also runs in a browser. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import type { Link, Topology } from '../../machines/protocol.js';
import { parseContacts } from './contacts.js';
import { parseGml } from './gml.js';
import { still, type ReadTopology, type TopologyInTime } from './index.js';
import { validateTopology } from './validate.js';

/** The text of a file that a scenario names. */
export type ReadText = (path: string) => string;

/** Maximum size of a file; longer ones take more than a few seconds. */
const TEXT_MAX_MB = 64;

/** Reads the files that a scenario names. Errors about their content begin with the name of the file. */
export const topologyFiles =
  (text: ReadText): ReadTopology =>
  (form, file, path) => {
    let content: string;
    try {
      content = text(file);
    } catch (error) {
      const why = error instanceof UsageError ? error.message : `cannot read "${file}": ${thrownText(error)}`;
      throw new UsageError(`${path}: ${why}`, { cause: error });
    }
    try {
      if (content.length > TEXT_MAX_MB * 1e6) throw new UsageError(`longer than ${TEXT_MAX_MB} MB. Use a smaller file.`);
      return form === 'contacts' ? parseInTime(content) : still(parseTopology(content, file));
    } catch (error) {
      if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`, { cause: error });
      throw error;
    }
  };

/** Parses GML, or an edge list, by the file's name. */
const parseTopology = (content: string, file: string): Topology =>
  validateTopology(/\.gml$/i.test(file) ? parseGml(content) : parseEdgeList(content), '');

/** The topology starts without links: all links come with the contacts. */
function parseInTime(content: string): TopologyInTime {
  const contacts = parseContacts(content);
  const nodes = [...new Set(contacts.flatMap(({ i, j }) => [i, j]))];
  return { ...validateTopology({ nodes, links: [] }, ''), contacts };
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
