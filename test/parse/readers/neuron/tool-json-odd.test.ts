import { expect } from 'chai';
import type { EndRecord, KernelLine, ProfileRecord } from '../../../../src/record/record.js';
import { UserError } from '../../../../src/record/errors.js';
import { Diagnostics } from '../../../../src/record/diagnostics.js';
import { scanToolFile } from '../../../../src/parse/readers/neuron/tool-json/table-scan.js';
import { itShared } from '../../../support/shared.js';
import { CAPTURES, ofType, readText, realFile, withFile } from './tool-json-files.js';

type Row = Readonly<Record<string, unknown>>;

const CORE = [{ sg_name: 'sg00', nc_idx: 3, nd_idx: 0 }];
/** One microsecond in seconds and in table units: the unit is known. */
const CLOCK = { metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 1000 }], summary: [{ total_time: 1e-6 }] };

const instruction = (timestamp: unknown, more: Row = {}): Row => ({
  ...{ timestamp, duration: 10, opcode: 'MATMUL', subgroup: 'Tensor', subgraph: 'sg00', pc: 1, id: 7 },
  ...more,
});

/** A file of these tables. */
const textOf = (tables: Row): string => JSON.stringify({ model_info: CORE, ...CLOCK, ...tables });

const read = (tables: Row): ReturnType<typeof readText> => readText(textOf(tables), 'neuron-json');
const kernelsOf = (text: string): KernelLine[] => ofType(readText(text, 'neuron-json'), 'kernel');
const kernels = (rows: readonly unknown[]): KernelLine[] => ofType(read({ instruction: rows }), 'kernel');
const endOf = (lines: ReturnType<typeof readText>): EndRecord | undefined => ofType(lines, 'end')[0];
const oddOf = (text: string): Readonly<Record<string, number>> | undefined =>
  endOf(readText(text, 'neuron-json'))?.diagnostics;
const oddIn = (rows: readonly unknown[]): Readonly<Record<string, number>> | undefined =>
  oddOf(textOf({ instruction: rows }));

