import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { neuronSummary } from '../../../../src/parse/readers/neuron/summary.js';
import { UserError } from '../../../../src/record/errors.js';
import type { ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { endOf, headerOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const write = (content: unknown): string => {
  const path = freshPath();
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

const samples = (records: readonly ProfileLine[]): SampleRecord[] => records.filter((line) => line.type === 'sample');

/** Metric, value or text, unit, node. */
const brief = (content: unknown): unknown[] =>
  samples(recordsOf(write(content))).map(({ metric, value, text, unit, labels }) => {
    expect(labels).to.include({ from: 'summary' });
    return [metric, text ?? value, unit, labels?.['node'] ?? null];
  });

const sniff = (text: string): boolean =>
  neuronSummary.sniff({
    file: 'f',
    path: 'f',
    folder: null,
    database: null,
    head: Buffer.from(text).subarray(0, 4096),
  });

const NODE = { total_time: 0.0000117082, tensor_engine_active_time_percent: 0.25, instance_type: 'trn2.3xlarge' };
const BRIEF = (node: unknown): unknown[] => [
  ['total_time', 0.0000117082, 's', node],
  ['tensor_engine_active_time_percent', 0.25, 'fraction', node],
  ['instance_type', 'trn2.3xlarge', null, node],
];

describe('neuron-summary', () => {
  itShared('has every value of a real summary in its records', ['data/neuron/summary_trn1_partial.json'], ([path = '']) => {
    const { n_unknown: node = {} } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, unknown>>;
    const records = recordsOf(path);
    const found = samples(records).map(({ metric, value, text }) => [metric, text ?? value]);
    expect(found).to.deep.equal(Object.entries(node));
    expect(found).to.have.length(23);
    expect(headerOf(path)).to.deep.include({
      format: 'neuron-summary',
      tool: 'neuron-profile 2.29.18.0%kaena-tools/2.29@d5fe7ba',
      // total_time is 0.213808050051 s
      dur: 213_808_050,
      facts: {
        instanceType: 'trn1.2xlarge',
        runtimeVersion: '2.31.24 (0b044)',
        compilerVersion: '2.24.5133.0+58f8de22',
        totalTimePs: 213_808_050_051,
      },
    });
    expect(endOf(path)).to.deep.include({ counts: { sample: 23 }, diagnostics: {} });
  }); // prettier-ignore

  it('reads all shapes of the JSON', () => {
    expect(brief({ n_1f: NODE })).to.deep.equal(BRIEF('n_1f'));
    expect(brief({ _by: 'me', n_1f: NODE, note: 3, n_2e: NODE })).to.deep.equal([...BRIEF('n_1f'), ...BRIEF('n_2e')]);
    expect(brief({ Summary: [NODE] })).to.deep.equal(BRIEF(null));
    expect(brief({ Summary: [NODE, NODE] })).to.deep.equal([...BRIEF(0), ...BRIEF(1)]);
    expect(brief({ _provenance: 'somebody', ...NODE })).to.deep.equal(BRIEF(null));
  });

  it('keeps metrics that it does not know, those that are unknown, and what stands inside one', () => {
    const odd = { hfu: 1, hbm_read_bytes: null, warm: true, colour: 'red', by_core: { 4: [0.5] }, lukewarmness: 3 };
    expect(brief({ n_1f: { ...NODE, ...odd } }).slice(3)).to.deep.equal([
      ['hfu', 1, null, 'n_1f'],
      ['hbm_read_bytes', null, 'bytes', 'n_1f'],
      ['warm', 1, null, 'n_1f'],
      ['colour', 'red', null, 'n_1f'],
      ['by_core.4.0', 0.5, null, 'n_1f'],
      ['lukewarmness', 3, null, 'n_1f'],
    ]);
  });

  it('states of several nodes what is the same for all', () => {
    const other = { ...NODE, total_time: 2, compiler_version: '1' };
    const path = write({ n_1: { ...NODE, compiler_version: '2' }, n_2: other });
    expect(headerOf(path)).to.deep.include({ dur: 2e9, facts: { instanceType: 'trn2.3xlarge' } });
  });

  it('reads numbers that JSON does not have as unknown', () => {
    const path = write('{"n_1f": {"hbm_read_bytes": NaN, "hfu_x": -Infinity, "instance_type": "NaN \\" Inf"}}');
    expect(samples(recordsOf(path)).map(({ value, text }) => text ?? value)).to.deep.equal([null, null, 'NaN " Inf']);
    expect(endOf(path).diagnostics).to.deep.equal({ 'not-json': 2 });
  });

  it('reads the text, whatever stands between the columns', () => {
    const text = '\ntotal_time\t0.0000117082\r\n  tensor_engine_active_time_percent      2.5e-1\nruntime_version  2.30 (faafe)\n';
    expect(brief(text)).to.deep.equal([
      ['total_time', 0.0000117082, 's', null],
      ['tensor_engine_active_time_percent', 0.25, 'fraction', null],
      ['runtime_version', '2.30 (faafe)', null, null],
    ]);
    expect(headerOf(write(text))).to.deep.include({
      dur: 11_708,
      facts: { runtimeVersion: '2.30 (faafe)', totalTimePs: 11_708_200 },
    });
  }); // prettier-ignore

  itShared('reads the same from a text as from the JSON', ['data/neuron/summary_trn1_partial.json'], ([path = '']) => {
    const { n_unknown: node = {} } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, unknown>>;
    // Made up from the JSON: no summary-text is public.
    const text = Object.entries(node).map(([name, value]) => `${name.padEnd(45)}${String(value)}\n`).join('');
    expect(brief(text)).to.deep.equal(samples(recordsOf(path)).map(({ metric, value, text, unit }) => [metric, text ?? value, unit, null]));
  }); // prettier-ignore

  it('takes a metric that comes again for the next node, and counts lines that are not metrics', () => {
    const path = write('nc_idx 4\ntotal_time 1\nremarks\nnc_idx 5\ntotal_time 2\n');
    expect(samples(recordsOf(path)).map(({ value, labels }) => [value, labels?.['node']])).to.deep.equal([
      [4, 0],
      [1, 0],
      [5, 1],
      [2, 1],
    ]);
    expect(endOf(path).diagnostics).to.deep.equal({ 'bad-row': 1 });
  });

  const refusal = (content: string, format?: string): string => {
    try {
      recordsOf(write(content), format === undefined ? {} : { format });
    } catch (error) {
      if (error instanceof UserError) return error.line;
      throw error;
    }
    throw new Error('it was not refused');
  };

  it('refuses tables with scaled values, saying what to do', () => {
    for (const value of ['11.71 µs', '0.2 ms', '45.59%', '45.59 %', '1.2 KiB', '512 B', '3,355.4 GFLOPS', '17 us', '1 GB/s']) {
      const line = refusal(`nc_idx  4\ntotal_time  ${value}\n`);
      expect(line).to.include(value).and.match(/rounded values.*\(write exact values with: .*summary-text\)$/);
    }
    expect(refusal('+----+----+\n| nc_idx | 4 |\n| total_time | 2 ms |\n')).to.match(/rounded/);
  }); // prettier-ignore

  it('refuses what has no known metric, or is cut off', () => {
    const named = (content: string): string => refusal(content, 'neuron-summary');
    expect(named('{"a":{"b":1}}')).to.match(/without any known summary metric.*summary-json/);
    expect(named('[1]')).to.match(/without any known summary metric/);
    expect(named('hello world\n')).to.match(/without any known summary metric.*summary-text/);
    const json = JSON.stringify({ n_1f: NODE });
    for (let size = json.length - 1; size > 75; size--) {
      expect(refusal(json.slice(0, size))).to.match(/is JSON that is cut off|is not JSON/);
    }
  });

  it('is recognised by its content', () => {
    expect(sniff(JSON.stringify({ Summary: [NODE] }))).to.equal(true);
    expect(sniff('nc_idx  1\ntotal_time  0.017\n')).to.equal(true);
    // The first bytes end somewhere.
    expect(sniff(JSON.stringify({ n_1f: { ...NODE, text: 'x'.repeat(5000) } }))).to.equal(true);
    const others = [
      '',
      '{}',
      '{"total_time": 3}',
      '{"run": {"total_time": 3, "name": "x"}}',
      '{"a": {"b": {"hbm_read_bytes": 1, "nc_idx": 2}}}',
      JSON.stringify({ summary: [NODE] }),
      JSON.stringify({ instruction: [], n_1f: NODE }),
      JSON.stringify({ Summary: [NODE] }).replace('Summary', 'Other'),
      JSON.stringify({ text: JSON.stringify(NODE) }),
      JSON.stringify({ neuron_runtime_data: [], system_data: { memory_info: { memory_total_bytes: 1 } } }),
      '{"traceEvents": [{"args": {"nc_idx": 1}}]}',
      JSON.stringify([NODE]),
      'total_time 3\n',
      'The total_time of a run,\nhbm_read_bytes and more\nare explained here:\n',
      'nc_idx\ntotal_time\n',
    ];
    for (const text of others) expect(sniff(text), text).to.equal(false);
  });
});
