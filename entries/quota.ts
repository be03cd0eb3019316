/** `xstate-quiver/quota`: a budget that many peers share. */
export { createQuota, quotaLogic, type Quota, type QuotaEvent, type QuotaNotice, type QuotaOptions } from '../adapters/quota.js';
