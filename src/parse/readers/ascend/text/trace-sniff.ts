/** Whether an input is a trace, or a kernel_details.csv, of the Ascend PyTorch Profiler. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Probe } from '../../../reader.js';
import { headContains } from '../../../json/first-part.js';
import { hasDatabase } from '../one-profile.js';
import { TRACE_NAME } from './sidecar-files.js';
import { isKernelDetailsHeader } from './kernel-details.js';

/** Metadata and the device's events stand behind the program's, which may be many: this much of the file is searched. */
const SEARCHED = 16 * 1024 * 1024;

/** What no other program writes; texts of host events stand first. */
const MARKS = ['"async_npu"', 'torch_to_npu', '"Ascend Hardware"', 'Node@launch', '"Physic Stream Id"', 'AscendCL@'];

/** Times as texts, and shapes too, are this profiler's alone: in a trace that was cut they are all there is. */
const QUOTED_TIME = /"ts"\s*:\s*"\d{1,19}(\.\d+)?"/;
const QUOTED_SHAPES = /"Input Dims"\s*:\s*"/;
const CATEGORY = /"cat"\s*:\s*"(cpu_op|python_function|enqueue|dequeue)"/;

/** The trace is a list of events, which no trace of PyTorch for other devices is. */
export function isAscendTrace({ path, head }: Probe): boolean {
  const start = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (!start.startsWith('[') || !start.includes('"ph"')) return false;
  if (QUOTED_SHAPES.test(start) || (QUOTED_TIME.test(start) && CATEGORY.test(start))) return true;
  return headContains(path, MARKS, SEARCHED);
}

export function isKernelDetails({ head }: Probe): boolean {
  const [line = ''] = head.toString('utf8').replace(/^\ufeff/, '').split(/\r?\n/, 1); // prettier-ignore
  return isKernelDetailsHeader(line);
}

/** The profiler writes databases and text of one run into one folder: then a folder is read from its database. */
export function isCovered(probe: Probe): boolean {
  const { folder } = probe;
  if (folder === null) return false;
  if (isKernelDetails(probe) && existsSync(join(folder, TRACE_NAME))) return true;
  return hasDatabase(folder);
}
