/** A page for every file of the repository that a page links to: the file itself, as it is. */
import { linkedFiles, sourcePageOf, routeOf } from '../.vitepress/sources.mjs';

export default { paths: () => linkedFiles().map((file) => ({ params: { file: routeOf(file) }, content: sourcePageOf(file) })) };
