/** Raw data of torch_npu and msprof, `PROF_*` with `FRAMEWORK` beside it, by the `info.json` of the host. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emit } from '../../capture/emit.js';
import { namesIn, textStart } from '../../files.js';
import { ASCEND_DATABASE, ASCEND_FILES, ASCEND_OUTPUT, MSPROF } from '../../files-beside.js';
import type { Reader } from '../../reader.js';
import { isRawInfo } from './raw/raw-folder.js';
import { rawSource } from './raw/raw-source.js';
import { TraceCapture } from './text/trace-capture.js';

const ID = 'ascend-raw';

export const ascendRaw: Reader = {
  id: ID,
  title: 'raw data of the Ascend profilers (PROF_*/host/info.json with the folders beside it and FRAMEWORK)',
  reads: 'binary',
  sniff: ({ path, folder, head }) =>
    folder !== null &&
    isRawInfo(path, folder) &&
    /^\s*\{[^]*"(?:platform_version|DeviceInfo|CPU|drvVersion|pid)"/.test(textStart(head)),
  isCovered: ({ folder }) => folder !== null && isParsed(dirname(folder)),
  read: ({ path, folder, file }, options) =>
    emit(new TraceCapture(ID, rawSource(dirname(folder ?? dirname(path)), file)), options),
};

/** Whether the vendor's tool has parsed a folder, so that its output is read instead. */
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
