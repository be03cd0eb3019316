/** Ten machines as applications have them, each with nothing but samples. */
import { describe, expect, test } from 'vitest';
import { describeMachine } from '../../test/index.js';
import { examples } from './samples.js';

for (const { machine, tests } of Object.values(examples)) describeMachine(machine, tests, { describe, test, expect });
