/**
 * Type of the generated module with the layout engine ELK. `vite.config.ts` bundles ELK as compressed text, from which the page makes a
 * worker.
 */
declare const engine: string;
export default engine;
