/** The editor of the playground completes what the schema of scenarios allows. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { scenarioSchema } from '../../network/scenario/schema.js';
import { keysAt, valuesAt, type Schema } from './schema.js';

const schema = scenarioSchema(protocols) as Schema;
const names = (value: unknown, ...path: (string | number)[]) => keysAt(schema, value, path).map(({ name }) => name);

test('keys that are missing, with what is required', () => {
  expect(names({ protocol: 'election' })).toContain('topology');
  expect(names({ protocol: 'election' })).not.toContain('protocol');
  expect(keysAt(schema, {}, []).find(({ name }) => name === 'topology')).toEqual({
    name: 'topology',
    isRequired: true,
    start: '{}',
  });
});

test('keys of one member of a union', () => {
  expect(names({ topology: { kind: 'grid' } }, 'topology')).toEqual(['rows', 'columns', 'weights']);
  expect(names({ topology: { kind: 'ring' } }, 'topology')).toEqual(['n', 'weights']);
});

test('commands of the protocol that is written, and no others', () => {
  const events = (protocol: string) => valuesAt(schema, { protocol, events: [{ do: '' }] }, ['events', 0, 'do']);
  expect(events('directory')).toContain('"request"');
  expect(events('election')).not.toContain('"request"');
  expect(events('election')).toContain('"cut"');
});

test('values of a key', () => {
  expect(valuesAt(schema, {}, ['network', 'order'])).toEqual(['"fifo"', '"unordered"']);
  expect(valuesAt(schema, {}, ['protocol'])).toContain('"locks"');
  expect(valuesAt(schema, {}, ['seed'])).toEqual([]);
});

test('nothing where the schema knows nothing', () => {
  expect(names({ nothing: {} }, 'nothing', 'deep')).toEqual([]);
});
