/**
 * Text output of the Ascend PyTorch Profiler: trace_view.json with its CSV files, or kernel_details.csv where there is
 * no trace.
 */
import { emit } from '../../capture/emit.js';
import type { Reader } from '../../reader.js';
import { DetailsCapture } from './text/details-capture.js';
import { isAscendTrace, isCovered, isKernelDetails } from './text/trace-sniff.js';
import { TraceCapture } from './text/trace-capture.js';

export const ascendText: Reader = {
  id: 'ascend-text',
  title: 'Ascend PyTorch Profiler trace (trace_view.json with its CSV files; kernel_details.csv)',
  reads: 'text',
  sniff: (probe) => isAscendTrace(probe) || isKernelDetails(probe),
  isCovered: (probe) => isCovered(probe),
  read: (probe, options) => {
    const Captured = isKernelDetails(probe) ? DetailsCapture : TraceCapture;
    return emit(new Captured(probe.path, probe.file, probe.folder, ascendText.id), options);
  },
};
