/** What `dparse` writes: records, as lines or as Parquet, or for scripts that read PyProf's `net.dict` a dict a kernel. */
import { appendLine } from '../../record/lines/append-line.js';
import { completeKernel } from '../../record/fields/record-fields.js';
import type { LineBytes } from '../../record/lines/line-bytes.js';
import { netDictOf } from '../../record/python/net-dict.js';
import type { ProfileLine } from '../../record/record.js';

export const OUTPUT_FORMATS = ['records', 'pyprof', 'parquet'] as const;
/** Formats of which a record is a line of text. */
export type LineFormat = Exclude<(typeof OUTPUT_FORMATS)[number], 'parquet'>;

/** Appends the line of a record, where the format has one for it. */
export const APPEND: Readonly<Record<LineFormat, (lines: LineBytes, record: ProfileLine) => void>> = {
  records: appendLine,
  pyprof: (lines, record) => {
    if (record.type === 'kernel') lines.text(`${netDictOf(completeKernel(record))}\n`);
  },
};
