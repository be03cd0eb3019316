/** The texts that a user has written, kept for as long as the tab is there: another page of the site, or a reload, does not lose them. */
import type { Texts } from './address.js';

interface Kept extends Texts {
  /** The link that was opened last: it brings its texts once, and not again over what was written since. */
  readonly link: string;
}

const KEY = 'quiver playground';

const ofTab = (): Pick<Storage, 'getItem' | 'setItem'> => sessionStorage;

/** A browser may forbid it, and then nothing is kept. */
export function keepTexts({ scenario, chart }: Texts, link: string, drawer = ofTab): void {
  try {
    drawer().setItem(KEY, JSON.stringify({ scenario, chart, link } satisfies Kept));
  } catch {
    // The texts are still on the page.
  }
}

/** `null` where there are none. */
export function keptTexts(drawer = ofTab): Kept | null {
  try {
    return JSON.parse(drawer().getItem(KEY) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
