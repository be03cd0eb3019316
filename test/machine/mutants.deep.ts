/** Breaks every rule of the generated tests of a machine once. The test named for the rule fails. */
import { testRules } from '../../testing/rule-mutants.js';
import { mutants } from './mutants.fixture.js';

testRules('test/machine', mutants);
