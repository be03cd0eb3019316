/** Events that the small systems of tabs do not contain. */
import { because } from '../because.fixtures.js';
import { PEER, TAB } from './messages.js';

const STOPPED =
  'of a tab that was stopped for longer than patience, in runs and searches (tabs.test.ts); walks end once all know each other';

export const reasons: Readonly<Record<string, string>> = {
  ...because(TAB, STOPPED, 'sent missed', 'received missed', 'received ping', 'received beat'),
  ...because(PEER, 'a beat, in runs and searches; walks end once all know each other', 'received due'),
};