describe("Neuron: the tool's JSON, odd files", () => {
  it('makes no names from invalid numbers', () => {
    const text = textOf({ instruction: [instruction(1, { opcode: 'OPCODE' })] });
    const names = ['1e309', '12'].map((opcode) => kernelsOf(text.replace('"OPCODE"', opcode))[0]?.name);
    expect(names).to.deep.equal(['unknown', '12']);
  });

  it('keeps integers beyond 2^53 exact everywhere', () => {
    const text = textOf({
      instruction: [instruction(1, { id: 'ID', predecessors: [{ id: 'OTHER', type: 'ANTI_DEPENDENCE' }] })],
    })
      .replace('"ID"', '9223372036854775807')
      .replace('"OTHER"', '9007199254740993');
    const [line] = kernelsOf(text);
    expect(line?.labels?.['id']).to.equal('9223372036854775807');
    expect(line?.after).to.deep.equal([{ id: '9007199254740993', kind: 'anti' }]);
    expect(line?.counters).to.include({ antiDependencies: 1 });
  });

  it('digits in texts stay texts, and quotes in texts end nothing', () => {
    const operands = 'a "12345678901234567890", [98765432109876543210]} \\';
    const [line] = kernels([instruction(1, { operands })]);
    expect(line?.operands).to.equal(operands);
  });

  it('takes the end of an instruction where its duration is missing', () => {
    const [line] = kernels([instruction(40, { duration: undefined, end_ts: 65 })]);
    expect(line).to.include({ start: 40, dur: 25 });
  });

  it('reads numbers written as texts', () => {
    const [line] = kernels([instruction('12', { duration: '5', pc: '77', evt_wait_time: '3' })]);
    expect(line).to.include({ start: 12, dur: 5 });
    expect(line?.counters).to.deep.equal({ pc: 77, waitNs: 3 });
  });

  it('reads words that JSON does not have as unknown, and counts them', () => {
    const text = textOf({ instruction: [instruction(1, { pc: 'X', elements: 'X' })] }).replaceAll('"X"', 'NaN');
    expect(kernelsOf(text)[0]?.counters).to.deep.equal({});
    expect(oddOf(text)).to.deep.equal({ 'not-json': 2 });
    const summary = textOf({ summary: [{ total_time: 1e-6, mfu_estimated_percent: 'X' }] }).replace('"X"', '-Infinity');
    const mfu = ofType(readText(summary, 'neuron-json'), 'sample').find(({ metric }) => metric.startsWith('mfu'));
    expect(mfu).to.include({ value: null, unit: 'fraction' });
  });

  it('a duration that cannot be is unknown', () => {
    const rows = [
      instruction(1, { duration: -4 }),
      instruction(2, { duration: 'long' }),
      instruction(3, { duration: null }),
    ];
    expect(kernels(rows).map(({ dur }) => dur)).to.deep.equal([null, null, null]);
    expect(oddIn(rows)).to.deep.equal({ 'negative-duration': 1, 'bad-row': 1 });
  });

  it('skips and counts rows without a time, and values that are no rows', () => {
    const rows = [instruction(undefined), instruction('soon'), 5, null, [instruction(1)], 'x', instruction(9)];
    expect(kernels(rows).map(({ start }) => start)).to.deep.equal([9]);
    expect(oddIn(rows)).to.deep.equal({ 'row-passed-over': 2, 'malformed-event': 4 });
  });

  it('gives rows in time order, those of one time in one order whatever the order of the rows', () => {
    const rows = [
      instruction(5, { subgroup: 'Sync' }),
      instruction(5, { pc: 9 }),
      instruction(5, { duration: 3 }),
      instruction(5, { pc: 9, opcode: 'COPY' }),
      instruction(2),
      instruction(5, { subgraph: 'sg01' }),
    ];
    const expected = read({ instruction: rows });
    expect(ofType(expected, 'kernel').map(({ start, engine, dur, name }) => [start, engine, dur, name])).to.deep.equal([
      [2, 'Tensor', 10, 'MATMUL'],
      [5, 'Tensor', 10, 'MATMUL'],
      [5, 'Tensor', 3, 'MATMUL'],
      [5, 'Tensor', 10, 'COPY'],
      [5, 'Tensor', 10, 'MATMUL'],
      [5, 'Sync', 10, 'MATMUL'],
    ]);
    expect(read({ instruction: [...rows].reverse() })).to.deep.equal(expected);
  });

  it('reads a file with white space as one without', () => {
    const tables = {
      model_info: CORE,
      ...CLOCK,
      instruction: [instruction(1, { predecessors: [{ id: 3, type: 'ORDERED' }] })],
    };
    const plain = readText(JSON.stringify(tables));
    expect(ofType(plain, 'kernel')[0]?.after).to.deep.equal([{ id: '3', kind: 'ordered' }]);
    expect(readText(JSON.stringify(tables, null, 2))).to.deep.equal(plain);
    expect(readText(`\ufeff${JSON.stringify(tables, null, '\t')}\n`)).to.deep.equal(plain);
  });

  it('takes the last of duplicate keys; reads both of duplicate tables', () => {
    const twice = '{"timestamp":5,"opcode":"A","timestamp":8,"subgraph":"sg00"}';
    const text = `{"instruction":[${twice}],"instruction":[{"timestamp":6,"opcode":"B"}]}`;
    expect(kernelsOf(text).map(({ start, name }) => [start, name])).to.deep.equal([
      [6, 'B'],
      [8, 'A'],
    ]);
    expect(oddOf(text)).to.deep.equal({ 'repeated-key': 1, 'time-unit-assumed': 1 });
  });

  it('skips unknown tables, and empty ones', () => {
    const lines = read({ some: [{ a: '}]"' }, {}], more: { b: [] }, dma: [], ham: [], note: 'text', instruction: [] });
    // What stands in every file of these tests: a summary of one metric, and a core with its `nd_idx`.
    expect(endOf(lines)?.counts).to.deep.equal({ sample: 2 });
    expect(endOf(lines)?.diagnostics).to.deep.equal({ 'unknown-table': 3 });
  });

  it('a summary alone is a profile', () => {
    const lines = readText('{"summary":[{"total_time":0.25,"hardware_flops":8,"instance_type":"trn1.2xlarge"}]}');
    expect(lines.map(({ type }) => type)).to.deep.equal(['profile', 'sample', 'sample', 'sample', 'end']);
    expect(lines[0]).to.deep.include({ dur: 250_000_000, devices: [], tool: null });
    expect(endOf(lines)?.diagnostics).to.deep.equal({});
  });

  it('numbers the cores of a file without core ids by its subgraphs', () => {
    const rows = [instruction(1), instruction(2, { subgraph: 'sg01' })];
    const text = JSON.stringify({ ...CLOCK, instruction: rows });
    const lines = readText(text);
    expect(ofType(lines, 'kernel').map(({ device }) => device)).to.deep.equal([0, 1]);
    expect((lines[0] as ProfileRecord).devices.map(({ id }) => id)).to.deep.equal([0, 1]);
    // The number of the only core is in the summary; that of several is their sum.
    const summary = [{ total_time: 1e-6, nc_idx: 9 }];
    const one = JSON.stringify({ ...CLOCK, summary, instruction: rows.slice(0, 1) });
    expect(ofType(readText(one), 'kernel').map(({ device }) => device)).to.deep.equal([9]);
    const both = JSON.stringify({ ...CLOCK, summary, instruction: rows });
    expect(ofType(readText(both), 'kernel').map(({ device }) => device)).to.deep.equal([0, 1]);
  });

  it('reads what other versions add: source lines, layers, routes, reloads, errors', () => {
    const lines = read({
      instruction: [
        instruction(1, {
          nki_source_location: 'kernel.py:12',
          bir_debug_info_source_location: 'bir.py:3',
          layer: '/model/block 0/attention',
          hlo_name: '%add.1 = add(a, b)',
        }),
        instruction(2, { bir_debug_info_source_location: 'bir.py:3', subgroup: 'pool', crc_in: 65535, crc_out: 0 }),
      ],
      dma: [
        {
          timestamp: 3,
          dma_engine: 5,
          dma_queue: 2,
          source: [['WEIGHT'], ['unknown'], ['WEIGHT']],
          dest: ['SB'],
          is_cc_dma: 'yes',
        },
      ],
      annotation: [{ tensor_name: 'w0', load_to_sbuf_dma_count: 7 }],
      errors: [{ message: 'it broke' }],
    });
    const [first, second] = ofType(lines, 'kernel');
    expect(first).to.deep.include({
      trace: ['kernel.py:12'],
      layer: ['model', 'block 0', 'attention'],
      op: ['%add.1 = add(a, b)'],
    });
    expect(first?.labels).to.include({ birSource: 'bir.py:3' });
    expect(second).to.deep.include({
      trace: ['bir.py:3'],
      engine: 'GpSimd',
      stream: 2,
      counters: { pc: 1, crcOut: 0 },
    });
    expect(ofType(lines, 'copy')[0]).to.deep.include({
      stream: 5,
      engine: 'E5',
      queue: 2,
      bytes: null,
      labels: { source: 'WEIGHT', dest: 'SB', collective: 'yes' },
    });
    expect(ofType(lines, 'sample').find(({ labels }) => labels?.['from'] === 'annotation')).to.deep.include({
      metric: 'load_to_sbuf_dma_count',
      value: 7,
      unit: 'count',
      labels: { from: 'annotation', tensor_name: 'w0' },
    });
    expect(ofType(lines, 'notice')[0]).to.deep.equal({
      type: 'notice',
      profile: 0,
      category: 'error',
      text: 'it broke',
    });
  });

  it('keys that objects have by themselves are keys like others', () => {
    const text = textOf({ summary: [{ total_time: 1e-6, constructor: 5 }] }).replace(
      '"instruction"',
      '"__proto__":[{"a":1}],"instruction"',
    );
    const lines = readText(text, 'neuron-json');
    expect(ofType(lines, 'sample').map(({ metric, value }) => [metric, value])).to.deep.include(['constructor', 5]);
    expect(kernelsOf('{"toString":[],"instruction":[{"timestamp":1,"opcode":"A","constructor":{}}]}')).to.have.length(
      1,
    );
  });

  it('refuses what is not an object', () => {
    for (const text of ['[]', 'total_time 5', '5'])
      expect(() => readText(text, 'neuron-json'), text).to.throw(UserError);
  });

  it('a layer that is nested in nothing, and one without a start', () => {
    const lines = read({ layer_summary: [{ name: '/sg00', start: 4, duration: 6, x: 1, y: 'NaN' }, { name: 'lost' }] });
    expect(ofType(lines, 'layer')).to.deep.equal([
      { type: 'layer', profile: 0, start: 4, dur: 6, device: 3, name: '/sg00', counters: { x: 1 } },
    ]);
    expect(endOf(lines)?.diagnostics).to.deep.equal({ 'row-passed-over': 1 });
  });
});

