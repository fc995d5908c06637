/** Raw data of Ascend's profilers: structures written by their public layouts, with right values by hand. */
import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packed, record } from '../../../../samples/programs/ascend-raw.js';
import { foundIn } from '../../../support/found.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

const SAMPLE = 'samples/ascend_raw';
const PROF = join(SAMPLE, 'PROF_000001_20260115000000000_SAMPLE');
const TEXT = 'samples/ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json';
const OP = { hash: 77n, type: 78n };

type Files = Readonly<Record<string, string | Buffer>>;

/** Clocks: the host counts 100 times a µs, from 5000 at 1 s; the device 50 times, from 900. */
const FACTS: Files = {
  'host/info.json': JSON.stringify({ platform_version: '5', pid: '9', CPU: [{ Frequency: '100.000000' }], DeviceInfo: [] }),
  'host/start_info': JSON.stringify({ collectionTimeBegin: '1700000001000000', clockMonotonicRaw: '1000000000' }),
  'host/host_start.log': '[Host]\nclock_monotonic_raw: 1000000000\ncntvct: 5000\n',
  'device_3/info.json.3': JSON.stringify({
    platform_version: '5',
    DeviceInfo: [{ hwts_frequency: '50.0', aic_frequency: '1800', ai_core_num: 24 }],
  }),
  'device_3/dev_start.log.3': 'clock_monotonic_raw: 7\ncntvct: 900\n',
  'host/data/unaging.additional.type_info_dic.slice_0': '10000_5:launch\n5000_0:KERNEL_AICORE\n5000_9:KERNEL_MIX_AIC\n',
  'host/data/unaging.additional.hash_dic.slice_0': '77:MatMul:1\n78:MatMulV2\n',
}; // prettier-ignore

/** Writes a folder. @returns path of the host's info.json */
function written(files: Files, facts: Files = FACTS): string {
  const folder = join(freshPath('_raw'), 'PROF_1');
  for (const [name, bytes] of Object.entries({ ...facts, ...files })) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return join(folder, 'host/info.json');
}

/** Times are µs after the start of the profile. */
const hostTime = (us: number): number => 5000 + us * 100;
const deviceTime = (us: number): number => 900 + us * 50;
const head = (level: number, type: number, us: number): Buffer =>
  packed('HHIIIQ', [0x5a5a, level, type, 11, 40, hostTime(us)]);
const launch = (us: number): Buffer =>
  packed('HHIIIQQQ', [0x5a5a, 10_000, 5, 11, 0, hostTime(us), hostTime(us + 2), OP.hash]);
const track = (us: number, task: number, type = 0, flip = 0): Buffer =>
  Buffer.concat([head(5_000, 0, us), packed('HHIQQ', [3, 2, task + flip * 65_536, type, 0], 40)]);
const node = (us: number, core = 0, blocks = 24): Buffer =>
  Buffer.concat([head(10_000, 0, us), packed('QIQIIB', [OP.hash, core, OP.type, blocks, 0, 0], 40)]);
const log = (about: number, us: number, task: number, stream = 2): Buffer =>
  packed('HHHHQ', [about, 0x6bd3, stream, task, deviceTime(us)], 64);
const part = (about: number, us: number, task: number, context: number): Buffer =>
  packed('HHHHQBBHHH', [about, 0x6bd3, 2, task, deviceTime(us), 6, 0, context, 4 << 13, 0], 64);

const API = 'host/data/aging.api_event.data.slice_0';
const TRACK = 'host/data/aging.compact.task_track.slice_0';
const NODE = 'host/data/aging.compact.node_basic_info.slice_0';
const LOG = 'device_3/data/stars_soc.data.3.slice_0';
const one: Files = {
  [API]: launch(10),
  [TRACK]: track(11, 40),
  [NODE]: node(12),
  [LOG]: Buffer.concat([log(0, 20, 40), log(1, 25.5, 40)]),
};

