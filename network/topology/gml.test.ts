import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../scenario/text.js';
import { parseGml } from './gml.js';
import { greatCircleKm } from './metric.js';
import { topologyFiles } from './files.js';
import { createTopology } from './index.js';

const node = (id: number, label?: string, more = '') =>
  `node [ id ${id} ${label === undefined ? '' : `label "${label}"`} ${more} ]`;
const edge = (source: number, target: number, more = '') => `edge [ source ${source} target ${target} ${more} ]`;
const graph = (...parts: string[]) => `graph [ ${parts.join('\n')} ]`;

describe('contents of real files', () => {
  test('labels that two nodes share get their id, a node without one is its id', () => {
    const { nodes } = parseGml(graph(node(0, 'None'), node(1, 'Athens'), node(2, 'None'), node(3), node(4, ''), node(5, '7')));
    expect(nodes).toEqual(['None (0)', 'Athens', 'None (2)', '3', '4', '7']);
  });

  test('a repeated link counts once with its smallest weight, a self-link not at all', () => {
    const { links } = parseGml(graph(node(0, 'a'), node(1, 'b'), edge(0, 1, 'weight 5'), edge(1, 0, 'weight 3'), edge(1, 1)));
    expect(links).toEqual([['b', 'a', 3]]);
  });

  test('a link weighs what the file defines, else the great circle, else 1', () => {
    const [athens, oslo] = [
      { latitude: 37.98, longitude: 23.73 },
      { latitude: 59.91, longitude: 10.75 },
    ];
    const place = ({ latitude, longitude }: typeof athens) => `Longitude ${longitude} Latitude ${latitude}`;
    const text = graph(
      node(0, 'Athens', place(athens)),
      node(1, 'Oslo', place(oslo)),
      node(2, 'Nowhere', 'Latitude 3.5'),
      edge(0, 1),
      edge(0, 2),
      edge(1, 2, 'weight 2.5e1'),
    );
    expect(parseGml(text).links.map(([, , weight]) => weight)).toEqual([greatCircleKm(athens, oslo), 1, 25]);
  });

  test('comments, entities, blanks in labels, unknown lists, keys in any order, CRLF', () => {
    const text =
      'Creator "me"\r\n# a comment ] "\r\ngraph\t[\r\n directed 0 node [ label "Orl&#233;ans &amp;\n  Tours" id 0 graphics [ x 1 y [ z -.5 ] ] ]\r\n' +
      'edge [ target 0 source 1 ] node [ id 1 label "b" ] ]';
    expect(parseGml(text)).toEqual({ nodes: ['Orléans & Tours', 'b'], links: [['b', 'Orléans & Tours', 1]] });
  });

  test('Latin-1 bytes and UTF-8 bytes give the same name', () => {
    const text = graph(node(0, 'Genève'));
    const latin1 = Uint8Array.from(text, (char) => char.charCodeAt(0));
    expect(parseGml(decodeText(latin1)).nodes).toEqual(['Genève']);
    expect(parseGml(decodeText(new TextEncoder().encode(text))).nodes).toEqual(['Genève']);
  });

  test('written files are read: any labels, any links', () => {
    const label = fc.string({ unit: fc.constantFrom(...'abcé &"<>#[]0 '.split('')), minLength: 1, maxLength: 8 });
    const clean = (text: string) => text.trim().replace(/\s+/g, ' ');
    const labels = fc
      .uniqueArray(label, { minLength: 1, maxLength: 8, selector: clean })
      .map((all) => all.filter((l) => clean(l) !== ''));
    fc.assert(
      fc.property(labels, fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.nat(99))), (names, ends) => {
        const escaped = names.map((name) => name.replace(/&/g, '&amp;').replace(/"/g, '&quot;'));
        const unique = new Map(ends.map(([i, j, w]) => [`${Math.min(i, j)} ${Math.max(i, j)}`, [i, j, w] as const]));
        const links = [...unique.values()].filter(([i, j]) => i !== j && i < names.length && j < names.length);
        const text = graph(...escaped.map((name, i) => node(i, name)), ...links.map(([i, j, w]) => edge(i, j, `weight ${w}`)));
        expect(parseGml(text)).toEqual({
          nodes: names.map(clean),
          links: links.map(([i, j, w]) => [clean(names[i]!), clean(names[j]!), w]),
        });
      }),
    );
  });
});

