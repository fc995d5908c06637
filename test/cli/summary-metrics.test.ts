import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../support/run-cli.js';
import { instruction, neuronLines, neuronProfile, packet, sample, throttle } from '../support/neuron.js';
import { itShared } from '../support/shared.js';

/** A program of 10 us with 2.5 us of matrix products in BF16. */
const RECORDS = neuronLines([
  neuronProfile(),
  sample('total_time', 1e-5, { from: 'summary' }, { start: null, unit: 's' }),
  sample('tensor_engine_instruction_time', 2e-6, { from: 'summary' }, { start: null, unit: 's' }),
  instruction('MATMUL', 'Tensor', 0, 2500, {
    counters: { elements: 8_388_608, hbmReadBytes: 65_536 },
    labels: { type: 'TRANSPOSE' },
    operands: 'src=bfloat16@0x1',
  }),
  packet('input', 100, 400, 65_536),
  throttle(4, 8, 1000, 4000),
]);

const run = (...args: string[]) => runCli('dprof', ['summary', ...args], { input: RECORDS });
const ofVendor = (...args: string[]) => run('--vendor-metrics', ...args);

interface Json {
  readonly metrics: Readonly<Record<string, { value: unknown; unit: string; why?: string; reported?: unknown }>>;
  readonly bound: { kind: string };
  readonly warnings: readonly { rule: string }[];
}

