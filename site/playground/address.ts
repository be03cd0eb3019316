/** The texts of the playground in its address, so that a link holds them. Nothing is sent to anybody, and nothing runs by itself. */
import { pack, unpack } from '../../inspector/model/packed.js';

export interface Texts {
  readonly scenario: string;
  readonly chart: string;
}

const PREFIX = '#try=';

export const linkTo = async ({ scenario, chart }: Texts): Promise<string> =>
  `${location.href.split('#')[0]}${PREFIX}${await pack(JSON.stringify({ scenario, chart }))}`;

/** `null` where the address holds none; throws where it is damaged. */
export async function textsInAddress(): Promise<Texts | null> {
  if (!location.hash.startsWith(PREFIX)) return null;
  const { scenario, chart } = JSON.parse(await new Response(unpack(location.hash.slice(PREFIX.length))).text()) as {
    readonly [text in keyof Texts]: unknown;
  };
  return { scenario: String(scenario), chart: String(chart) };
}
