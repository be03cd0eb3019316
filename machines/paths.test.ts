/** The generated path tests of every protocol. */
import { describe, expect, test } from 'vitest';
import { describeProtocol } from '../test/describe-protocol.js';
import { protocols } from './index.js';

for (const protocol of Object.values(protocols)) describeProtocol(protocol, { describe, test, expect });
