/**
 * `xstate-quiver/quota`: a budget of permits that many peers share. The number of granted permits never exceeds it.
 *
 * @module xstate-quiver/quota
 */
export { createQuota, quotaLogic, type Quota, type QuotaNotice } from '../adapters/quota.js';