describe('dprof summary --vendor-metrics', () => {
  it('writes a line for each metric, then the bound and the warnings', async () => {
    const { stdout, stderr, code } = await ofVendor();
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^# profile 0: profile\.ntff \(ntff\)\nmetric +value +unit\n/);
    expect(stdout).to.match(/^tensor_engine_active_time +2\.5 {2}us$/m);
    expect(stdout).to.match(/^tensor_engine_active_time_percent +25 {2}%$/m);
    expect(stdout).to.match(/^hardware_flops +16\.7772 {2}MFLOP$/m);
    expect(stdout).to.match(/^hbm_read_bytes +65\.536 {2}kB$/m);
    expect(stdout).to.match(/^model_flops +na {2}FLOP +no statistics/m);
    expect(stdout).to.match(/^bound by latency: /m);
    expect(stdout).to.match(/^## Warnings\nthrottled +core 4 .*\ntransposes +100\.0 % of the FLOPs/m);
    const { stdout: quiet } = await ofVendor('-q');
    expect(stdout.startsWith(quiet) && quiet.includes('bound by') && !quiet.includes('Warnings')).to.equal(true);
  });

  it('writes one JSON object a profile: ns, percent, bytes, null with the reason', async () => {
    const { stdout } = await ofVendor('-f', 'jsonl');
    const { metrics, bound, warnings } = JSON.parse(stdout) as Json;
    expect(metrics['total_time']).to.deep.equal({ value: 10_000, unit: 'ns', group: 'overall_stats' });
    expect(metrics['tensor_engine_active_time_percent']).to.include({ value: 25, unit: '%' });
    expect(metrics['throttle_lost_time_nc0_percent']).to.include({ value: 20, unit: '%' });
    expect(metrics['model_flops']).to.include({ value: null }).and.have.property('why');
    expect(bound.kind).to.equal('latency');
    expect(warnings.map(({ rule }) => rule)).to.include.members(['throttled', 'transposes', 'unknown']);
  });

  it("writes the vendor's summary-json: seconds and fractions, its names alone; warnings on stderr", async () => {
    const { stdout, stderr } = await run('-f', 'json', '--vendor-names');
    const nodes = JSON.parse(stdout) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    expect(Object.keys(nodes)).to.deep.equal(['n_00112233445566778899aabbccddeeff']);
    const metrics = Object.values(nodes)[0] ?? {};
    expect(metrics).to.include({ total_time: 0.00001, tensor_engine_active_time_percent: 0.25, nc_idx: 9 });
    expect(metrics).to.include({ instance_type: 'trn2.3xlarge', model_flops: null });
    expect(metrics).not.to.have.any.keys('core_indices', 'throttle_lost_time_nc0_percent');
    expect(stderr).to.match(/^dprof: profile 0: throttled: core 4 /m);
    const { stderr: quiet } = await run('-q', '-f', 'json', '--vendor-names');
    expect(quiet).to.equal('');
  });

  it('holds values against reported ones, in one unit', async () => {
    const { stdout } = await run('--check', '-m', 'tensor_engine_instruction_*,total_time,hfu*');
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines.slice(1, -1)).to.deep.equal([
      ['metric', 'value', 'unit', 'reported', 'difference'],
      ['total_time', '10', 'us', '10', '0'],
      ['hfu_estimated_percent', '1.06667', '%', 'na', '-', 'not reported'],
      ['tensor_engine_instruction_count', '1', 'count', 'na', '-', 'not reported'],
      ['tensor_engine_instruction_time', '2.5', 'us', '2', '2.5e-1', 'not explained'],
    ]);
    const { stdout: json } = await run('--check', '-f', 'jsonl', '-m', 'tensor_engine_instruction_time');
    expect((JSON.parse(json) as Json).metrics['tensor_engine_instruction_time']).to.deep.include({
      value: 2500,
      reported: 2000,
      difference: 0.25,
      check: 'not explained',
    });
  });

  it('writes CSV with all digits', async () => {
    const { stdout } = await run('-f', 'csv', '-m', 'hfu_estimated_percent,model_flops');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).to.equal('profile,file,rank,node,group,metric,value,unit,why');
    // 16 777 216 / (157 286.4e9 · 10e-6)
    expect(rows.find((row) => row.includes('hfu'))).to.match(
      /^0,profile\.ntff,na,na,tensor_engine,hfu_estimated_percent,1\.066666666666\d*,%,$/,
    );
    expect(rows.find((row) => row.includes('model_flops'))).to.match(
      /,overall_stats,model_flops,na,FLOP,no statistics/,
    );
  });

  it('explains a metric by what its formula names', async () => {
    const { stdout } = await run('--explain', 'tensor_engine_active_time_percent');
    expect(stdout).to.match(/^tensor_engine_active_time_percent: 25 %\nshare of the time .*\nformula: tensor_engine_active_time \/ total_time\n/m); // prettier-ignore
    expect(stdout).to.match(/^ {2}total_time +10 us$/m);
    expect(stdout).to.match(/^ {2}tensor_engine_active_time +2\.5 us$/m);
    expect(stdout).to.match(/^from 1 intervals$/m);
  });

  it('is chosen by each of its options, and by a file that has nothing else', async () => {
    const [by, alone] = await Promise.all([run('--check', '-q'), runCli('dprof', ['summary', 'samples/neuron-summary.json'])]); // prettier-ignore
    expect(by.stdout).to.match(/^# profile 0: .*\nmetric +value +unit +reported/);
    expect(alone.stdout).to.match(/^# profile 0: .*\nmetric +value +unit\n/);
    const asked = await runCli('dprof', ['summary', '--vendor-metrics', 'samples/neuron-summary.json']);
    expect(alone).to.deep.equal(asked);
  });

  it('has both summaries in every table format, and --top for one of them', async () => {
    const [markdown, top, csv] = await Promise.all([
      ofVendor('-f', 'markdown'),
      ofVendor('--top', '3'),
      run('-f', 'csv'),
    ]);
    expect(markdown.stdout).to.match(
      /^\| profile \| file \| rank \| node \| group \| metric \| value \| unit \| why \|\n/,
    );
    expect(top.stderr).to.equal('dprof: --vendor-metrics cannot be combined with --top (choose metrics with -m)\n');
    expect(csv.stdout).to.match(/^profile,file,rank,section,device,name,figure,value,unit\n0,/);
    expect(csv.stdout).to.match(/\n0,[^,]*,[^,]*,device,\d+,[^,]*,busy,\d+(?:\.\d+)?,ns\n/);
  });

  it('answers what it does not know in one line', async () => {
    const [metric, option, format] = await Promise.all([run('-m', 'totl_time'), run('--vendor'), run('-f', 'xml')]);
    expect(metric).to.include({ code: 2, stdout: '' });
    expect(metric.stderr).to.equal("dprof: no metric 'totl_time' in this input (did you mean total_time?)\n");
    expect(option.code).to.equal(2);
    expect(format.stderr).to.equal(
      "dprof: unknown format 'xml' (expected one of text, json, markdown, columns, csv, space, jsonl, table, fitted, parquet, xlsx)\n",
    );
    const other = await runCli('dprof', ['summary', '--vendor-metrics', 'samples/lenet.nsys.sqlite']);
    expect(other).to.include({ code: 1, stdout: '' });
    expect(other.stderr).to.match(/^dprof: samples\/lenet\.nsys\.sqlite: no vendor metrics in a profile of nsight \(supported: AWS Neuron[^\n]*\)\n$/); // prettier-ignore
  });

  it('writes to a file, and helps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'summary-'));
    try {
      const path = join(folder, 'records.jsonl');
      writeFileSync(path, RECORDS);
      const { stdout } = await ofVendor();
      const written = await runCli('dprof', ['summary', '--vendor-metrics', '-o', join(folder, 'out'), path]);
      expect(written).to.include({ code: 0, stdout: '', stderr: '' });
      expect(readFileSync(join(folder, 'out'), 'utf8')).to.equal(stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { stdout } = await run('--help');
    expect(stdout)
      .to.include('Usage: dprof summary')
      .and.match(/fractions\s+\(0 to 1\)/);
    expect(stdout.split('\n').every((line) => line.length <= 120)).to.equal(true);
  });

  itShared(
    'shows the same of a capture and of its records',
    ['data/neuron/trn2_fused_bf16_s512/fused_exec_2.ntff'],
    async ([path = '']) => {
      const [direct, records] = await Promise.all([
        runCli('dprof', ['summary', '--vendor-metrics', path]),
        runCli('dparse', ['-q', path]),
      ]);
      expect(direct.code).to.equal(0);
      const piped = await runCli('dprof', ['summary', '--vendor-metrics'], { input: records.stdout });
      expect(piped.stdout).to.equal(direct.stdout);
    },
  );

  itShared('shows what a summary reported', ['data/neuron/summary_trn1_partial.json'], async ([path = '']) => {
    const { stdout } = await runCli('dprof', ['summary', '-f', 'json', '--vendor-names', '-q', path]);
    const reported = (JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>)['n_unknown'];
    const ours = (JSON.parse(stdout) as Readonly<Record<string, unknown>>)['n_unknown'];
    expect(ours).to.deep.equal(reported);
  });
});

describe('dprof terms', () => {
  const terms = (...args: string[]) => runCli('dprof', ['terms', ...args]);

  it('lists kind by kind, and explains one', async () => {
    const [all, one, json] = await Promise.all([terms(), terms('hfu_estimated_percent'), terms('-f', 'jsonl', 'LNC')]);
    expect(all.stdout)
      .to.match(/^# word\n/)
      .and.match(/\n\n# metric\ntotal_active_time +ns +time during/);
    expect(one.stdout.split('\n').at(-2)).to.equal(
      '= hardware_flops / (cores · 2 · rows · columns · tensor clock · total_time)',
    );
    expect(JSON.parse(json.stdout)).to.include({ term: 'LNC', kind: 'abbreviation', unit: null });
  });

  it('answers a word that it does not know by the nearest', async () => {
    const { stdout, stderr, code } = await terms('actvate');
    expect({ stdout, stderr, code }).to.deep.equal({
      stdout: '',
      stderr: "dprof: no term 'actvate' (did you mean ACTIVATE?)\n",
      code: 1,
    });
  });
});