describe("Neuron: the tool's JSON, units of time", () => {
  /** A kernel at 2 µs for 0.5 µs, of a capture of 4 µs. */
  const profileWith = (perNs: number, clock: Row): string =>
    JSON.stringify({
      ...clock,
      model_info: CORE,
      instruction: [instruction(2000 * perNs, { duration: 500 * perNs }), instruction(3900 * perNs, { duration: 0 })],
    });
  const metadata = (perNs: number, more: Row = {}): Row => ({
    first_hw_timestamp: 0,
    last_hw_timestamp: 4000 * perNs,
    ...more,
  });

  for (const [unit, perNs] of [['ps', 1000], ['ns', 1], ['µs', 0.001]] as const) {
    it(`${unit}, by the summary's seconds`, () => {
      const lines = readText(profileWith(perNs, { summary: [{ total_time: 4e-6 }], metadata: [metadata(perNs)] }));
      expect(ofType(lines, 'kernel')[0]).to.include({ start: 2000, dur: 500 });
      expect(lines[0]).to.include({ dur: 4000 });
      expect(endOf(lines)?.diagnostics).to.deep.equal({});
    });

    it(`${unit}, by the metadata's dates`, () => {
      const dates = { first_ts: '1970-01-01T00:00:00Z', last_ts: '1970-01-01T00:00:00.000004Z' };
      const lines = readText(profileWith(perNs, { metadata: [metadata(perNs, dates)] }));
      expect(ofType(lines, 'kernel')[0]).to.include({ start: 2000, dur: 500 });
      expect(lines[0]).to.include({ dur: 4000 });
      expect(endOf(lines)?.diagnostics).to.deep.equal({});
    });

    it(`${unit}, by the rows themselves`, () => {
      const lines = readText(profileWith(perNs, { summary: [{ total_time: 4e-6 }] }));
      expect(ofType(lines, 'kernel')[0]).to.include({ start: 2000, dur: 500 });
    });
  } // prettier-ignore

  it('assumes nanoseconds when the unit is unknown, and reports it', () => {
    const lines = readText(profileWith(1, {}));
    expect(ofType(lines, 'kernel')[0]).to.include({ start: 2000, dur: 500 });
    expect(endOf(lines)?.diagnostics).to.deep.equal({ 'time-unit-assumed': 1 });
  });

  const counted = (...starts: readonly number[]): string =>
    JSON.stringify({
      summary: [{ total_time: 1e-6 }],
      metadata: [{ first_hw_timestamp: 50_000, last_hw_timestamp: 51_000 }],
      model_info: CORE,
      instruction: starts.map((start) => instruction(start)),
    });

  it('times count from the first timestamp of the capture', () => {
    const lines = readText(counted(50_010));
    expect(ofType(lines, 'kernel')[0]).to.include({ start: 10, dur: 10 });
    expect(lines[0]).to.include({ dur: 1000 });
  });

  it('times count from there also where one of them is before it; those that count from 0 stay', () => {
    const starts = (text: string) => ofType(readText(text, 'neuron-json'), 'kernel').map(({ start }) => start);
    expect(starts(counted(0, 50_010, 50_900))).to.include.members([10, 900]);
    expect(starts(counted(0, 10, 900))).to.deep.equal([0, 10, 900]);
  });
});

