/**
 * `quiver cluster recover FOLDER`: forced recovery of a cluster of locks from the folder of one voter (machines/locks/recovery.ts). Registers
 * in the folder, and lasting names and quotas, get this voter as the only peer that keeps them.
 */
import { readdirSync } from 'node:fs';
import { registerCopyOf } from '../adapters/locks/register-copies.js';
import { folderStorage } from '../adapters/storage/folder.js';
import { escape } from '../adapters/transports/reading.js';
import type { Json } from '../adapters/transports/transport.js';
import { isObject } from '../machines/checks.js';
import { thrownText, UsageError } from '../machines/errors.js';
import { isStanding } from '../machines/locks/accepts.js';
import type { Standing } from '../machines/locks/knowledge.js';
import { STANDING } from '../machines/locks/messages.js';
import { largestEpochOf, recovered } from '../machines/locks/recovery.js';

interface Entry {
  readonly key: string;
  readonly stored: Readonly<Record<string, unknown>>;
}

/** Prints what a recovery would do, and does it if the operator accepts the loss. Returns whether it is done. */
export async function recoverFolder(folder: string, isAccepted: boolean): Promise<boolean> {
  const { peer, name, standing, others } = await contentOf(folder);
  const next = recovered(peer, standing);
  const registers = others.flatMap(({ key, stored }) => {
    const copy = registerCopyOf(stored['copy']);
    return copy
      ? [{ key, stored: { ...stored, copy: { ...copy, keepers: { version: next.membership.version, peers: [peer] } } } }]
      : [];
  });
  const { voters } = standing.membership;
  const lines = [
    `"${name}" of peer "${peer}" in ${folder}: the voters are ${voters.join(', ')}, the largest known epoch is ${largestEpochOf(standing)}`,
    ...registers.map(({ key, stored }) => `  value "${key}", written with fence ${stored.copy.fence}`),
  ];
  if (isAccepted) {
    const storage = folderStorage(folder);
    // The locks last: if a write fails, the peer still waits for its majority, and the command can be repeated.
    for (const { key, stored } of [...registers, { key: name, stored: { [STANDING]: next } }]) {
      await storage.load(key);
      await storage.save(key, { peer, stored } as unknown as Json);
    }
    lines.push(
      `Recovered: "${peer}" is the only voter from now on, and its epochs begin above ${next.promised!.epoch}.`,
      `Start "${peer}", then add the other voters: npx quiver cluster add ID.`,
    );
  } else
    lines.push(
      `Nothing has changed. A recovery makes "${peer}" the only voter:`,
      '- All locks become free, also those that other peers hold. Their fencing tokens are smaller than the next ones.',
      '- Values of registers, names and quotas that only the other voters have stored are lost.',
      `- While a majority of ${voters.join(', ')} still runs without a connection to "${peer}", both grant the same locks.`,
      'Stop all voters that are left. Choose the one with the largest epoch, and repeat the command with --force.',
    );
  for (const line of lines) console.log(escape(line));
  return isAccepted;
}

/** The stored state of the locks in a folder, and everything else in it. */
async function contentOf(folder: string) {
  const entries: (Entry & { readonly peer: string })[] = [];
  for (const key of keysIn(folder)) {
    const value = await folderStorage(folder).load(key);
    if (!isObject(value) || typeof value['peer'] !== 'string' || !isObject(value['stored']))
      throw new UsageError(`"${key}" in ${folder} is damaged or of another program. Recover another voter.`);
    entries.push({ key, peer: value['peer'], stored: value['stored'] });
  }
  const found = entries.filter(({ stored }) => isStanding(stored[STANDING], { rank: () => 0 }));
  const [locks, second] = found;
  if (!locks)
    throw new UsageError(`${folder} contains no locks that have been served. Pass the folder of folderStorage of a voter.`);
  if (second)
    throw new UsageError(
      `${folder} contains the locks "${locks.key}" and "${second.key}". Give each of them a folder, and recover both.`,
    );
  const { key: name, peer } = locks;
  return { peer, name, standing: locks.stored[STANDING] as Standing, others: entries.filter((entry) => entry !== locks) };
}

function keysIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((file) =>
      file.endsWith('.json') ? [decodeURIComponent(file.slice(0, -'.json'.length))] : [],
    );
  } catch (error) {
    throw new UsageError(`${folder} cannot be read (${thrownText(error)}). Pass the folder of folderStorage of a voter.`);
  }
}
