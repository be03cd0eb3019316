/**
 * A topology in each form of a scenario: a kind with its parameters, nodes and links, a file, or a contact list.
 *
 * Files are read by another module (files.ts), which a program without files does not load.
 */
import { UsageError } from '../../machines/errors.js';
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
import { backbone, backbones } from './backbones.js';
import type { Contact } from './contacts.js';
import { topologyKinds, ofKind } from './kinds.js';
import { movingKinds, ofMovingKind } from './moving.js';
import { validateTopology } from './validate.js';

/** A topology and, if it changes over time, its contacts. */
export interface TopologyInTime extends Topology {
  readonly contacts: readonly Contact[];
}

/** Reads the topology in a file that a scenario names at `path`, see files.ts. */
export type ReadTopology = (form: 'file' | 'contacts', name: string, path: string) => TopologyInTime;

const FORMS = ['kind', 'nodes', 'file', 'contacts'] as const;

const noFiles: ReadTopology = (_, __, path) => {
  throw new UsageError(`${path} names a file, but createTopology has no function to read files. Pass one as its second argument`);
};

export function createTopology(spec: unknown, fromFile: ReadTopology = noFiles): TopologyInTime {
  const path = 'topology';
  const fields = readObject(spec, path);
  const form = FORMS.find((key) => fields[key] !== undefined);
  switch (form) {
    case 'kind':
      return ofAnyKind(fields, path);
    case 'nodes':
      return still(validateTopology(explicit(fields, path)));
    case 'file':
    case 'contacts': {
      const name = readName(readFields(fields, path, [form])[form], placeIn(path, form), 'the name of a file');
      return fromFile(form, name, placeIn(path, form));
    }
    default:
      throw new UsageError(`${path} must have "kind", "nodes" with "links", "file" or "contacts". It has ${keysOf(fields)}.`);
  }
}

export const still = (topology: Topology): TopologyInTime => ({ ...topology, contacts: [] });

const keysOf = (fields: Fields): string => Object.keys(fields).slice(0, 5).join(', ') || 'nothing';

function ofAnyKind(fields: Fields, path: string): TopologyInTime {
  const known = [...Object.keys(topologyKinds), ...Object.keys(movingKinds), ...backbones];
  const kind = readOneOf(fields['kind'], placeIn(path, 'kind'), known);
  if (kind in movingKinds) return ofMovingKind(kind, fields, path);
  if (kind in topologyKinds) return still(ofKind(kind, fields, path));
  readFields(fields, path, ['kind']);
  return still(backbone(backbones.find((name) => name === kind)!));
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
