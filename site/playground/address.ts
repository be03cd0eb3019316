/** The texts of the playground in its address, so that a link holds them. Nothing is sent to anybody, and nothing runs by itself. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { pack, unpack } from '../../inspector/model/packed.js';
import { LINK_MEGABYTES_MAX } from './bounds.js';

export interface Texts {
  readonly scenario: string;
  readonly chart: string;
}

const PREFIX = '#try=';
const DAMAGED = 'The address is damaged: no texts could be read from it. Copy the whole of the link.';

export const hashFor = async ({ scenario, chart }: Texts): Promise<string> =>
  `${PREFIX}${await pack(JSON.stringify({ scenario, chart }))}`;

/** `null` where the address holds none; throws a `UsageError` where it is damaged or too much. */
export async function textsIn(hash: string): Promise<Texts | null> {
  if (!hash.startsWith(PREFIX)) return null;
  const texts = await read(hash.slice(PREFIX.length));
  if (!isObject(texts) || typeof texts['scenario'] !== 'string' || typeof texts['chart'] !== 'string')
    throw new UsageError(DAMAGED);
  return { scenario: texts['scenario'], chart: texts['chart'] };
}

async function read(packed: string): Promise<unknown> {
  try {
    return JSON.parse(await unpacked(packed));
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(DAMAGED);
  }
}

async function unpacked(packed: string): Promise<string> {
  const reader = unpack(packed).getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value.length;
    if (bytes > LINK_MEGABYTES_MAX * 2 ** 20) {
      void reader.cancel();
      throw new UsageError(`The address holds more than ${LINK_MEGABYTES_MAX} MB of texts, which this page does not open.`);
    }
    text += decoder.decode(piece.value, { stream: true });
  }
  return text + decoder.decode();
}
