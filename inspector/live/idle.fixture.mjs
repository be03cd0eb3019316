// A program of the tests that is watched and has little to do: an actor that holds much takes a few events, and the program is over.
import { createActor, createMachine } from 'xstate';

const context = { text: 'x'.repeat(Number(process.argv[2])) };
const states = { a: { on: { go: 'b' } }, b: { on: { go: 'a' } } };
const actor = createActor(createMachine({ id: 'm', context, initial: 'a', states })).start();
let left = 20;
const timer = setInterval(() => {
  actor.send({ type: 'go' });
  if (--left > 0) return;
  clearInterval(timer);
  console.log('over');
}, 10);
