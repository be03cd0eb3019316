/** `xstate-quiver/quota`: a budget that many peers share. */
export { createQuota, type Quota, type QuotaOptions } from '../adapters/quota.js';
