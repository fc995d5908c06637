/** Inputs of every reader of which something is lost: a kind of damage each, made of the samples. */
import Database from 'better-sqlite3';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { freshPath } from './fresh-path.js';
import { runCli } from './run-cli.js';
import { ROOT } from './shared.js';

export interface LossyInput {
  readonly what: string;
  /** What is said of it. */
  readonly reported: RegExp;
  /** Whether it is damaged as a whole: exit 1. */
  readonly isWhole: boolean;
  readonly make: () => string | Promise<string>;
}

const sample = (name: string): string => join(ROOT, 'samples', name);

function database(name: string, sql: string): string {
  const path = freshPath();
  copyFileSync(sample(name), path);
  const opened = new Database(path);
  opened.exec(sql);
  opened.close();
  return path;
}

function file(ending: string, content: string | Buffer): string {
  const path = freshPath(ending);
  writeFileSync(path, content);
  return path;
}

const start = (name: string, share: number): Buffer => {
  const bytes = readFileSync(sample(name));
  return bytes.subarray(0, Math.floor(bytes.length * share));
};

/** A trace, with its events changed. */
function trace(change: (events: Record<string, unknown>[]) => unknown[]): string {
  const document = JSON.parse(gunzipSync(readFileSync(sample('lenet.pt.trace.json.gz'))).toString()) as {
    traceEvents: Record<string, unknown>[];
  };
  return file('.json', JSON.stringify({ ...document, traceEvents: change(document.traceEvents) }));
}

function ascendFolder(change: (output: string) => void): string {
  const folder = freshPath('-ascend_pt');
  cpSync(sample('ascend_pt'), folder, { recursive: true });
  change(join(folder, 'ASCEND_PROFILER_OUTPUT'));
  return folder;
}

/** A device trace with its program. */
function capture(change: (trace: Buffer, program: Buffer) => readonly [trace: Buffer, program: Buffer]): string {
  const folder = freshPath('-neuron');
  mkdirSync(folder);
  const [device, program] = change(readFileSync(sample('attention.ntff')), readFileSync(sample('attention.neff')));
  writeFileSync(join(folder, 'attention.neff'), program);
  writeFileSync(join(folder, 'attention.ntff'), device);
  return join(folder, 'attention.ntff');
}

/** Lines of Nsight Compute: six launches. */
function ncu(change: (text: string) => string): string {
  const head =
    '"ID","Process ID","Kernel Name","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"';
  const rows = Array.from({ length: 6 }, (_, i) => `"${i}","7","scale","7","(128, 1, 1)","(64, 2, 1)","0","8.0","1,20${i}.5"`); // prettier-ignore
  return file('.csv', change([head, '"","","","","","","","","usecond"', ...rows, ''].join('\n')));
}

async function lines(): Promise<string[]> {
  const { stdout } = await runCli('dparse', ['-q', sample('lenet.nsys.sqlite')]);
  return stdout.split(/(?<=\n)/);
}

const isKernel = (line: string): boolean => line.startsWith('{"type":"kernel"');

async function records(change: (lines: string[]) => string[], cut = 0): Promise<string> {
  const text = change(await lines()).join('');
  return file('.jsonl', text.slice(0, text.length - cut));
}

async function parquet(without: string): Promise<string> {
  const folder = freshPath('-parquet');
  await runCli('dparse', ['-q', '-f', 'parquet', '-o', folder, sample('lenet.nsys.sqlite')]);
  rmSync(join(folder, `type=${without}`), { recursive: true });
  return folder;
}

function folderWithUnreadable(): string {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  for (const name of ['a.sqlite', 'b.sqlite']) copyFileSync(sample('lenet.nsys.sqlite'), join(folder, name));
  truncateSync(join(folder, 'b.sqlite'), 5000);
  return folder;
}

const WRONG = /figures are incomplete: .*rows with a missing or invalid value \([^)]*\): \d+/;
const CUT = /cut off/;
const cell = (table: string, column: string): string => `UPDATE ${table} SET ${column} = 'x' WHERE rowid % 3 = 0`;

const ofRow = (what: string, reported: RegExp, make: LossyInput['make']): LossyInput => ({
  what,
  reported,
  isWhole: false,
  make,
});
const ofWhole = (what: string, reported: RegExp, make: LossyInput['make']): LossyInput => ({
  what,
  reported,
  isWhole: true,
  make,
});

const CUPTI = 'CUPTI_ACTIVITY_KIND_';