describe("Neuron: the tool's JSON, cut files", () => {
  const [, , , , capture = ''] = CAPTURES;

  itShared('gives what stands before the cut', [capture], ([path = '']) => {
    const { text, lines } = realFile(path);
    const whole = new Set(ofType(lines, 'kernel').map(({ labels }) => labels?.['id']));
    for (const part of [0.3, 0.5, 0.501, 0.7, 0.999]) {
      const cut = readText(text.slice(0, Math.floor(text.length * part)));
      const found = ofType(cut, 'kernel').map(({ labels }) => labels?.['id']);
      expect(endOf(cut)?.diagnostics, String(part)).to.include({ 'truncated-input': 1 });
      expect(cut[0]?.type).to.equal('profile');
      expect(
        found.filter((id) => !whole.has(id)),
        String(part),
      ).to.deep.equal([]);
    }
    const rows = (text.slice(0, text.length >> 1).match(/"opcode":/g) ?? []).length;
    const half = ofType(readText(text.slice(0, text.length >> 1)), 'kernel').length;
    expect(half).to.be.within(rows - 1, rows);
  });

  it('cut anywhere, a small file gives its whole rows', () => {
    const text = textOf({
      instruction: [instruction(1), instruction(2, { operands: 'a "b"' })],
      warnings: [{ message: 'm' }],
    });
    for (let end = 1; end < text.length; end++) {
      const part = text.slice(0, end);
      const lines = readText(part, 'neuron-json');
      // No row of these holds a brace; a row is whole once its brace is there.
      expect(ofType(lines, 'kernel')).to.have.length(
        (part.split('"instruction"')[1]?.split(']')[0]?.match(/}/g) ?? []).length,
      );
      expect(endOf(lines)?.diagnostics).to.include({ 'truncated-input': 1 });
    }
  });

  itShared('reads the same however small the steps', [capture], ([path = '']) => {
    const { text } = realFile(path);
    withFile(text.slice(0, 200_000), (small) => {
      const found = [1 << 22, 4096, 777].map((step) => {
        const diagnostics = new Diagnostics();
        const { activities, layers, kept, subgraphs } = scanToolFile(small, 'x', diagnostics, step);
        const rows = Array.from({ length: activities.length }, (_, row) => [
          activities.start(row),
          activities.offset(row),
          activities.size(row),
          activities.table(row),
        ]);
        return { rows, layers: layers.length, kept, subgraphs, odd: diagnostics.toJSON() };
      });
      expect(found[1]).to.deep.equal(found[0]);
      expect(found[2]).to.deep.equal(found[0]);
    });
  });
});
