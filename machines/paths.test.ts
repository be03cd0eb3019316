/// <reference types="vite/client" />
/** The generated tests of every protocol, and the scenarios in which the swarm once broke one. */
import { describe, expect, test } from 'vitest';
import { describeProtocol } from '../test/describe-protocol.js';
import { describeScenarios } from '../test/describe-scenarios.js';
import { protocols } from './index.js';
import { reasonsOf } from './reasons.fixtures.js';

for (const protocol of Object.values(protocols)) describeProtocol(protocol, { describe, test, expect }, reasonsOf(protocol));

const saved = import.meta.glob('./regressions/*.json', { eager: true, import: 'default' });
describeScenarios(protocols, saved, { test, expect });
