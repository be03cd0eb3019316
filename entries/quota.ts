/**
 * `xstate-quiver/quota`: a budget that many peers share.
 *
 * @module xstate-quiver/quota
 */
export { createQuota, quotaLogic, type Quota, type QuotaNotice } from '../adapters/quota.js';
