import { createStore } from './store.js';
import { createWorkers, work } from './workers.js';

const store = createStore();
const workers = createWorkers();
await Promise.all(workers.map((locks) => work(locks, store, [1, 2, 3, 4, 5])));
await Promise.all(workers.map((locks) => locks.close()));
console.log('sent:', store.sent.map(({ invoice }) => invoice).join(', '));