describe('Ascend raw data', () => {
  it('has the records of the text of the same run', () => {
    const omit = (found: object, ...keys: string[]): object =>
      Object.fromEntries(Object.entries(found).filter(([key]) => !keys.includes(key)));
    const kernels = (path: string): object[] => kernelsOf(path).map((kernel) => omit(kernel, 'corr', 'counters', 'labels'));
    const raw = join(PROF, 'host/info.json');
    expect(kernels(raw)).to.deep.equal(kernels(TEXT)).and.to.have.length(20);
    const labels = (path: string): object[] =>
      kernelsOf(path).map((kernel) => omit(kernel.labels ?? {}, 'taskType', 'opState', 'hf32'));
    expect(labels(raw)).to.deep.equal(labels(TEXT));
    const cycles = (path: string): unknown[] =>
      kernelsOf(path).map(({ counters }) => [counters?.['aic_total_cycles'], counters?.['aiv_total_cycles']].find((n) => n !== undefined && n > 0));
    expect(cycles(raw)).to.deep.equal(cycles(TEXT));
    const others = (path: string, kind: string, ...keys: string[]): object[] =>
      recordsOf(path).filter(({ type }) => type === kind).map((found) => omit(found, 'corr', 'launch', ...keys));
    const collectives = others(raw, 'collective', 'stream', 'counters');
    expect(collectives).to.deep.equal(others(TEXT, 'collective', 'stream', 'counters')).and.to.have.length(2);
    expect(others(raw, 'copy', 'bytes', 'kind')).to.deep.equal(others(TEXT, 'copy', 'bytes', 'kind'));
    expect(others(raw, 'copy')[0]).to.deep.include({ bytes: 1_048_576, kind: 'HtoD' });
    expect(diagnosticsOf(raw)).to.deep.equal({});
  }); // prettier-ignore

  it('aligns the clocks of host and device, and names what the device is', () => {
    const path = written(one);
    const [kernel] = kernelsOf(path);
    // 10 µs from the launch to the start: 1000 counts of the host are 500 of the device.
    expect(kernel).to.deep.include({ name: 'MatMul:1', start: 10_000, dur: 5_500, device: 3, stream: 2, tid: 11, block: [24, 1, 1] });
    expect(kernel?.launch).to.deep.include({ api: 'launch', start: 0, dur: 2_000 });
    expect(kernel?.labels).to.deep.equal({ opType: 'MatMulV2', taskType: 'KERNEL_AICORE', blockDim: 24, taskId: 40 });
    expect(headerOf(path)).to.deep.include({ tool: 'msprof', startUnixNs: '1700000001000010000' });
    expect(headerOf(path).devices).to.deep.include.members([
      { id: 3, vendor: 'huawei', name: 'Ascend910B', arch: 'ascend910b', units: 24, clockHz: 1.8e9, memBytesPerS: null, memBytes: null },
    ]);
  }); // prettier-ignore

  it('joins tasks whose numbers began anew by how often they did', () => {
    const path = written({
      [API]: Buffer.concat([launch(10), launch(30)]),
      [TRACK]: Buffer.concat([track(11, 40), track(20, 0, 98, 1), track(31, 40)]),
      [NODE]: Buffer.concat([node(12, 0, 1), node(32, 0, 2)]),
      [LOG]: Buffer.concat([log(0, 50, 40), log(1, 51, 40), log(0, 60, 40), log(1, 61, 40)]),
      'device_3/data/ts_track.data.3.slice_0': packed('BBHIQHHHH', [0, 14, 0, 0, deviceTime(55), 2, 1, 0, 0], 40),
    });
    expect(kernelsOf(path).map(({ block, launch: call }) => [block?.[0], call?.start])).to.deep.equal([
      [1, 0],
      [2, 20_000],
    ]);
  });

  it('gives each task the cycles that were taken after it started, each once', () => {
    const counted = (us: number, cycles: number): Buffer => {
      const facts = [40, 0x6bd3, 2, 40, 0, 0, 0, 0, 0, 0, 0, cycles];
      return packed(`HHHHQBBHHHQQ${'Q'.repeat(11)}`, [...facts, ...Array<number>(10).fill(0), deviceTime(us)], 128);
    };
    const path = written({
      ...one,
      [LOG]: Buffer.concat([log(0, 25.6, 40), log(1, 31, 40), log(0, 20, 40), log(1, 25.5, 40), log(0, 40, 40), log(1, 41, 40)]),
      'device_3/data/ffts_profile.data.3.slice_0': Buffer.concat([counted(31, 200), counted(5, 7), counted(26, 100)]),
    });
    const found = kernelsOf(path).map(({ start, counters }) => [start, counters?.['aic_total_cycles']]);
    expect(found).to.deep.equal([[10_000, 100], [15_600, 200], [30_000, undefined]]);
  }); // prettier-ignore

  it('joins the tensors that several structures list of an operator', () => {
    const tensor = (kind: number, ...dims: number[]): Buffer => packed('IIIII', [kind, 2, 0, ...dims, 0].slice(0, 5), 44);
    const listed = (us: number, ...tensors: Buffer[]): Buffer => {
      const bytes = Buffer.concat([head(10_000, 0, us), packed('QI', [OP.hash, tensors.length], 12), ...tensors]);
      return Buffer.concat([bytes, Buffer.alloc(256 - bytes.length)]);
    };
    const path = written({
      ...one,
      'host/data/aging.additional.tensor_info.slice_0': Buffer.concat([listed(11.5, tensor(0, 2, 3)), listed(11.6, tensor(0, 4), tensor(1, 5, 6))]),
    });
    expect(kernelsOf(path)[0]?.labels).to.deep.include({ inputShapes: '2,3;4', outputShapes: '5,6', inputTypes: 'FLOAT;FLOAT' });
  }); // prettier-ignore

  it('takes a group of tasks for its parts', () => {
    const contexts = packed('QII', [OP.hash, 1, 5], 232);
    const path = written({
      ...one,
      [TRACK]: track(11, 40, 9),
      [NODE]: node(12, 4),
      'host/data/aging.additional.context_id_info.slice_0': Buffer.concat([head(10_000, 4, 12), contexts]),
      [LOG]: Buffer.concat([log(0, 20, 40), part(34, 21, 40, 5), part(35, 24, 40, 5), log(1, 25, 40)]),
    });
    expect(kernelsOf(path).map(({ name, dur, engine }) => [name, dur, engine])).to.deep.equal([['MatMul:1', 3_000, 'MIX_AIC']]);
    expect(kernelsOf(path)[0]?.labels).to.deep.include({ taskId: 40, contextId: 5 });
    expect(diagnosticsOf(path)).to.deep.equal({ 'task-passed-over': 1 });
  }); // prettier-ignore

  it('reads logs of other devices: of 32 bytes, and of hwts', () => {
    const platform = (version: string): Files => ({ ...FACTS, 'device_3/info.json.3': String(FACTS['device_3/info.json.3']).replace('"5"', `"${version}"`) });
    const short = (about: number, us: number): Buffer => packed('HHIQ', [about, 0x6bd3, 40, deviceTime(us)], 32);
    const old = (about: number, us: number): Buffer => packed('BBHHHQI', [about, 0, 0, 0, 40, deviceTime(us), 2], 64);
    for (const [version, files] of [
      ['15', { [LOG]: Buffer.concat([short(0, 20), short(1, 25.5)]) }],
      ['1', { [LOG]: '', 'device_3/data/hwts.data.3.slice_0': Buffer.concat([old(0, 20), old(1, 25.5)]) }],
    ] as const) {
      const [kernel] = kernelsOf(written({ ...one, ...files }, platform(version)));
      expect(kernel).to.deep.include({ name: 'MatMul:1', start: 10_000, dur: 5_500, stream: 2 });
    }
  }); // prettier-ignore

  it('counts what it does not read: files, kinds, what is cut off, what is damaged', () => {
    const path = written({
      ...one,
      'device_3/data/l2_cache.data.3.slice_0': 'x',
      'device_3/data/l2_cache.data.3.slice_1': 'x',
      'device_3/data/l2_cache.data.3.slice_1.done': '',
      [LOG]: Buffer.concat([log(0, 20, 40), log(1, 25, 40), log(9, 26, 1), log(0, 27, 41), packed('HH', [0, 0], 64), packed('Q', [1])]),
    });
    expect(headerOf(path).facts).to.deep.include({ not_read: 'l2_cache.data: 2, stars_soc 9: 1' });
    const found = { 'event-not-read': 3, 'event-without-time': 1, 'row-passed-over': 1, 'truncated-input': 1 };
    expect(diagnosticsOf(path)).to.deep.equal(found);
    expect(kernelsOf(path)).to.have.length(1);
  }); // prettier-ignore

  it('counts a kind of file as cut off where all its slices are empty', () => {
    const [empty, next] = [{ [LOG]: '' }, 'device_3/data/stars_soc.data.3.slice_1'];
    expect(diagnosticsOf(written({ ...one, ...empty }))).to.include({ 'truncated-input': 1 });
    expect(diagnosticsOf(written({ ...one, ...empty, [next]: '' }))).to.include({ 'truncated-input': 1 });
    const path = written({ ...one, ...empty, [next]: one[LOG] ?? '' });
    expect(diagnosticsOf(path)).to.deep.equal({});
    expect(kernelsOf(path)).to.have.length(1);
    const names = 'host/data/unaging.additional.hash_dic.slice_0';
    expect(diagnosticsOf(written({ ...one, [names]: '' }))).to.deep.equal({ 'truncated-input': 1 });
  });

  it('reads the records of the framework up to where they are cut off', () => {
    const folder = freshPath('_raw');
    cpSync(SAMPLE, folder, { recursive: true });
    const ops = join(folder, 'FRAMEWORK/torch.op_range');
    truncateSync(ops, readFileSync(ops).length - 3);
    const path = join(folder, PROF.slice(SAMPLE.length), 'host/info.json');
    expect(diagnosticsOf(path)).to.deep.equal({ 'truncated-input': 1 });
    writeFileSync(join(folder, 'FRAMEWORK/torch.gc_record'), packed('QQQ', [4242, 8_640_123_456n + 2_000n, 8_640_123_456n + 5_000n]));
    const collected = recordsOf(path, { ranges: true }).filter((found) => found.type === 'range' && found.text === 'GC');
    expect(collected.map((found) => 'dur' in found && found.dur)).to.deep.equal([3_000]);
    expect(record(1, Buffer.from('ab'))).to.deep.equal(Buffer.from([1, 0, 2, 0, 0, 0, 0x61, 0x62]));
  }); // prettier-ignore

  it('is a profile of its own, unless the tool has parsed it', async () => {
    const folder = freshPath('_ascend_pt');
    cpSync(SAMPLE, folder, { recursive: true });
    const read = async (): Promise<string[]> => {
      const { profiles, failures } = await foundIn([folder]);
      expect(failures).to.deep.equal([]);
      return profiles.map(({ reader }) => reader.id);
    };
    expect(await read()).to.deep.equal(['ascend-raw']);
    cpSync(dirname(TEXT), join(folder, 'ASCEND_PROFILER_OUTPUT'), { recursive: true });
    expect(await read()).to.deep.equal(['ascend-text']);
  });

  it('needs the log of the host for its clock', () => {
    const { 'host/host_start.log': _, ...facts } = FACTS;
    expect(() => kernelsOf(written(one, facts))).to.throw('without host_start.log');
  });
  it('tells of a device whose clock is not known, and of calls that no clock could count', () => {
    const { 'device_3/dev_start.log.3': _, ...facts } = FACTS;
    expect(diagnosticsOf(written(one, facts))).to.include({ 'device-without-clock': 1 });
    // A call of 285 years.
    const long = packed('HHIIIQQQ', [0x5a5a, 10_000, 5, 11, 0, hostTime(1), 9n * 10n ** 17n, OP.hash]);
    const path = written({ ...one, [API]: Buffer.concat([launch(10), long]) });
    expect(diagnosticsOf(path)).to.include({ 'event-without-time': 1 });
    expect(kernelsOf(path).map(({ start, dur }) => [start, dur])).to.deep.equal(kernelsOf(written(one)).map(({ start, dur }) => [start, dur])); // prettier-ignore
  });
});
