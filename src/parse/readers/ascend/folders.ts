/** Output folders of the profiler, one for each rank: `{worker}_{time}_ascend_pt`, with a profiler_info.json. */
import { basename, dirname } from 'node:path';
import type { OutputFolder } from '../../reader.js';

const SUFFIX = '_ascend_pt';
const INFO = /^profiler_info(_\d{1,6})?\.json$/;

export const ascendFolder: OutputFolder = {
  title: 'a folder of the Ascend profiler without a database, trace_view.json or kernel_details.csv',
  hint: 'raw data is analysed first: torch_npu.profiler.profiler.analyse(FOLDER)',
  among: (paths) => new Set(paths.flatMap((path) => folderOf(path) ?? [])),
};

/** The output folder that contains a file; null when there is none. */
function folderOf(path: string): string | null {
  if (INFO.test(basename(path))) return dirname(path);
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folder.endsWith(SUFFIX)) return folder;
  }
  return null;
}