export const LOSSY_INPUTS: readonly LossyInput[] = [
  ofRow('Nsight Systems: ends of kernels that are texts', WRONG, () =>
    database('lenet.nsys.sqlite', cell(`${CUPTI}KERNEL`, 'end')),
  ),
  ofRow('Nsight Systems: sizes of copies that are texts', WRONG, () =>
    database('lenet.nsys.sqlite', cell(`${CUPTI}MEMCPY`, 'bytes')),
  ),
  ofRow('Nsight Systems: starts of calls that are texts', WRONG, () =>
    database('lenet.nsys.sqlite', cell(`${CUPTI}RUNTIME`, 'start')),
  ),
  ofRow('Nsight Systems: threads of ranges that are texts', WRONG, () =>
    database('lenet.nsys.sqlite', cell('NVTX_EVENTS', 'globalTid')),
  ),
  ofRow('nvprof: ends of kernels that are texts', WRONG, () =>
    database('lenet.nvprof.sql', cell(`${CUPTI}CONCURRENT_KERNEL`, 'end')),
  ),
  ofRow('nvprof: times of markers that are texts', WRONG, () =>
    database('lenet.nvprof.sql', cell(`${CUPTI}MARKER`, 'timestamp')),
  ),
  ofRow('Ascend database: ends of tasks that are texts', WRONG, () =>
    database('ascend_pytorch_profiler_0.db', cell('TASK', 'endNs')),
  ),
  ofRow('Ascend database: tasks of kernels that are texts', WRONG, () =>
    database('ascend_pytorch_profiler_0.db', cell('COMPUTE_TASK_INFO', 'globalTaskId')),
  ),
  ofWhole('PyTorch: JSON cut off', CUT, () =>
    file('.json', gunzipSync(readFileSync(sample('lenet.pt.trace.json.gz'))).subarray(0, 80_000)),
  ),
  ofWhole('PyTorch: gzip cut off', CUT, () => file('.json.gz', start('lenet.pt.trace.json.gz', 0.5))),
  ofRow('PyTorch: kernel durations that are texts', /device work without a start or an end .*: \d+/, () =>
    trace((events) =>
      events.map((event, i) => (event['cat'] === 'kernel' && i % 3 === 0 ? { ...event, dur: 'x' } : event)),
    ),
  ),
  ofRow('PyTorch: events that are not objects', /damaged events, rows and reports \([^)]*\): \d+/, () =>
    trace((events) => [...events.slice(0, 9), 5, 'x', ...events.slice(9)]),
  ),
  ofWhole('Ascend folder: CSV cut off in a row', CUT, () =>
    ascendFolder((output) => truncateSync(join(output, 'kernel_details.csv'), 2000)),
  ),
  ofRow('Ascend folder: rows of the CSV without their cells', /CSV rows [^;]*: \d+/, () =>
    ascendFolder((output) => {
      const path = join(output, 'kernel_details.csv');
      const [head = '', first = '', second = '', ...rest] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, [head, first.slice(0, 20), second.slice(0, 20), ...rest].join('\n'));
    }),
  ),
  ofWhole('Neuron: device trace cut off', CUT, () =>
    capture((device, program) => [device.subarray(0, device.length / 2), program]),
  ),
  ofWhole('Neuron: device trace with the program cut off', CUT, () =>
    capture((device, program) => [device, program.subarray(0, 7000)]),
  ),
  ofWhole('Neuron: program cut off', CUT, () => file('.neff', start('attention.neff', 0.7))),
  ofWhole('Neuron: JSON cut off', CUT, () => file('.json', start('attention.neuron.json', 0.5))),
  ofWhole('Nsight Compute: CSV cut off in a row', CUT, () => ncu((text) => text.slice(0, -40))),
  ofRow(
    'Nsight Compute: a row without its last cells',
    /CSV rows that are damaged, or whose cells do not match the header .*: \d+/,
    () => ncu((text) => text.replace(',"0","8.0","1,203.5"', '')),
  ),
  ofWhole("records cut off at a line's end", /cut off: a profile has no end/, () => records((all) => all.slice(0, 60))),
  ofWhole('records cut off in a line', CUT, () => records((all) => all.slice(0, 60), 50)),
  ofRow(
    'records of which every third kernel is gone',
    /records that the end line counts but the input lacks .*: \d+/,
    () => records((all) => all.filter((line, i) => !isKernel(line) || i % 3 > 0)),
  ),
  ofWhole('records without their kernels', /no kernel: the end line counts 126 records/, () =>
    records((all) => all.filter((line) => !isKernel(line))),
  ),
  ofRow('records, some of them repeated', /records beyond the counts of the end line .*: \d+/, () =>
    records((all) => all.flatMap((line, i) => (isKernel(line) && i % 3 === 0 ? [line, line] : [line]))),
  ),
  ofWhole('Parquet without the kernels', /no kernel: the end line counts 126 records/, () => parquet('kernel')),
  ofWhole('Parquet without the ends', /cut off: a profile has no end/, () => parquet('end')),
  ofWhole('a folder with a member that is cut short', /b\.sqlite: database is truncated/, folderWithUnreadable),
];
