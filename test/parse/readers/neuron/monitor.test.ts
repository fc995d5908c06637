import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { MonitorReports } from '../../../../src/parse/readers/neuron/monitor/monitor-reports.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { Diagnostics } from '../../../../src/record/diagnostics.js';
import { UserError } from '../../../../src/record/errors.js';
import type { EndRecord, ProfileLine, ProfileRecord, SampleRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { itShared } from '../../../support/shared.js';

/** Records of reports, given as values or as lines. */
const recordsOf = (...reports: readonly unknown[]): ProfileLine[] => recordsWith(false, reports);

function recordsWith(allFields: boolean, reports: readonly unknown[]): ProfileLine[] {
  const stream = new MonitorReports(
    { profile: 0, format: 'neuron-monitor', input: 'in', file: 'in', rank: null },
    new Diagnostics(),
    allFields,
  );
  const lines = reports.map((report) => (typeof report === 'string' ? report : JSON.stringify(report)));
  return [...lines.flatMap((line) => stream.take(line)), ...stream.end()];
}

const samples = (records: readonly ProfileLine[]): SampleRecord[] => records.filter((line) => line.type === 'sample');
const header = (records: readonly ProfileLine[]): ProfileRecord => records[0] as ProfileRecord;
const end = (records: readonly ProfileLine[]): EndRecord => records.at(-1) as EndRecord;

/** Metric, value or text, unit, labels without the report's number. */
const brief = (records: readonly ProfileLine[]): unknown[] =>
  samples(records).map(({ metric, value, text, unit, device, labels }) => {
    const { report, ...others } = labels ?? {};
    expect(report).to.be.a('number');
    return [metric, text ?? value, unit, device, others];
  });

/** All numbers, strings and truth values within a JSON value, except empty error messages. */
function leaves(value: unknown, key = ''): unknown[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => leaves(member, name));
  }
  return key === 'error' && value === '' ? [] : [typeof value === 'boolean' ? Number(value) : value];
}

const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();

const runtime = (report: object, pid = 7): object => ({
  neuron_runtime_data: [{ pid, neuron_runtime_tag: 'train', error: '', report }],
});
const utilisation = (period: number | null, percent: number): object => ({
  neuroncore_counters: {
    ...(period === null ? undefined : { period }),
    neuroncores_in_use: { 3: { neuroncore_utilization: percent } },
    error: '',
  },
});

