/** Reports are written here from the documented columns. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import type { KernelLine } from '../../../../src/record/record.js';
import { decimalsOf, factorOf, numberOfText } from '../../../../src/parse/readers/ncu/launches.js';
import { freshPath } from '../../../support/fresh-path.js';
import { recordsOf } from '../../../support/profile-records.js';

const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
const write = (lines: readonly string[]): string => {
  const path = freshPath('.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};
const kernelsIn = (path: string): KernelLine[] =>
  recordsOf(path).flatMap((line) => (line.type === 'kernel' ? [line] : []));

const ABOUT = ['ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Context', 'Stream', 'Block Size'];
const PLACE = ['Grid Size', 'Device', 'CC'];
const NAME = 'void gemm<float, 4>(const float *, float *)';
const launch = (id: number, name = NAME): string[] => [
  ...[String(id), '77', 'python', 'host', name, '1', '7', '(128, 1, 1)'],
  ...['(64, 2, 1)', '0', '8.0'],
];

const METRICS = ['dram__bytes_read.sum', 'gpu__time_duration.sum', 'launch__registers_per_thread'];
const WIDE = [
  '==PROF== Connected to process 77 (/usr/bin/python)',
  'epoch 1, loss "0.5',
  quoted([...ABOUT, ...PLACE, ...METRICS]),
  quoted([...ABOUT.map(() => ''), '', '', '', 'Mbyte', 'usecond', 'register/thread']),
  quoted([...launch(0), '1,234.5', '41.28', '40']),
  quoted([...launch(1, 'scale'), '2', '3', 'n/a']),
];

describe('Nsight Compute CSV', () => {
  it('of the raw page has a row a launch, with the units above', () => {
    const [first, second, ...others] = kernelsIn(write(WIDE.filter((line) => !line.startsWith('epoch'))));
    expect(others).to.deep.equal([]);
    expect(first).to.deep.include({ id: 1, name: NAME, short: 'gemm', dur: 41280, device: 0, stream: 7, pid: 77 });
    expect(first).to.deep.include({ grid: [64, 2, 1], block: [128, 1, 1], registers: 40, sharedBytes: null });
    expect(first?.counters).to.deep.equal({
      'dram__bytes_read.sum': 1234.5e6,
      'gpu__time_duration.sum': 41280,
      launch__registers_per_thread: 40,
    });
    expect(second).to.deep.include({ id: 2, short: 'scale', dur: 3000, registers: null });
  });

  it('of other pages has a row a metric; rules and lines of the program are none', () => {
    const tail = ['Section Name', 'Metric Name', 'Metric Unit', 'Metric Value', 'Rule Name', 'Rule Type'];
    const metric = (id: number, name: string, unit: string, value: string): string =>
      // Rows of metrics may end before the columns of rules.
      `${quoted([...launch(id), 'a section', name, unit, value])},`;
    const path = write([
      '==PROF== Connected to process 77 (/usr/bin/python)',
      quoted([...ABOUT, ...PLACE, ...tail]),
      metric(0, 'Duration', 'us', '12.40'),
      metric(0, 'Registers Per Thread', 'register/thread', '18'),
      quoted([...launch(0), 'a section', '', '', '', 'Bottleneck', 'OPT']),
      metric(1, 'Duration', 'ms', '1.5'),
      '==PROF== Disconnected from process 77',
    ]);
    const found = kernelsIn(path).map(({ dur, counters }) => [dur, counters]);
    expect(found).to.deep.equal([
      [12_400, { Duration: 12_400, 'Registers Per Thread': 18 }],
      [1_500_000, { Duration: 1_500_000 }],
    ]);
    expect(recordsOf(path)[0]).to.deep.include({ format: 'ncu', tool: 'Nsight Compute' });
    expect(recordsOf(path)[0])
      .to.have.property('devices')
      .that.deep.includes({
        ...{ id: 0, vendor: 'nvidia', name: null, arch: 'sm80', units: null, clockHz: null },
        ...{ memBytesPerS: null, memBytes: null },
      });
  });

  it('without a launch has no kernel', () => {
    expect(recordsOf(write([quoted([...ABOUT, ...PLACE, ...METRICS])])).at(-1)).to.deep.include({ counts: {} });
  });

  it('has numbers of any locale', () => {
    const cases: readonly (readonly [texts: readonly string[], numbers: readonly number[]])[] = [
      [
        ['1,234', '0.5'],
        [1234, 0.5],
      ],
      [
        ['1.234', '0,5'],
        [1234, 0.5],
      ],
      [
        ['1.234.567,8', '12'],
        [1_234_567.8, 12],
      ],
      [
        ['1,234,567', '1.234'],
        [1_234_567, 1.234],
      ],
      [
        ['1 234,5', '3,25'],
        [1234.5, 3.25],
      ],
      [['1,234'], [1234]],
      [
        ['n/a', '', '-2.5e3'],
        [NaN, NaN, -2500],
      ],
    ];
    for (const [texts, numbers] of cases) {
      expect(
        texts.map((text) => numberOfText(text, decimalsOf(texts))),
        texts.join(' '),
      ).to.deep.equal(numbers);
    }
  });

  it('has units in ns, bytes and Hz', () => {
    const factors = { nsecond: 1, us: 1e3, msecond: 1e6, second: 1e9, byte: 1, Kbyte: 1e3, Gbyte: 1e9, Khz: 1e3 };
    const others = {
      hz: 1,
      '%': 1,
      'register/thread': 1,
      'Gbyte/second': 1e9,
      'cycle/nsecond': 1e9,
      'byte/usecond': 1e6,
    };
    for (const [unit, factor] of Object.entries({ ...factors, ...others }))
      expect(factorOf(unit), unit).to.equal(factor);
  });
});
