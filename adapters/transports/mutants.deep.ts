/** Breaks every rule of the hub, the mesh, the seal and their readers once. The test named for the rule fails. */
import { testRules } from '../../testing/rule-mutants.js';
import { mutants } from './mutants.fixture.js';

testRules('adapters', mutants, ['adapters', 'bench', 'data', 'index.ts'], 5_000);
