/** ELK in this thread, for tests; the page runs it in a worker. */
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import Elk from 'elkjs/lib/elk.bundled.js';

const elk = new Elk.default();

export const elkHere = (graph: ElkNode): Promise<ElkNode> => elk.layout(graph);
