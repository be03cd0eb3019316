/**
 * Contact lists: a topology over time, in the format of face-to-face studies.
 *
 * Each line is `t i j`: at time t (in the recorder's unit, usually seconds) i and j are in contact. A longer contact has one line for each
 * interval of the recorder.
 */
import type { NodeId } from '../../machines/effects.js';
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';

export interface Contact {
  readonly at: number;
  readonly i: NodeId;
  readonly j: NodeId;
}

/** Parses a list of contacts, whose lines must be sorted by time. */
export function parseContacts(text: string): Contact[] {
  const contacts: Contact[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]!.startsWith('#')) continue;
    const [t, i, j] = words;
    const at = Number(t);
    const where = `line ${number} of the contact list`;
    if (words.length !== 3) throw new UsageError(`${where} must have three words ("t i j"), but has ${words.length}.`);
    if (!(Math.abs(at) <= TICKS_MAX))
      throw new UsageError(`${where}: the time "${t}" is not a number of at most ${TICKS_MAX}. Write "t i j".`);
    if (i === j) throw new UsageError(`${where}: ${i} meets itself. Name two nodes.`);
    const before = contacts.at(-1)?.at ?? -Infinity;
    if (at < before) throw new UsageError(`${where}: time ${at} comes after ${before}. Sort the lines by time.`);
    contacts.push({ at, i: i!, j: j! });
  }
  if (contacts.length === 0) throw new UsageError('The contact list is empty. Write lines "t i j".');
  return contacts;
}
