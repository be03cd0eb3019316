/** `xstate-quiver/quota`: a budget that many peers share. */
export { createQuota, quotaLogic, type Quota, type QuotaNotice } from '../adapters/quota.js';