describe('neuron-monitor', () => {
  itShared('has every value of real reports in its records', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => {
    const reports = readFileSync(path, 'utf8').trim().split('\n');
    const records = [...readProfile(path, { profile: 0 })];
    for (const [i, report] of reports.entries()) {
      const found = samples(records).filter(({ labels }) => labels?.['report'] === i + 1);
      expect(sorted(found.map(({ value, text }) => text ?? value))).to.deep.equal(sorted(leaves(JSON.parse(report))));
    }
    expect(header(records)).to.deep.include({
      format: 'neuron-monitor',
      startUnixNs: null,
      facts: { instanceType: 'trn1.2xlarge', cores: 2 },
    });
    expect(header(records).devices.map(({ id, arch }) => [id, arch])).to.deep.equal([[0, 'nc-v2'], [1, 'nc-v2']]);
    // 170 values a report; the reports begin after the shortest periods of those before: 0.999080407 s of the
    // hardware counters, then that of the second report.
    expect(end(records)).to.deep.include({ counts: { sample: 510 }, diagnostics: {} });
    const starts = new Set(samples(records).map(({ start }) => start));
    expect([...starts].slice(0, 2)).to.deep.equal([0, 999_080_407]);
    expect(starts.size).to.equal(3);
    // No metric is named by a path of the file.
    expect(samples(records).filter(({ metric }) => /\d|^neuron_runtime_data|^system_data/.test(metric))).to.deep.equal([]);
  }); // prettier-ignore

  it('names, measures and labels what a core does', () => {
    const report = runtime({
      neuroncore_counters: {
        period: 2,
        neuroncores_in_use: {
          5: {
            neuroncore_utilization: 42.5,
            flops: 1e12,
            effective_flops: 9e11,
            v3d: { 'nc_v3.10': { neuroncore_utilization: 40 } },
          },
        },
      },
    });
    const labels = { pid: 7, tag: 'train', core: 5 };
    expect(brief(recordsOf(report)).slice(3)).to.deep.equal([
      ['neuroncore_utilization', 42.5, '%', 5, labels],
      ['flops', 1e12, 'FLOP/s', 5, labels],
      ['effective_flops', 9e11, 'FLOP/s', 5, labels],
      ['v3d.neuroncore_utilization', 40, '%', 5, { ...labels, physical: 'nc_v3.10' }],
    ]);
    expect(samples(recordsOf(report)).at(3)).to.include({ start: 0, dur: 2e9 });
  });

  it('keeps unknown percentiles, and labels latencies and counts', () => {
    const stats = {
      error_summary: { generic: 1 },
      execution_summary: { completed: 2 },
      latency_stats: { total_latency: { p0: null, p99: 0.25 }, device_latency: null },
    };
    const labels = { pid: 7, tag: 'train' };
    expect(brief(recordsOf(runtime({ execution_stats: stats }))).slice(2)).to.deep.equal([
      ['error_summary', 1, 'count', null, { ...labels, kind: 'generic' }],
      ['execution_summary', 2, 'count', null, { ...labels, kind: 'completed' }],
      ['latency_stats.total_latency', null, 's', null, { ...labels, percentile: 'p0' }],
      ['latency_stats.total_latency', 0.25, 's', null, { ...labels, percentile: 'p99' }],
      ['latency_stats.device_latency', null, 's', null, labels],
    ]);
  });

  it('labels ECC counters by device, and vCPU use by processor', () => {
    const report = {
      system_data: {
        neuron_hw_counters: { neuron_devices: [{ neuron_device_index: 12, mem_ecc_corrected: 3 }] },
        vcpu_usage: { average_usage: { user: 1.5 }, usage_data: { 7: { idle: 98 } }, context_switch_count: 9 },
      },
    };
    expect(brief(recordsOf(report))).to.deep.equal([
      ['neuron_device_index', 12, null, null, { device: 12 }],
      ['mem_ecc_corrected', 3, 'count', null, { device: 12 }],
      ['vcpu_usage.average_usage', 1.5, '%', null, { kind: 'user' }],
      ['vcpu_usage.usage_data', 98, '%', null, { cpu: 7, kind: 'idle' }],
      ['context_switch_count', 9, 'count', null, {}],
    ]);
  });

  it('reads the names of 2020 (made up after the guide of that year)', () => {
    const report = {
      runtime_data: [
        {
          runtime_index: 0,
          error: '',
          report: {
            nc_counters: {
              period: 1,
              neuron_cores: { 2: { neuroncore_utilization: 42.5, loaded_models: ['model:sg00'] } },
            },
            inference_stats: { inference_summary: { completed: 4 }, latency_stats: { total_latency: null } },
            memory_used: {
              runtime_memory: { host: 10, device: 20 },
              loaded_models: [
                {
                  name: 'model',
                  uuid: 'aa',
                  memory_used: { host: 1, device: 2 },
                  subgraphs: { sg00: { memory_usage: { host: 3 }, neuron_core: 2, neuron_device: 1 } },
                },
              ],
            },
            hw_counters: { neuron_devices: [{ device_index: 1, sram_ecc_uncorrected: 0 }] },
            runtime_cpu_usage: { cpu_usage: { user: 5 } },
          },
        },
      ],
      system_data: { cpu_usage: { average_usage: { idle: 60 } } },
      instance_data: { instance_type: 'inf1.xlarge' },
    };
    const records = recordsOf(report);
    const [runtime, model] = [{ runtime: 0 }, { runtime: 0, model: 0, uuid: 'aa' }];
    const subgraph = { ...model, subgraph: 'sg00', core: 2, device: 1 };
    expect(brief(records)).to.deep.equal([
      ['runtime_index', 0, null, null, runtime],
      ['period', 1, 's', null, { ...runtime, group: 'nc_counters' }],
      ['neuroncore_utilization', 42.5, '%', 2, { ...runtime, core: 2 }],
      ['neuroncore.loaded_models', 'model:sg00', null, 2, { ...runtime, core: 2 }],
      ['execution_summary', 4, 'count', null, { ...runtime, kind: 'completed' }],
      ['latency_stats.total_latency', null, 's', null, runtime],
      ['neuron_runtime_used_bytes', 10, 'bytes', null, { ...runtime, location: 'host' }],
      ['neuron_runtime_used_bytes', 20, 'bytes', null, { ...runtime, location: 'device' }],
      ['loaded_models.name', 'model', null, null, model],
      ['loaded_models.uuid', 'aa', null, null, model],
      ['loaded_models.memory_used_bytes', 1, 'bytes', null, { ...model, location: 'host' }],
      ['loaded_models.memory_used_bytes', 2, 'bytes', null, { ...model, location: 'device' }],
      ['loaded_models.memory_used_bytes', 3, 'bytes', 2, { ...subgraph, location: 'host' }],
      ['loaded_models.neuroncore_index', 2, null, 2, subgraph],
      ['loaded_models.neuron_device_index', 1, null, 2, subgraph],
      ['neuron_device_index', 1, null, null, { ...runtime, device: 1 }],
      ['sram_ecc_uncorrected', 0, 'count', null, { ...runtime, device: 1 }],
      ['neuron_runtime_vcpu_usage', 5, '%', null, { ...runtime, kind: 'user' }],
      ['vcpu_usage.average_usage', 60, '%', null, { kind: 'idle' }],
      ['instance_type', 'inf1.xlarge', null, null, {}],
    ]);
    // Cores in use, of an instance that we know nothing of.
    expect(header(records).devices).to.have.length(1);
    expect(header(records).devices[0]).to.include({ id: 2, name: null, arch: null });
  });

  it('has fields that are not documented, under their path, only when asked; never an environment', () => {
    const report = {
      ...runtime({ new_group: { period: 1, temperature: { max: 80 }, list: [1, 'two'] } }),
      neuron_k8s_info: { pod: 'p', env: { SECRET: 'x' } },
      system_data: { processes: { cmdline: 'python --token x' } },
      password: 'secret',
    };
    const records = recordsWith(true, [report]);
    const labels = { pid: 7, tag: 'train' };
    expect(brief(records).slice(2)).to.deep.equal([
      ['period', 1, 's', null, { ...labels, group: 'new_group' }],
      ['neuron_runtime_data.report.new_group.temperature.max', 80, null, null, labels],
      ['neuron_runtime_data.report.new_group.list.0', 1, null, null, labels],
      ['neuron_runtime_data.report.new_group.list.1', 'two', null, null, labels],
      ['neuron_k8s_info.pod', 'p', null, null, {}],
      ['password', 'secret', null, null, {}],
    ]);
    expect(end(records).diagnostics).to.deep.equal({ 'withheld-value': 2 });
    const documented = recordsOf(report);
    expect(brief(documented).slice(2)).to.deep.equal([['period', 1, 's', null, { ...labels, group: 'new_group' }]]);
    expect(end(documented).diagnostics).to.deep.equal({ 'unknown-field': 5, 'withheld-value': 2 });
  });

  it('has no field of a process that is not documented, whatever its name', () => {
    const secrets = { env_vars: { A: 'secret' }, cwd: '/secret', password: 'secret', token: 1234567, error: 'e' };
    const process = { pid: 7, neuron_runtime_tag: 'train', ...secrets, report: { ...secrets, own: secrets } };
    const records = recordsOf({ neuron_runtime_data: [process], system_data: secrets, extra: secrets });
    expect(JSON.stringify(records)).to.not.match(/secret|1234567/);
    expect(samples(records).filter(({ metric }) => metric === 'error')).to.have.length(3);
  });

  it('counts cores only by numbers that can be counts', () => {
    for (const [count, perDevice] of [
      [-1, 4],
      [-1, -2],
      [0.5, 2],
      [1e9, 1e9],
    ]) {
      const hardware = { neuron_device_count: count, neuroncore_per_device_count: perDevice };
      const cores = { neuroncores_in_use: { '-1': { neuroncore_utilization: 1 }, 2: { neuroncore_utilization: 1 } } };
      const records = recordsOf({ ...runtime({ neuroncore_counters: cores }), neuron_hardware_info: hardware });
      expect(header(records).devices.map(({ id }) => id)).to.deep.equal([2]);
    }
  });

  it('makes notices of the errors of groups', () => {
    const records = recordsOf({
      neuron_runtime_data: [{ pid: 7, error: 'gone', report: { memory_used: { error: 'not readable' } } }],
    });
    expect(records.slice(1, 3)).to.deep.equal([
      { type: 'notice', profile: 0, category: 'neuron_runtime_data', text: 'gone' },
      { type: 'notice', profile: 0, category: 'memory_used', text: 'not readable' },
    ]);
    expect(brief(records).slice(1)).to.deep.equal([
      ['error', 'gone', null, null, { pid: 7, group: 'neuron_runtime_data' }],
      ['error', 'not readable', null, null, { pid: 7, group: 'memory_used' }],
    ]);
    expect(end(records)).to.deep.include({
      counts: { notice: 2, sample: 3 },
      diagnostics: { 'monitor-error': 2, 'report-without-period': 1 },
    });
  });

  it('places reports by their periods, and those without one nowhere', () => {
    const records = recordsOf(
      runtime(utilisation(1.5, 1)),
      runtime(utilisation(null, 2)),
      runtime({ ...utilisation(2, 3), memory_used: { period: 10, error: '' } }),
      runtime(utilisation(1, 4)),
    );
    const places = samples(records).filter(({ metric }) => metric === 'neuroncore_utilization');
    // 0, unknown, 1.5, and 1.5 + 2, the shorter of two periods.
    expect(places.map(({ start, dur }) => [start, dur])).to.deep.equal([
      [0, 1.5e9],
      [null, undefined],
      [1.5e9, 2e9],
      [3.5e9, 1e9],
    ]);
    expect(end(records).diagnostics).to.deep.equal({ 'report-without-period': 1 });
  });

  it('takes the time that a collector adds, whatever its unit, and none that runs backwards', () => {
    const at = (timestamp: unknown): object => ({ timestamp, ...runtime(utilisation(1, 0)) });
    const records = recordsOf(
      at(1_700_000_001),
      at(1_700_000_003_500),
      at('2023-11-14T22:13:26.25Z'),
      at('2023-11-14 22:13:20'),
    );
    // The first report covers the second before it was made, so the stream begins at 1700000000, which is
    // 2023-11-14 22:13:20 UTC; the others were made 3.5 s and 6.25 s after that; the last time is before its
    // predecessor's, so its period counts: it begins where the one before ended.
    expect(header(records).startUnixNs).to.equal('1700000000000000000');
    const starts = new Set(samples(records).map(({ start }) => start));
    expect([...starts]).to.deep.equal([0, 2.5e9, 5.25e9, 6.25e9]);
  });

  it('goes on after lines that are not reportss, and counts them', () => {
    const good = runtime(utilisation(1, 5));
    const records = recordsOf('', 'WARNING: busy', '[1]', '{"level":"info"}', good, '{"neuron_runtime_data":', good);
    expect(end(records)).to.deep.include({
      counts: { sample: 8 },
      diagnostics: { 'malformed-event': 1, 'not-a-report': 3 },
    });
  });

  it('survives values of any kind', () => {
    const deep = `{"system_data":${'['.repeat(5000)}1${']'.repeat(5000)}}`;
    expect(end(recordsOf(deep)).diagnostics).to.deep.include({ 'too-deep': 1 });
    const odd = [
      { neuron_runtime_data: null, system_data: 3, instance_info: [], neuron_hardware_info: 'x' },
      { neuron_runtime_data: [null, 4, [], { pid: {}, report: [] }] },
      { neuron_hardware_info: { neuron_device_count: 1e9, neuroncore_per_device_count: 1e9 } },
      '{"system_data":{"__proto__":{"a":1},"vcpu_usage":{"usage_data":{"constructor":{"user":1e999}}}}}',
      { timestamp: 1e300, ...runtime(utilisation(-1, 0)) },
    ];
    for (const report of odd) {
      const records = recordsOf(report);
      expect(header(records).devices.length).to.be.at.most(1);
      for (const line of records) expect(JSON.parse(JSON.stringify(line))).to.deep.equal(line);
    }
  });

  it('says so when there is no report at all', () => {
    expect(() => recordsOf('{}', 'text')).to.throw(UserError, /contains no neuron-monitor report/);
    const path = freshPath();
    writeFileSync(path, '{\n  "neuron_runtime_data": [\n  ]\n}\n');
    const read = (): unknown => [...readProfile(path, { profile: 0 })];
    expect(read)
      .to.throw(UserError)
      .with.property('line')
      .match(/one JSON object per line \(jq -c/);
  });

  it('reads a file whose last report was cut off, or has no line feed', () => {
    const path = freshPath();
    const line = JSON.stringify(runtime(utilisation(1, 5)));
    writeFileSync(path, `\ufeff${line}\r\n${line}`);
    expect(end([...readProfile(path, { profile: 0 })])).to.deep.include({ counts: { sample: 8 }, diagnostics: {} });
    writeFileSync(path, `${line}\n${line.slice(0, -9)}`);
    expect(end([...readProfile(path, { profile: 0 })])).to.deep.include({
      counts: { sample: 4 },
      diagnostics: { 'truncated-input': 1 },
    });
  });

  it('name devices as the report does, with their memory, else by the instance', () => {
    const hardware = {
      neuron_device_type: 'inferentia2',
      neuron_device_count: 1,
      neuron_device_memory_size: 34_359_738_368,
      neuroncore_per_device_count: 2,
    };
    const [stated] = header(recordsOf({ system_data: {}, neuron_hardware_info: hardware })).devices;
    expect(stated).to.deep.include({ id: 0, name: 'Inferentia2', memBytes: 17_179_869_184 });
    const bare = { neuron_device_count: 1, neuroncore_per_device_count: 1 };
    const instance = { instance_type: 'trn1.2xlarge' };
    const [known] = header(recordsOf({ instance_info: instance, neuron_hardware_info: bare })).devices;
    expect(known).to.deep.include({ name: 'Trainium', memBytes: null });
  });
});
