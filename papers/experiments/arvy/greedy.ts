/** A greedy adversary: it always requests at the node whose find costs most, compared with the optimum. */
import type { Policy } from '../../../machines/directory/policies.js';
import { SingleRequests } from './pointers.js';
import type { JsonObject } from './run.js';

export function greedyRequests(topology: JsonObject, options: JsonObject & { readonly policy: Policy }, count: number): number[] {
  const directory = new SingleRequests(topology, options.policy);
  let pointers = directory.start(options);
  return Array.from({ length: count }, () => {
    const { holder } = pointers;
    let [worst, most] = [holder, 0];
    for (const [node, cost] of directory.costs(pointers).entries()) {
      const ratio = node === holder ? 0 : cost / directory.optimum(holder, node);
      if (ratio > most) [worst, most] = [node, ratio];
    }
    pointers = directory.request(pointers, worst).after;
    return worst;
  });
}
