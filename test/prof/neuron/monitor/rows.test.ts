import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  chooseMonitorColumns,
  defaultMonitorColumns,
  MONITOR_COLUMNS,
} from '../../../../src/prof/neuron/monitor/monitor-columns.js';
import { parseGroups, parseTagFilter } from '../../../../src/prof/neuron/monitor/monitor-config.js';
import { reportOf } from '../../../../src/prof/neuron/monitor/report-samples.js';
import type { SampleRecord } from '../../../../src/record/record.js';
import { SCOPES, type MonitorReport, type RowScope } from '../../../../src/prof/neuron/monitor/monitor-report.js';
import { cores, executions, group, lines, report, reportsOf, runtime } from '../../../support/monitor-report.js';
import { itShared } from '../../../support/shared.js';

const REAL = 'data/neuron/neuron_monitor_trn1.jsonl';

const SCOPE_NAMES = Object.keys(SCOPES) as RowScope[];

/** Cells of the rows of a scope. */
const cells = (report: MonitorReport | undefined, scope: string, columns: string): unknown[][] =>
  (report?.rows ?? [])
    .filter((row) => row.scope === scope)
    .map((row) =>
      chooseMonitorColumns(columns).map((column) => column.value({ row, report: report as MonitorReport })),
    );

describe('rows of neuron-monitor', () => {
  itShared('hold the values of a real report', [REAL], ([path = '']) => {
    const reports = reportsOf(readFileSync(path, 'utf8'));
    const [first] = reports;
    // Read off the first line of the file.
    expect(reports).to.have.length(3);
    expect(cells(first, 'core', 'report,start,pid,tag,device,core,util,flops')).to.deep.equal([
      [1, 0, 1337, '1337', 0, 0, 1.3631567613356375, null],
      [1, 0, 1337, '1337', 0, 1, 0, null],
    ]);
    // 196608 + 101125344 + 0 + 0 + 943608 = 102265560; with core 1's 32768, the process's 102298328.
    expect(cells(first, 'core', 'const,code,scratch,rtmem,tensors,devmem')).to.deep.equal([
      [196608, 101125344, 0, 0, 943608, 102265560],
      [0, 32768, 0, 0, 0, 32768],
    ]);
    expect(cells(first, 'runtime', 'devmem,hostmem,hostapp,hostconst,hostdma,hosttens')).to.deep.equal([
      [102298328, 610705408, 609656832, 0, 1048576, 0],
    ]);
    expect(cells(first, 'runtime', 'done,doneerr,timeout,errors,egeneric,ehardware,user,system')).to.deep.equal([
      [260, 0, 0, 23654, 23654, 0, 19.26, 3.95],
    ]);
    expect(cells(first, 'runtime', 'p0,p1,p25,p50,p75,p99,p100')).to.deep.equal([
      JSON.parse(
        '[8.893013000488281e-05, 9.012222290039062e-05, 9.34600830078125e-05, 9.5367431640625e-05, ' +
          '9.72747802734375e-05, 0.00013184547424316406, 0.00014853477478027344]',
      ),
    ]);
    expect(cells(first, 'device', 'device,eccmem,eccmemu,eccsram,eccsramu')).to.deep.equal([[0, 0, 0, 0, 0]]);
    expect(cells(first, 'system', 'memtotal,memused,swaptotal,swapused,user,idle,switches')).to.deep.equal([
      [33117732864, 11233579008, 0, 0, 16.99, 80.08, 84801],
    ]);
    expect(cells(first, 'vcpu', 'name,user,idle')[7]).to.deep.equal(['7', 14.58, 82.29]);
    expect(cells(first, 'model', 'core,hostmem,devmem')[0]).to.deep.equal([0, 20608, 151936]);
    expect(cells(first, 'model', 'device,uuid,modelid,running,const,code,scratch,rtmem,tensors,hostapp')).to.deep.equal(
      [
        [0, '2b28572e7dd811edb0250e0372b2eb59', 10002, 0, 98304, 53632, null, 0, 0, 20608],
        [0, '27d72f647dd811ed83b70e0372b2eb59', 10001, 0, 98304, 53632, null, 0, 0, 20608],
      ],
    );
    expect(first?.facts).to.include({ instance_id: 'i-01db7a16f4c054239', neuroncore_per_device_count: 2 });
    expect(cells(first, 'instance', 'iname,iid,itype,zone,zoneid,region,ami,subnet,devices')).to.deep.equal([
      [
        ...[null, 'i-01db7a16f4c054239', 'trn1.2xlarge', 'us-west-2d', 'usw2-az4', 'us-west-2'],
        ...['ami-0ceecbb0f30a902a6', 'subnet-011289cb54b7c352a', null],
      ],
    ]);
    expect(cells(first, 'hardware', 'devices,devcores,devtype,iid')).to.deep.equal([[1, 2, null, null]]);
  });

  it('of logical cores come with those of their physical ones, and have their device', () => {
    const v3d = { 'nc_v3.10': { neuroncore_utilization: 21.01 }, 'nc_v3.11': { neuroncore_utilization: 63.01 } };
    const core = { neuroncore_utilization: 42.01, effective_flops: 1234567891011, v3d };
    const [first] = reportsOf(lines(report([runtime(7, 'train', { neuroncore_counters: cores({ '5': core }) })])));
    // Four cores a device: core 5 is on device 1.
    expect(cells(first, 'core', 'tag,device,core,util,flops')).to.deep.equal([['train', 1, 5, 42.01, 1234567891011]]);
    expect(cells(first, 'physical', 'core,name,util')).to.deep.equal([
      [5, 'nc_v3.10', 21.01],
      [5, 'nc_v3.11', 63.01],
    ]);
  });

  it('of models say whether they run, and each of their parts has the memory of its kinds', () => {
    // As in the Neuron Monitor user guide, "memory_used", with a second part.
    const device = { constants: 20971520, model_code: 29504, runtime_memory: 0, tensors: 0 };
    const part = (core: number): Record<string, unknown> => ({
      memory_used_bytes: { host: 20480, neuron_device: 21001024, usage_breakdown: { host: {}, neuron_device: device } },
      neuroncore_index: core,
      neuron_device_index: 12,
    });
    const model = { name: 'neff', uuid: '91f2', model_id: 10005, is_running: true };
    const loaded_models = [{ ...model, subgraphs: { sg_00: part(48), sg_01: part(49) } }];
    const [first] = reportsOf(lines(report([runtime(7, 'train', { memory_used: group({ loaded_models }) })])));
    expect(cells(first, 'model', 'name,device,core,uuid,modelid,running,devmem,const,code')).to.deep.equal([
      ['neff:sg_00', 12, 48, '91f2', 10005, 1, 21001024, 20971520, 29504],
      ['neff:sg_01', 12, 49, '91f2', 10005, 1, 21001024, 20971520, 29504],
    ]);
  });

  it('of the hardware have its facts', () => {
    // The example of the guide.
    const neuron_hardware_info = {
      ...{ neuron_device_type: 'trainium2', neuron_device_version: 'v4', neuroncore_version: 'v3d' },
      ...{ neuron_device_count: 16, neuron_device_memory_size: 103079215104, neuroncore_per_device_count: 4 },
      ...{ logical_neuroncore_config: 2, error: '' },
    };
    const [first] = reportsOf(lines(report([], {}, { neuron_hardware_info })));
    expect(cells(first, 'hardware', 'devtype,devversion,coreversion,devices,devsize,devcores,lnc')).to.deep.equal([
      ['trainium2', 'v4', 'v3d', 16, 103079215104, 4, 2],
    ]);
    expect(reportsOf(lines(report([])), { groups: parseGroups('vcpu_usage') })[0]?.rows).to.deep.equal([]);
  });

  it('have no number where the monitor has none', () => {
    const counters = cores({ '0': { neuroncore_utilization: null } });
    const stats = { neuroncore_counters: counters, execution_stats: executions(0) };
    const [first] = reportsOf(lines(report([runtime(1, '1', stats)])));
    expect(cells(first, 'core', 'util,flops,devmem')).to.deep.equal([[null, null, null]]);
    expect(cells(first, 'runtime', 'done,errors,p50,dp99,user')).to.deep.equal([[0, 0, null, null, null]]);
  });

  it('are of the wanted groups and tags', () => {
    const stats = {
      neuroncore_counters: cores({ '0': { neuroncore_utilization: 1 } }),
      execution_stats: executions(5),
    };
    const text = lines(
      report([runtime(1, 'train-a', stats), runtime(2, 'serve', stats)], {
        memory_info: group({ memory_used_bytes: 8 }),
      }),
    );
    const wanted = { groups: parseGroups('execution_stats, nc_counters'), tags: parseTagFilter('^train') };
    const [first] = reportsOf(text, wanted);
    expect(first?.rows.map(({ scope, tag }) => `${scope} ${tag ?? ''}`)).to.deep.equal([
      'core train-a',
      'runtime train-a',
    ]);
    expect(first?.facts).to.deep.equal({});
    expect(reportsOf(text, { tags: /nothing/ })[0]?.rows.map(({ scope }) => scope)).to.deep.equal([
      ...['system', 'instance', 'hardware'],
    ]);
  });

  it('of old reports have the same names', () => {
    const old = {
      neuron_runtime_data: [
        {
          runtime_index: 0,
          report: {
            nc_counters: { period: 1, neuroncores_in_use: { '0': { neuroncore_utilization: 42 } }, error: '' },
            inference_stats: { period: 1, inference_summary: { completed: 3 }, error: '' },
          },
        },
      ],
    };
    const [first] = reportsOf(lines(old));
    expect(cells(first, 'core', 'core,util')).to.deep.equal([[0, 42]]);
    expect(cells(first, 'runtime', 'done')).to.deep.equal([[3]]);
  });

  it('keep errors separately', () => {
    const broken = { execution_stats: group({}, 'no stats') };
    const [first] = reportsOf(
      lines(report([runtime(3, 't', broken), runtime(4, 'u', {}, 'gone')], { memory_info: group({}, 'no memory') })),
    );
    expect(first?.errors).to.have.deep.members([
      { where: 'execution_stats of process t', text: 'no stats' },
      { where: 'process u', text: 'gone' },
      { where: 'memory_info', text: 'no memory' },
    ]);
  });

  it('have what went wrong, in a row of its own where nothing else is known', () => {
    const broken = { execution_stats: executions(1), memory_used: group({}, 'no memory') };
    const [first] = reportsOf(
      lines(report([runtime(4, 'u', {}, 'gone'), runtime(3, 't', broken)], { vcpu_usage: group({}, 'no vCPUs') })),
    );
    expect(cells(first, 'runtime', 'tag,done,dur,error')).to.deep.equal([
      ['t', 1, 1e9, ['memory_used: no memory']],
      ['u', null, null, ['process: gone']],
    ]);
    expect(cells(first, 'system', 'user,error')).to.deep.equal([[null, ['vcpu_usage: no vCPUs']]]);
    const chosen = reportsOf(lines(report([], { vcpu_usage: group({}, 'no vCPUs') })), {
      groups: parseGroups('memory_info'),
    });
    expect(cells(chosen[0], 'system', 'error')).to.deep.equal([]);
  });

  it('have the period of each group, one row may have several', () => {
    // The guide's own example: memory_info is due every 5 s, vcpu_usage every second.
    const system = {
      vcpu_usage: { period: 0.999974868, average_usage: { user: 32.77 }, context_switch_count: 1, error: '' },
      memory_info: { period: 5.346411129, memory_total_bytes: 49345835008, error: '' },
    };
    const [first] = reportsOf(lines(report([], system)));
    expect(cells(first, 'system', 'durvcpu,durmem,durcore,durexec,durecc')).to.deep.equal([
      [999974868, 5346411129, null, null, null],
    ]);
  });

  it('have the time of their collector', () => {
    // A report is made at the end of its period.
    const [first] = reportsOf(
      lines(report([runtime(1, '1', { execution_stats: executions(1) })], {}, { timestamp: 1700000000 })),
    );
    expect(first?.unixMs).to.equal(1700000000000);
  });

  it('stay when records were edited', () => {
    const edited = {
      type: 'sample',
      profile: 0,
      start: 'x',
      device: 0,
      metric: 'flops',
      value: 'y',
      unit: null,
      dur: [],
    };
    const samples = [{ ...edited, labels: { report: 1, core: 2, pid: {}, tag: 'a' } }] as unknown as SampleRecord[];
    const first = reportOf({ samples, startUnixNs: '17' }, {});
    expect(first).to.include({ number: 1, start: null, unixMs: null });
    expect(cells(first, 'core', 'tag,pid,core,flops,dur')).to.deep.equal([['a', null, 2, null, null]]);
  });

  it('show in columns whose keys and headers are different', () => {
    for (const of of ['key', 'header'] as const) {
      const names = MONITOR_COLUMNS.map((column) => column[of]);
      expect(new Set(names).size).to.equal(names.length);
      expect(names.every((name) => /^\S+$/.test(name))).to.equal(true);
    }
  });

  it('of several kinds have the columns of each, those of names last', () => {
    const several = defaultMonitorColumns(['vcpu', 'instance']);
    expect(several).to.equal(
      'report,start,scope,user,system,nice,idle,iowait,irq,softirq,iname,iid,itype,zone,zoneid,region,ami,subnet,name',
    );
    expect(defaultMonitorColumns(['core', 'runtime', 'device', 'system'])).to.match(
      /^report,start,scope,pid.*eccmemu$/,
    );
    const all = defaultMonitorColumns(SCOPE_NAMES).split(',');
    for (const scope of SCOPE_NAMES) expect(all).to.include.members(defaultMonitorColumns([scope]).split(','));
    expect([all.at(-1), new Set(all).size]).to.deep.equal(['name', all.length]);
  });

  it('have a column that tells them apart in every choice of rows', () => {
    const idle = { user: 1, system: 2, idle: 97 };
    const vcpu = { vcpu_usage: group({ average_usage: idle, usage_data: { 0: idle, 1: idle } }) };
    const [first] = reportsOf(lines(report([], vcpu)));
    for (const scopes of [['vcpu'], ['system', 'vcpu']] as const) {
      const columns = defaultMonitorColumns(scopes);
      const rows = scopes.flatMap((scope) => cells(first, scope, columns));
      expect(rows).to.have.length(scopes.length + 1);
      expect(new Set(rows.map((row) => JSON.stringify(row))).size).to.equal(rows.length);
    }
  });
});
