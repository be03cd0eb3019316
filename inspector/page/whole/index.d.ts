/** The page in one piece, as `vite.config.ts` makes it. */
declare const page: string;
export default page;