describe('rejected, with the line if there is one', () => {
  test.each([
    ['', 'The GML file has no "graph [ … ]". Check that it is a GML file.'],
    ['<html>', 'Line 1 of the GML file has the end of the file inside a list'],
    ['hello there', 'Line 1 of the GML file has "there" where a number, a string or a list is expected.'],
    ['graph [\n node [\n id 0\n', 'Line 4 of the GML file has the end of the file inside a list. Is it truncated?'],
    ['graph [\n node [ id 0 label "a ]\n', 'Line 2 of the GML file has a string without a closing quote'],
    ['graph [ ]\n ]', 'Line 2 of the GML file has a "]" without a matching'],
    ['graph [ node [ id ] ]', 'Line 1 of the GML file has no value after "id"'],
    ['a [ '.repeat(101), 'Line 1 of the GML file has lists nested deeper than 100 levels'],
    ['graph [ 7 8 [ ] [ ] ]', 'Line 1 of the GML file has a value without a key before it'],
    [graph('node [ label "a" ]'), 'A node of the GML file has the id undefined. Use an integer.'],
    [graph(node(1), node(1)), 'The GML file has two nodes with id 1. Give each node its own id.'],
    [graph(node(1), edge(1, 2)), 'An edge of the GML file has the target 2, which is not the id of a node.'],
    [graph(node(1), 'edge [ source 1 ]'), 'An edge of the GML file has the target undefined, which is not the id of a node.'],
  ])('%j', (text, complaint) => {
    expect(() => parseGml(text)).toThrow(complaint);
  });

  test('through a scenario the error begins with the file', () => {
    expect(() =>
      createTopology(
        { file: 'x.gml' },
        topologyFiles(() => 'graph ['),
      ),
    ).toThrow(/^x\.gml: Line 1 of the GML file has/);
    expect(() =>
      createTopology(
        { file: 'x.gml' },
        topologyFiles(() => graph()),
      ),
    ).toThrow('x.gml: nodes is empty. Name at least one node.');
    expect(() =>
      createTopology(
        { file: 'x.gml' },
        topologyFiles(() => graph(node(0), node(1), edge(0, 1, 'weight -1'))),
      ),
    ).toThrow('x.gml: links[0] must have a weight from 0 to 10000000000000, but has -1.');
  });
});

describe('10 MB in seconds', () => {
  // Processor time of this process: other programs do not count.
  const withinSeconds = (work: () => void) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(10);
  };

  test('a sound file loads', () => {
    const n = 60_000;
    const text = graph(
      ...Array.from({ length: n }, (_, i) =>
        node(i, `city number ${i}`, `Longitude ${i % 180}.5 Latitude ${i % 90}.25 Country "Nowhere at all" Internal 1`),
      ),
      ...Array.from({ length: n }, (_, i) => edge(i, (i * 7 + 1) % n, 'LinkLabel "10 Gbps"')),
    );
    expect(text.length).toBeGreaterThan(8e6);
    withinSeconds(() =>
      expect(
        createTopology(
          { file: 'big.gml' },
          topologyFiles(() => text),
        ).nodes,
      ).toHaveLength(n),
    );
  });

  test.each([
    ['brackets without end', '[ a '.repeat(2_500_000).replace('[', 'a [')],
    ['one string without end', `graph [ label "${'x'.repeat(1e7)}`],
    ['one word', 'x'.repeat(1e7)],
    ['quotes', '"'.repeat(1e7)],
    ['blanks', ' '.repeat(1e7)],
    ['no GML at all', 'Lorem ipsum dolor sit amet. '.repeat(360_000)],
  ])('%s: one clear line', (_, text) => {
    withinSeconds(() =>
      expect(() =>
        createTopology(
          { file: 'big.gml' },
          topologyFiles(() => text),
        ),
      ).toThrow(/^big\.gml: [^\n]{1,200}$/),
    );
  });

  test('beyond 64 MB not even that', () => {
    expect(() =>
      createTopology(
        { file: 'huge.gml' },
        topologyFiles(() => ' '.repeat(65e6)),
      ),
    ).toThrow('huge.gml: longer than 64 MB. Use a smaller file.');
  });
});

const folder = new URL('../../../shared/data/topologies/', import.meta.url);
const zoo = existsSync(folder);

describe.skipIf(!zoo)('the Topology Zoo (skipped without ../shared/data/topologies)', () => {
  const files = zoo ? readdirSync(folder).filter((file) => file.endsWith('.gml')) : ['its files'];
  // Counted in the files by hand: nodes, and pairs of nodes that some edge joins.
  const known: Record<string, [number, number]> = {
    'Abilene.gml': [11, 14],
    'Arpanet196912.gml': [4, 4],
    'Geant2012.gml': [40, 61],
    'Nsfnet.gml': [13, 15],
  };
  test.each(files)('%s loads', (file) => {
    const text = decodeText(readFileSync(new URL(file, folder)));
    const topology = createTopology(
      { file },
      topologyFiles(() => text),
    );
    expect(topology.nodes).toHaveLength(text.match(/^ {2}node \[/gm)!.length);
    expect(topology.links.length).toBeLessThanOrEqual(text.match(/^ {2}edge \[/gm)!.length);
    if (known[file]) expect([topology.nodes.length, topology.links.length]).toEqual(known[file]);
  });
});
