/** Finds the protocols that a module exports, for the command line and for the website's playground. */
import { isObject } from '../machines/checks.js';
import { defineProtocol } from '../machines/define.js';
import { UsageError } from '../machines/errors.js';
import type { Core, Protocol } from '../machines/protocol.js';

/**
 * The exported protocols with their names. Throws a `UsageError` that names the file if there is none, or if a record is not a protocol.
 */
export function exportedProtocols(
  all: Readonly<Record<string, unknown>>,
  file: string,
): readonly { readonly protocol: Protocol; readonly name: string }[] {
  const exported = Object.entries(all).filter(([, value]) => isNamedWithCharts(value)) as [string, Core][];
  // A module may export the core next to the protocol; the core counts only without a protocol.
  const isAlone = ([, core]: [string, Core]) =>
    exported.every(([, other]) => other.name !== core.name || !('properties' in other));
  const found = exported
    .filter((one) => 'properties' in one[1] || isAlone(one))
    .map(([name, value]) => ({ protocol: completed(value, `${file} exports ${name}`), name }));
  if (found.length === 0)
    throw new UsageError(
      `${file} exports no protocol. Export the result of defineProtocol({ name, charts, network, … }), of defineActors(…) or, for quiver test, a machine.`,
    );
  return found;
}

/** True if a value looks like a protocol or its core. */
export const isNamedWithCharts = (value: unknown): value is Core =>
  isObject(value) && typeof value['name'] === 'string' && isObject(value['charts']);

/** The members that every declared protocol has. */
const COMPLETE = ['options', 'roles', 'route', 'accepts', 'reactions', 'properties', 'observe'] as const;

/** A core is enough; any other record has missed its validation. */
function completed(exported: Core, where: string): Protocol {
  const missing = COMPLETE.filter((member) => typeof (exported as Partial<Protocol>)[member] !== 'function');
  if (missing.length === 0) return exported as Protocol;
  if (missing.every((member) => member === 'properties' || member === 'observe')) return defineProtocol(exported);
  throw new UsageError(`${where}, an object without ${missing.join(', ')}. Export the result of defineProtocol instead.`);
}
