/** Type of the generated module with the inspector's page as a single HTML text. `vite.config.ts` builds it. */
declare const page: string;
export default page;
