/**
 * Reader of raw data of torch_npu and msprof: `PROF_*` with `FRAMEWORK` next to it, found by the `info.json` of the host.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emit } from '../../trace/emit.js';
import { namesIn, textStart } from '../../files.js';
import { ASCEND_DATABASE, ASCEND_FILES, ASCEND_OUTPUT, MSPROF, rawSidecars } from './ascend-files.js';
import type { Reader } from '../../reader.js';
import { isRawInfo } from './raw/raw-folder.js';
import { rawSource } from './raw/raw-source.js';
import { TextTrace } from './text/text-trace.js';

const ID = 'ascend-raw';

export const ascendRaw: Reader = {
  id: ID,
  title: 'raw data of the Ascend profilers (PROF_*/host/info.json with the folders next to it and FRAMEWORK)',
  reads: 'binary',
  docs: {
    profiler: 'Huawei Ascend PyTorch Profiler, msprof',
    input: 'raw data',
    made: [
      'Ascend PyTorch Profiler if `analyse` has not run yet, or by `msprof` before export: `FRAMEWORK` and `PROF_*/host/data`, `PROF_*/device_N/data`',
    ],
    read: [
      'Device tasks with their operators, extents, types, cycles and launches, copies with sizes, collectives with their messages; from torch_npu: ops, modules, call stacks, the task queue, garbage collection and allocator memory. A folder is found by the `info.json` of its host.',
      "If the vendor's tool has parsed the folder, its output is read instead. Truncated structures, and files and structures of unread kinds, are counted.",
      'The layouts come from public sources and have not been checked against a real capture. Details: docs/ascend-raw.md.',
    ],
  },
  sidecars: rawSidecars,
  sniff: ({ path, folder, head }) =>
    folder !== null &&
    isRawInfo(path, folder) &&
    /^\s*\{[^]*"(?:platform_version|DeviceInfo|CPU|drvVersion|pid)"/.test(textStart(head)),
  isCovered: ({ folder }) => folder !== null && isParsed(dirname(folder)),
  read: ({ path, folder, file }, options) =>
    emit(new TextTrace(ID, rawSource(dirname(folder ?? dirname(path)), file)), options),
};

/** Whether the vendor's tool has already parsed a folder, so that its output is read instead. */
function isParsed(folder: string): boolean {
  const output = join(folder, '..', ASCEND_OUTPUT);
  const text = join(folder, MSPROF.output);
  return (
    [ASCEND_FILES.trace, ASCEND_FILES.details].some((name) => existsSync(join(output, name))) ||
    namesIn(output, ASCEND_DATABASE).length > 0 ||
    namesIn(folder, MSPROF.database).length > 0 ||
    [MSPROF.trace, MSPROF.summary].some((names) => namesIn(text, names).length > 0)
  );
}
