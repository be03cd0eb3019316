/** Promises of the two applications beyond those of the controller: names are unique and short (I8), a bank is solvent (I9). */
import { always } from '../../folded.js';
import { controllerFold, isWhole } from '../totals.js';

const promise = always(controllerFold);

export const solvent = promise(
  'a withdrawal waits only for a deposit',
  'When nothing is on its way and a withdrawal waits, less than W is left, what it has gathered apart (I9).',
  (t, c) => !t.isQuiet || t.waiting === 0 || t.supply - t.issued - t.gathered < Math.max(1, t.options.W) || !isWhole(t, c),
);

export const unrejected = promise(
  'a bank rejects nothing',
  'A withdrawal that nothing covers waits, and the bank never ends (6.3).',
  (t) => t.rejections === 0 && !t.hasSignaled,
);

export const uniqueShortNames = [
  promise('names are unique', 'No name is given twice (I8).', (t) => t.names.repeated === 0),
  promise(
    'names are short',
    'Every name is below four times the number of participants, names given to applications counted (6.2, E18).',
    (t, c) => t.names.largest < 4 * t.names.count || !isWhole(t, c),
  ),
];
