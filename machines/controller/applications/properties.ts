/** What the two applications of a controller promise beyond it: names are unique and short (I8), a bank is solvent (I9). */
import type { Property } from '../../protocol.js';
import type { ControllerOptions } from '../options.js';
import { flying, isWaiting, isWhole, issued, mainOf, requestOf, supply, type Config } from '../view.js';

type ControllerProperty = Property<ControllerOptions>;

export const solvent: ControllerProperty = {
  name: 'a withdrawal waits only for a deposit',
  kind: 'always',
  says: 'When nothing is on its way and a withdrawal waits, less than W is left, what it has gathered apart (I9).',
  holds: (c) => {
    const waiting = [...c.nodes.values()].filter((node) => isWaiting(node, 'R'));
    const gathered = waiting.reduce((sum, node) => sum + requestOf(node, 'R')!.permits, 0);
    return (
      c.flights.length > 0 ||
      !isWhole(c) ||
      waiting.length === 0 ||
      supply(c) - issued(c) - gathered < Math.max(1, c.instance.options.W)
    );
  },
};

export const uniqueShortNames: ControllerProperty[] = [
  {
    name: 'names are unique',
    kind: 'always',
    says: 'No name is given twice (I8).',
    holds: (c) => {
      const names = namesOf(c);
      return new Set(names).size === names.length;
    },
  },
  {
    name: 'names are short',
    kind: 'always',
    says: 'Every name is below four times the number of participants, names given to applications counted (6.2, E18).',
    holds: (c) => {
      const names = namesOf(c);
      return !isWhole(c) || names.every((name) => name < 4 * names.length);
    },
  },
];

/** Names of participants, of leaves that are being welcomed, and those that applications took. */
function namesOf(c: Config): number[] {
  const names: (number | null)[] = flying(c, 'welcome').map(({ message }) => message.name);
  for (const node of c.nodes.values()) {
    const main = mainOf(node);
    if (main) names.push(main.name, ...(requestOf(node, 'N')?.names ?? []));
  }
  return names.filter((name) => name !== null);
}
