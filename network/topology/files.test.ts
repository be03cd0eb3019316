import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseContacts } from './contacts.js';
import { parseEdgeList, topologyFiles } from './files.js';
import { createTopology } from './index.js';

describe('edge lists', () => {
  test('links with and without weights, comments, blank lines', () => {
    expect(parseEdgeList('# mine\na b\n\n  b\tc  2.5 # long\r\nc a 0\n')).toEqual({
      nodes: ['a', 'b', 'c'],
      links: [
        ['a', 'b', 1],
        ['b', 'c', 2.5],
        ['c', 'a', 0],
      ],
    });
  });

  test.each([
    ['a b\nc', 'line 2 of the edge list must be "a b" or "a b weight"'],
    ['a b 1 2', 'line 1 of the edge list must be'],
    ['a b x', 'line 1 of the edge list: the weight "x" must be a number of at least 0.'],
    ['a b -1', ': the weight "-1" must be a number of at least 0.'],
    ['a b 1e999', ': the weight "1e999" must be a number of at least 0.'],
    ['a a', 'line 1 of the edge list links "a" to itself'],
    ['a b\nb c\nb a', 'line 3 of the edge list repeats the link of line 1'],
  ])('%j is refused', (text, complaint) => {
    expect(() => parseEdgeList(text)).toThrow(complaint);
  });

  test('an empty one has no nodes', () => {
    expect(() =>
      createTopology(
        { file: 'x.txt' },
        topologyFiles(() => '# nothing\n'),
      ),
    ).toThrow('x.txt: nodes is empty. Name at least one node.');
  });
});

describe('contact lists', () => {
  test('lines "t i j" in the order of time; all nodes start without links', () => {
    const { nodes, links, contacts } = createTopology(
      { contacts: 'x.tij' },
      topologyFiles(() => '20 3 1\n20\t1\t2\r\n# later\n40 1 3\n'),
    );
    expect(nodes).toEqual(['3', '1', '2']);
    expect(links).toEqual([]);
    expect(contacts).toEqual([
      { at: 20, i: '3', j: '1' },
      { at: 20, i: '1', j: '2' },
      { at: 40, i: '1', j: '3' },
    ]);
  });

  test.each([
    ['', 'The contact list is empty. Write lines "t i j".'],
    ['1 a', 'line 1 of the contact list must have three words ("t i j"), but has 2'],
    ['1 a b c', 'line 1 of the contact list must have three words ("t i j"), but has 4'],
    ['noon a b', 'line 1 of the contact list: the time "noon" is not a number'],
    ['1e14 a b', 'line 1 of the contact list: the time "1e14" is not a number of at most 10000000000000. Write "t i j".'],
    ['1 a b\n2 c c', 'line 2 of the contact list: c meets itself'],
    ['2 a b\n1 a b', 'line 2 of the contact list: time 1 comes after 2. Sort the lines by time.'],
  ])('%j is refused', (text, complaint) => {
    expect(() => parseContacts(text)).toThrow(complaint);
  });

  const file = new URL('../../../shared/data/contacts/ws16-day2.tij', import.meta.url);
  test.skipIf(!existsSync(file))('the real contact day: 113 people, 53,155 contacts (skipped without ../shared)', () => {
    const { nodes, contacts } = createTopology(
      { contacts: 'day.tij' },
      topologyFiles(() => readFileSync(file, 'latin1')),
    );
    expect(nodes).toHaveLength(113);
    expect(contacts).toHaveLength(53_155);
  });
});

describe('nodes and links', () => {
  const of = (nodes: unknown, links: unknown) => createTopology({ nodes, links });

  test('are taken in the order given, weight 1 where there is none', () => {
    expect(of(['b', 'a'], [['a', 'b']])).toEqual({ nodes: ['b', 'a'], links: [['a', 'b', 1]], contacts: [] });
    expect(of(['b', 'a'], [['a', 'b', 0.5]]).links).toEqual([['a', 'b', 0.5]]);
    expect(of(['alone'], []).nodes).toEqual(['alone']);
  });

  test.each<[unknown, unknown, string]>([
    [[], [], 'topology.nodes is empty'],
    ['a', [], 'topology.nodes must be a list of names, but is "a"'],
    [['a'], undefined, 'topology.links is missing'],
    [['a', 7], [], 'topology.nodes[1] must be a name, but is 7'],
    [['a', ''], [], 'topology.nodes[1] must be a name'],
    [['a', 'a\nb'], [], 'topology.nodes[1] must be a name of 1 to 200 printable characters, but is'],
    [['a', 'x'.repeat(201)], [], 'topology.nodes[1] must be a name of 1 to 200 printable characters, but is'],
    [['a', '__proto__'], [], 'topology.nodes[1] is "__proto__", a property of every JavaScript object. Choose another name.'],
    [['a', 'b', 'a'], [], 'topology.nodes[2] repeats "a". Names must be unique.'],
    [['a', 'b'], [['a']], 'topology.links[0] must be a list of two names and perhaps a weight'],
    [['a', 'b'], [['a', 'b', 1, 1]], 'topology.links[0] must be a list of two names'],
    [['a', 'b'], [['a', 'c']], 'topology.links[0] names "c", which is not a node of the topology'],
    [['a', 'b'], [['a', 'a']], 'topology.links[0] links "a" to itself'],
    [
      ['a', 'b'],
      [
        ['a', 'b'],
        ['b', 'a', 2],
      ],
      'topology.links[1] repeats links[0]',
    ],
    [['a', 'b'], [['a', 'b', -1]], 'topology.links[0][2] must be a weight, 0 to 10000000000000, but is -1'],
    [['a', 'b'], [['a', 'b', '1']], 'topology.links[0][2] must be a weight, 0 to 10000000000000, but is "1"'],
  ])('%j %j is refused', (nodes, links, complaint) => {
    expect(() => of(nodes, links)).toThrow(complaint);
  });
});

describe('forms', () => {
  test.each<[unknown, string]>([
    [undefined, 'topology is missing. It must be an object'],
    [[], 'topology must be an object, but is a list of 0'],
    [{}, 'topology must have "kind", "nodes" with "links", "file" or "contacts". It has nothing.'],
    [{ n: 3 }, 'It has n.'],
    [{ kind: 'ring', n: 3, file: 'x' }, 'topology.file is an unknown key'],
    [{ nodes: ['a'], links: [], weights: [] }, 'topology.weights is an unknown key'],
    [{ file: 'x.gml', kin: 'ring' }, 'topology.kin is an unknown key'],
    [{ file: 7 }, 'topology.file must be the name of a file, but is 7'],
  ])('%j is refused', (spec, complaint) => {
    expect(() => createTopology(spec)).toThrow(complaint);
  });

  test('a file that cannot be read is named with the reason', () => {
    const missing = () => {
      throw new Error('there is no such file');
    };
    expect(() => createTopology({ file: 'x.gml' }, topologyFiles(missing))).toThrow(
      'topology.file: cannot read "x.gml": there is no such file',
    );
    expect(() => createTopology({ file: 'x.gml' })).toThrow(
      'topology.file names a file, but createTopology has no function to read files',
    );
  });
});
