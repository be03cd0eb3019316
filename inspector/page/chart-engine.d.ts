/** ELK as the text of a worker: compressed, in base64, as `vite.config.ts` makes it. */
declare const engine: string;
export default engine;
