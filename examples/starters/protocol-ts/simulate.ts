// One run on a ring of eight nodes, in virtual time: the same seed gives the same run.
import { readFileSync } from 'node:fs';
import { parseScenario, Simulation } from 'xstate-quiver/network';
import { ring } from './ring.js';

const call = JSON.parse(readFileSync(new URL('call.json', import.meta.url), 'utf8'));
const scenario = { ...call, topology: { kind: 'ring', n: 8 } };
const { verdict, messages } = new Simulation(parseScenario(scenario, { ring })).run();
console.log(verdict, messages.byType);
