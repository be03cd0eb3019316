/** `quiver paper NAME…`: reproduces the tables of papers, in a checkout of the repository. */
import { fromCheckout } from '../checkout.js';
import type { VerbWork } from '../verbs.js';

const command: VerbWork<'paper'> = async (values, words) => {
  const { default: paper } = await fromCheckout(() => import('../../papers/command.js'), 'the tables of the papers');
  return paper(values, words);
};

export default command;
