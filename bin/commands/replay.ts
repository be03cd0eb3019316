/** `quiver replay TRACE`: repeats the run of a trace and compares every line with the file. */
import { UsageError } from '../../machines/errors.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { TRACE_VERSION, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { describe } from '../../network/transcript.js';
import type { VerbWork } from '../verbs.js';
import { recordRun } from '../../network/record-run.js';
import { optionsOf } from '../recording.js';
import { protocolsFor } from '../protocols.js';
import { readFile } from '../read-file.js';
import { verdictInColor } from '../style.js';
import { traceHeaderIn, unexpectedTrace } from '../unexpected-trace.js';

const command: VerbWork<'replay'> = async (_, words) => {
  const [path, ...more] = words;
  if (path === undefined || more.length > 0) throw new UsageError('quiver replay takes one trace file: npx quiver replay TRACE');
  const [first, ...recorded] = readFile(path)
    .split('\n')
    .filter((line) => line !== '');
  const header = readHeader(first, path);
  const { scenario, lines } = await rerun(header);
  for (const [i, line] of lines.entries()) {
    const text = JSON.stringify(line);
    if (text === recorded[i]) {
      console.log(describe(line));
      continue;
    }
    console.log(
      `${verdictInColor('invalid')}  line ${i + 2} of ${path} differs from the run (${scenario.protocol.name}, seed ${header.seed})`,
    );
    console.log(`  recorded  ${recorded[i] ?? 'nothing: the trace ends here'}`);
    console.log(`  replayed  ${text}`);
    return 1;
  }
  if (recorded.length > lines.length) {
    console.log(`${verdictInColor('invalid')}  ${path} goes on after the run has ended, from line ${lines.length + 2}`);
    return 1;
  }
  console.log(`${verdictInColor('valid')}  ${lines.length} lines, the same byte for byte`);
  return 0;
};

function readHeader(text: string | undefined, path: string): TraceHeader {
  const header = traceHeaderIn(text ?? '');
  if (header?.live) throw unexpectedTrace(path, header, 'cannot be run again');
  if (!header?.scenario) {
    throw new UsageError(
      `${path} was not recorded by this version (its first line has no "quiver": ${TRACE_VERSION}). Record a trace: npx quiver run SCENARIO --trace FILE`,
    );
  }
  return header as TraceHeader;
}

/** Repeats the run line by line. Throws if the charts differ from those of the trace. */
async function rerun(header: TraceHeader): Promise<{ scenario: Scenario; lines: TraceLine[] }> {
  const scenario = parseScenario(header.scenario, await protocolsFor(header.scenario), readFile);
  const [again, ...lines] = recordRun(scenario, header.scenario, optionsOf(header));
  if (JSON.stringify((again as TraceHeader).charts) !== JSON.stringify(header.charts)) {
    throw new UsageError('The charts have changed since this trace was recorded. Record it again.');
  }
  return { scenario, lines: lines as TraceLine[] };
}

export default command;
