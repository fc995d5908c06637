/** Rows of a report as a test wants them: from records, by column. */
import { chooseColumns } from '../../src/prof/columns/columns.js';
import { textOf } from '../../src/table/column.js';
import { Readable } from 'node:stream';
import { openStream } from '../../src/prof/input/lines.js';
import { readRecords } from '../../src/prof/input/records.js';
import type { Item } from '../../src/prof/analysis.js';
import { Annotator } from '../../src/prof/report/report.js';
import type { Annotated } from '../../src/prof/annotate.js';
import type { ProfileLine } from '../../src/record/record.js';

/** Records of a string, as if it were a file named `test`. */
export async function recordsOf(text: string | Buffer, pieces = 1): Promise<ProfileLine[]> {
  const bytes = Buffer.from(text);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  const records: ProfileLine[] = [];
  const input = await openStream(Readable.from(chunks, { objectMode: false }), 'test');
  for await (const batch of readRecords(input)) records.push(...batch);
  return records;
}

export function annotate(records: Iterable<ProfileLine>): Annotated[] {
  const annotator = new Annotator();
  return [...[...records].flatMap((record) => annotator.take(record)), ...annotator.rest()];
}

/** Gives an analysis the records and, each once it is complete, their annotated kernels. */
export function takeAll(records: Iterable<ProfileLine>, analysis: { take(item: Item): void }): void {
  const annotator = new Annotator();
  const take = (item: Item): void => analysis.take(item);
  for (const record of records) annotator.pass(record, take);
  annotator.passRest(take);
}

/** Text of some columns of a row, by key. */
export function cellsOf(row: Annotated, keys: string): Record<string, string> {
  return Object.fromEntries(chooseColumns(keys).map((column) => [column.key, textOf(column, column.value(row))]));
}

/** A CSV in which every cell is quoted and no quote stands inside, as PyProf writes it. */
export function readQuotedCsv(text: string): Record<string, string>[] {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(1, -1).split('","'));
  const [header = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(cells.map((cell, i) => [header[i] ?? '', cell])));
}
