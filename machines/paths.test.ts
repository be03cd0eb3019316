/** The generated path tests of every protocol. */
import { describe, expect, test } from 'vitest';
import { describeProtocol } from '../test/describe-protocol.js';
import { protocols } from './index.js';

for (const protocol of Object.values(protocols)) {
  if (Object.keys(protocol.samples).length > 0) describeProtocol(protocol, { describe, test, expect });
  else test.todo(`${protocol.name} brings no samples of its charts yet`);
}
