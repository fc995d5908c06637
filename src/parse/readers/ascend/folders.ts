/** Folders that the profiler makes, one a rank: `{worker}_{time}_ascend_pt`, in which it describes itself. */
import { basename, dirname } from 'node:path';
import type { OutputFolder } from '../../reader.js';

const ENDING = '_ascend_pt';
const INFO = /^profiler_info(_\d{1,6})?\.json$/;

export const ascendFolder: OutputFolder = {
  title: 'a folder of the Ascend profiler without a database, trace_view.json or kernel_details.csv',
  hint: 'raw data is analysed first: torch_npu.profiler.profiler.analyse(FOLDER)',
  among: (paths) => new Set(paths.flatMap((path) => folderOf(path) ?? [])),
};

/** The folder of the profiler in which a file is; null when it is in none. */
function folderOf(path: string): string | null {
  if (INFO.test(basename(path))) return dirname(path);
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folder.endsWith(ENDING)) return folder;
  }
  return null;
}
