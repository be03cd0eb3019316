/** Two peers sell ten tickets: a quota counts the rest, names number them. One machine has both as children and distinguishes them. */
import { assign, createActor, sendTo, setup, waitFor, type EventFromLogic } from 'xstate';
import { createNames, namesLogic, type Names, type NamesNotice } from 'xstate-quiver/names';
import { createQuota, quotaLogic, type Quota, type QuotaNotice } from 'xstate-quiver/quota';
import { InProcessBus } from 'xstate-quiver/transports';

interface Desk {
  readonly quota: Quota;
  readonly names: Names;
}

const desk = setup({
  types: {
    context: {} as Desk & { readonly sold: readonly number[] },
    input: {} as Desk,
    events: {} as QuotaNotice | NamesNotice,
  },
  actors: { quota: quotaLogic, names: namesLogic },
  actions: {
    take: sendTo('tickets', { type: 'take' } satisfies EventFromLogic<typeof quotaLogic>),
    number: sendTo('numbers', { type: 'next' } satisfies EventFromLogic<typeof namesLogic>),
    sell: assign(({ context }, { name }: { readonly name: number }) => ({ sold: [...context.sold, name] })),
  },
}).createMachine({
  context: ({ input }) => ({ ...input, sold: [] }),
  invoke: [
    { id: 'tickets', src: 'quota', input: ({ context }) => context },
    { id: 'numbers', src: 'names', input: ({ context }) => context },
  ],
  initial: 'starting',
  states: {
    starting: { on: { ready: { guard: ({ event }) => event.from === 'tickets', target: 'taking' } } },
    taking: { entry: 'take', on: { granted: 'numbering', rejected: 'soldOut' } },
    numbering: {
      entry: 'number',
      on: { named: { target: 'taking', actions: { type: 'sell', params: ({ event }) => event } } },
    },
    soldOut: {},
  },
});

const bus = new InProcessBus();
const ids = ['north', 'south'];
const desks = ids.map((id) => {
  const place = { transport: bus.transport(id), peers: ids };
  return createActor(desk, { input: { quota: createQuota({ ...place, budget: 10 }), names: createNames(place) } }).start();
});
const ends = await Promise.all(desks.map((actor) => waitFor(actor, (snapshot) => snapshot.matches('soldOut'))));
const sold = ends.flatMap(({ context }) => context.sold);
console.log(`${sold.length} tickets sold, ${new Set(sold).size} different numbers`);
for (const actor of desks) actor.stop();
await Promise.all(ends.flatMap(({ context }) => [context.quota.close(), context.names.close()]));
bus.close();
