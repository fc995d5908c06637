/** Reports of Nsight Compute with one damaged row: every row is used or counted. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { freshPath } from '../../../support/fresh-path.js';
import { traceText, kernel as traced, writeTrace } from '../../../support/kineto-trace.js';
import { recordsOf } from '../../../support/profile-records.js';

const quoted = (...cells: readonly string[]): string => cells.map((cell) => `"${cell}"`).join(',');
const PLACE = ['python', 'host'];
const launch = (id: number, ...values: readonly string[]): string =>
  quoted(String(id), '77', ...PLACE, `k${id}`, '(128, 1, 1)', '(64, 2, 1)', ...values);

const ABOUT = ['ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Block Size', 'Grid Size'];
const HEADER = quoted(...ABOUT, 'gpu__time_duration.sum', 'n');
const UNITS = quoted(...ABOUT.map(() => ''), 'usecond', '');
const ROWS = [0, 1, 2].map((id) => launch(id, `${id + 1}`, '5'));
const SECOND = ROWS[1] ?? '';

const write = (lines: readonly string[]): string => {
  const path = freshPath('.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

/** Kernels with their durations in ns, and what is counted. */
function answerOf(lines: readonly string[]): readonly [kernels: object, counted: object] {
  const records = recordsOf(write(lines));
  const kernels = records.flatMap((record) => (record.type === 'kernel' ? [[record.short, record.dur]] : []));
  const end = records.at(-1);
  return [Object.fromEntries(kernels), end?.type === 'end' ? end.diagnostics : {}];
}

const ALL = { k0: 1000, k1: 2000, k2: 3000 };
const OTHERS = { k0: 1000, k2: 3000 };
const LOST = { 'csv-row-passed-over': 1 };

/** The row of the second launch, damaged. */
const WIDE: readonly (readonly [what: string, row: string, kernels: object, counted: object])[] = [
  ['as it is', SECOND, ALL, {}],
  ['without its first byte', SECOND.slice(1), ALL, { 'bad-row': 1 }],
  ['with a wrong id', SECOND.replace('"1"', '"x1"'), ALL, { 'bad-row': 1 }],
  ['without its id', SECOND.replace('"1",', ''), OTHERS, LOST],
  ['without its first three cells', SECOND.split(',').slice(3).join(','), OTHERS, LOST],
  ['of its last cell alone', '"5"', OTHERS, LOST],
  ['without its last cell', SECOND.slice(0, -4), OTHERS, LOST],
  ['with a cell too many', `${SECOND},"7"`, OTHERS, LOST],
  ['with a wrong id and a number too many', SECOND.replace('"1","77"', '"x","1","77"'), OTHERS, LOST],
  ['whose last quote is missing', SECOND.slice(0, -1), { k0: 1000 }, { 'csv-row-passed-over': 2 }],
  ['and a line of the profiler', `${SECOND}\n==PROF== Disconnected from process 77, of two`, ALL, {}],
  ['and what the program printed', `${SECOND}\nepoch 1`, ALL, LOST],
];

describe('damaged Nsight Compute CSV', () => {
  for (const [what, row, kernels, counted] of WIDE) {
    it(`a row a launch, one ${what}`, () => {
      expect(answerOf([HEADER, UNITS, ...ROWS.with(1, row)])).to.deep.equal([kernels, counted]);
    });
  }

  it('without its units has no values', () => {
    expect(answerOf([HEADER, UNITS.slice(3), ...ROWS])).to.deep.equal([{ k0: null, k1: null, k2: null }, LOST]);
  });

  const LONG = quoted(...ABOUT, 'Metric Name', 'Metric Unit', 'Metric Value', 'Rule Name');
  const metrics = [0, 1].flatMap((id) => [launch(id, 'Duration', 'us', `${id + 1}`), launch(id, 'n', '', '5')]);
  const whole = { k0: 1000, k1: 2000 };
  const damaged: readonly (readonly [what: string, change: (row: string) => string, kernels: object, counted: object])[] = [
    ['as it is', (row) => row, whole, {}],
    ['with an empty cell of rules', (row) => `${row},`, whole, {}],
    ['with a wrong id', (row) => row.replace('"1"', '"x"'), { ...whole, k1: null }, LOST],
    ['without its id', (row) => row.replace('"1",', ''), { ...whole, k1: null }, LOST],
    ['that ends before its value', (row) => row.slice(0, -4), { ...whole, k1: null }, LOST],
    ['with two cells too many', (row) => `${row},"",""`, { ...whole, k1: null }, LOST],
  ]; // prettier-ignore
  for (const [what, change, kernels, counted] of damaged) {
    it(`a row a metric, one ${what}`, () => {
      expect(answerOf([LONG, ...metrics.with(2, change(metrics[2] ?? ''))])).to.deep.equal([kernels, counted]);
    });
  }

  it('gives no counters to kernels after a launch that is lost', () => {
    const trace = writeTrace(traceText([0, 1, 2].map((at) => traced('k', at, 10 * at))));
    const named = ['k', '(128, 1, 1)', '(8, 1, 1)'];
    const header = quoted('ID', 'Kernel Name', 'Block Size', 'Grid Size', 'n');
    const rows = [0, 1, 2].map((id) => quoted(`${id}`, ...named, `${id + 5}`));
    const values = (lines: readonly string[]): unknown => {
      const records = recordsOf(trace, { ncu: write([header, quoted('', '', '', '', ''), ...lines]) });
      const end = records.at(-1);
      const { 'kernel-without-launch': _, ...counted } = end?.type === 'end' ? end.diagnostics : {};
      return [records.flatMap((record) => (record.type === 'kernel' ? [record.counters?.['n'] ?? null] : [])), counted];
    };
    expect(values(rows)).to.deep.equal([[5, 6, 7], {}]);
    // The third launch is the third kernel's: nobody knows that, since the lost row may be of any kernel.
    expect(values(rows.with(1, quoted(...named, '6')))).to.deep.equal([
      [5, null, null],
      { ...LOST, 'counters-not-placed': 1, 'kernel-without-counters': 2 },
    ]);
    expect(values(rows.with(2, quoted(...named, '6')))).to.deep.equal([
      [5, 6, null],
      { ...LOST, 'kernel-without-counters': 1 },
    ]);
  });
});
