/** A small trace as part of an address: whoever opens the page with it sees the same, without any file. */
import { signal } from '@preact/signals';
import { pack, unpack } from '../model/packed.js';
import { recording } from './state.js';

const PREFIX = '#trace=';
/** Longer addresses are cut off by chats and mail programs. */
const ADDRESS_CHARACTERS_MAX = 16_000;

/** What came of the last attempt to share, for a moment. */
export const shared = signal<string | null>(null);
const SHOWN_MS = 4000;

export async function share(): Promise<void> {
  const address = `${location.href.split('#')[0]}${PREFIX}${await pack(recording.value.text())}`;
  const fits = address.length <= ADDRESS_CHARACTERS_MAX;
  if (fits) {
    history.replaceState(null, '', address);
    await navigator.clipboard?.writeText(address).catch(() => {});
  }
  shared.value = fits
    ? 'The address of this page now holds the trace, and is copied.'
    : 'This trace is too long for an address: share its file.';
  setTimeout(() => (shared.value = null), SHOWN_MS);
}

/** The trace in the address of the page, if there is one. */
export const traceInAddress = (): ReadableStream<Uint8Array> | null =>
  location.hash.startsWith(PREFIX) ? unpack(location.hash.slice(PREFIX.length)) : null;

/** The trace in the page itself, where page and trace are one file. */
export function traceInPage(): ReadableStream<Uint8Array> | null {
  const element = document.getElementById('trace');
  return element && unpack(element.textContent ?? '');
}
