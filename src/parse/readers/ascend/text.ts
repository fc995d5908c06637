/**
 * Text output of the Ascend PyTorch Profiler: trace_view.json with its CSV files, or kernel_details.csv where there is
 * no trace.
 */
import type { ProfileLine } from '../../../record/record.js';
import { emit } from '../../capture/emit.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { DetailsCapture } from './text/details-capture.js';
import { isAscendTrace, isCovered, isKernelDetails } from './text/trace-sniff.js';
import { TraceCapture } from './text/trace-capture.js';

export const ascendText: Reader = {
  id: 'ascend-text',
  title: 'Ascend PyTorch Profiler trace (trace_view.json with its CSV files; kernel_details.csv)',
  reads: 'text',
  sniff: (probe) => isAscendTrace(probe) || isKernelDetails(probe),
  isCovered: (probe) => isCovered(probe),
  read: (probe, options) => read(probe, options),
};

function* read(probe: Probe, options: ReadOptions): Generator<ProfileLine> {
  const { path, file, folder } = probe;
  const Captured = isKernelDetails(probe) ? DetailsCapture : TraceCapture;
  yield* emit(new Captured(path, file, folder, ascendText.id), options);
}
