/** Model-based testing of protocols: exploring all that can happen. */
export * from './explore/index.js';
