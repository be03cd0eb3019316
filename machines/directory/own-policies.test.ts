/** Custom policies: they are named in scenarios, are safe for any choice on a find's path, and are rejected for any other choice. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { explore } from '../../test/explore/explore.js';
import { directory, directoryWith, type NewParent } from './index.js';

const beforeLast: NewParent = (visited) => visited.at(-2) ?? visited[0];
const requester: NewParent = ([first]) => first;
const sender: NewParent = (visited) => visited.at(-1)!;
const stranger: NewParent = (_, receiver) => receiver;

const mine = directoryWith({ beforeLast, requester, sender, stranger });
const nodes = ['n0', 'n1', 'n2', 'n3'];
const complete = { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)) };
const scenario = (policy: string, protocol = mine) => {
  const chain = Object.fromEntries(nodes.map((node, i) => [node, nodes[Math.min(i + 1, 3)]!]));
  const options = { policy, root: 'n3', parents: chain };
  const workload = { concurrent: 3, requests: 40 };
  return parseScenario({ protocol: 'directory', topology: complete, options, workload }, { directory: protocol });
};
const run = (policy: string, protocol = mine) => new Simulation(scenario(policy, protocol), { host: 'snapshots' }).run();

describe('a policy of one’s own', () => {
  test('keeps every promise, in every order of everything', () => {
    const three = { nodes: nodes.slice(0, 3), links: complete.links.filter((link) => !link.includes('n3')) };
    const question = { topology: three, options: { policy: 'beforeLast' }, commands: 'unlimited' } as const;
    expect(explore(mine, question)).toMatchObject({ verdict: 'valid', doomed: 0 });
  });

  test.each([
    ['requester', 'ivy'],
    ['sender', 'arrow'],
  ])('"%s" is %s, step for step', (own, ours) => {
    expect(run(own)).toEqual(run(ours, directory));
  });

  test('a policy that is not built in takes another way', () => {
    expect(run('beforeLast').summary['parents']).not.toEqual(run('sender').summary['parents']);
  });

  test('that picks a node which the find has not visited is stopped by name', () => {
    expect(() => run('stranger')).toThrow(
      /Policy "stranger" picked "n\d" at n\d, which the find has not visited\. Pick one of n\d\./,
    );
  });

  test('cannot make its pick visited by writing it into the list', () => {
    const forger = directoryWith({ forger: (visited) => ((visited as unknown as string[]).push('n9'), 'n9') });
    expect(() => run('forger', forger)).toThrow(
      /Policy "forger" picked "n9" at n\d, which the find has not visited\. Pick one of/,
    );
  });

  test.each([
    [null, 'directoryWith needs an object of policies: { name: function }.'],
    [[requester], 'directoryWith needs an object of policies: { name: function }.'],
    [{ third: 3 }, 'Policy "third" is not a function. Pass a function that picks one of the nodes that a find has visited.'],
  ])('that is not a function is refused with an error that names it: %j', (own, complaint) => {
    expect(() => directoryWith(own as never)).toThrow(complaint);
  });

  test('cannot have a built-in name; an undefined one is rejected with all known names', () => {
    expect(() => directoryWith({ ivy: requester })).toThrow(/Policy "ivy" is built in\. Choose a name other than/);
    expect(() => scenario('nearest')).toThrow(/options\.policy is "nearest"\. Choose one of arrow, .*beforeLast, requester/);
  });
});
