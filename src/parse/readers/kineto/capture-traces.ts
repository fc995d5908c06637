/** The graphs in traces of captures, for the profile of their replays. */
import type { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { CapturedGraph, OtherCaptures } from '../../trace/graphs/captured-graph.js';
import { joinLaunches } from '../../trace/launches.js';
import { firstBytes } from '../../files.js';
import { refuseUtf16 } from '../../input/utf16.js';
import { readAnnotations } from '../../kernel-annotations.js';
import type { CaptureFile, CaptureFiles } from '../../captures.js';
import { KinetoTrace } from './kineto-trace.js';

export const capturesIn = ({ traces, annotations, unreadable }: CaptureFiles): OtherCaptures => ({
  given: traces.filter(({ isGiven }) => isGiven).length,
  graphs: (rank, diagnostics) => {
    diagnostics.count('file-beside-not-read', unreadable);
    return traces.flatMap((file) => graphsOf(file, rank, diagnostics));
  },
  annotations: (rank, diagnostics) => readAnnotations(annotations, rank, diagnostics),
});

function graphsOf(file: CaptureFile, rank: number | null, diagnostics: Diagnostics): readonly CapturedGraph[] {
  const trace = openTrace(file, diagnostics);
  if (trace === null) return [];
  const rankOfTrace = trace.header.rank ?? file.rank;
  if (rank !== null && rankOfTrace !== null && rankOfTrace !== rank && !file.isGiven) {
    diagnostics.count('capture-of-another-rank');
    return [];
  }
  diagnostics.count('capture-truncated', trace.diagnostics.get('truncated-input'));
  const launches = joinLaunches(trace.hostCalls, trace.activities, trace.threads, trace.diagnostics);
  const graphs = trace.capturedGraphs(launches);
  if (graphs.length === 0 && file.isGiven) {
    const isCut = trace.diagnostics.get('truncated-input') > 0;
    const what = isCut ? 'is cut off before a capture of a graph' : 'no capture of a graph in it';
    throw new UserError(what, { where: file.name, hint: isCut ? 'copy it again' : 'give the trace of the capture' });
  }
  return graphs.map((graph) => ({ ...graph, batch: graph.batch ?? file.batch, mode: graph.mode ?? file.mode }));
}

/** Null for a file beside the profile that is not a trace. @throws UserError when the user named it, or it is in UTF-16 */
function openTrace(file: CaptureFile, diagnostics: Diagnostics): KinetoTrace | null {
  refuseUtf16(firstBytes(file.path, 4), file.name);
  try {
    return new KinetoTrace(file.path, file.name, 'kineto');
  } catch (error) {
    if (file.isGiven || !(error instanceof UserError)) throw error;
    diagnostics.count('file-beside-not-read');
    return null;
  }
}
