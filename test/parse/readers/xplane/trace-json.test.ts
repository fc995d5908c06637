import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { stepOnGpu } from '../../../../samples/programs/write-xplane.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { freshFolder, freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';

type Event = Readonly<Record<string, unknown>>;

const plane = (pid: number, name: string): Event => ({ ph: 'M', pid, name: 'process_name', args: { name } });
const line = (pid: number, tid: number, name: string): Event => ({ ph: 'M', pid, tid, name: 'thread_name', args: { name } }); // prettier-ignore
/** An event with times in microseconds. Arguments are strings. */
const at = (pid: number, tid: number, [ts, dur]: readonly [number, number], name: string, args?: Readonly<Record<string, string>>): Event =>
  ({ ph: 'X', pid, tid, ts, dur, name, ...(args === undefined ? undefined : { args }) }); // prettier-ignore

/** As the writer has it: an empty event behind the last comma. */
const text = (events: readonly Event[]): string =>
  `{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[${events.map((event) => `${JSON.stringify(event)},`).join('')}{}]}`;

function written(events: readonly Event[]): string {
  const path = freshPath('.trace.json');
  writeFileSync(path, text(events));
  return path;
}

const ofType = <T extends ProfileLine['type']>(path: string, type: T): Extract<ProfileLine, { type: T }>[] =>
  recordsOf(path, { ranges: true }).filter((record): record is Extract<ProfileLine, { type: T }> => record.type === type); // prettier-ignore

const GPU = [
  ...[plane(701, '/host:CPU'), line(701, 5, 'Host Threads/1234'), plane(1, '/device:GPU:0')],
  ...[line(1, 16, 'Stream #16(Kernel)'), line(1, 99, 'XLA Ops'), line(1, 98, 'Steps')],
  at(701, 5, [100, 50], 'train', { step_num: '7' }),
  at(701, 5, [110, 5], 'hipModuleLaunchKernel', { correlation_id: '3' }),
  at(701, 5, [120, 5], 'hipMemcpyHtoDAsync', { correlation_id: '4' }),
  at(1, 16, [130.000125, 2.5], 'loop_fusion.kd', {
    ...{ correlation_id: '3', hlo_op: 'loop_fusion', hlo_module: 'jit_step', group_id: '0' },
    name: 'jit(step)/jit(main)/head/mul',
  }),
  at(1, 16, [140, 1], 'Memcpy', { correlation_id: '4', memcpy_details: 'kind:Unknown size:64 dest:0 async:1' }),
  at(1, 16, [142, 1], 'Memset', { memset_details: 'kind:Unknown size:32' }),
  at(1, 16, [144, 1], 'MemFree', { memfree_details: 'kind:Unknown size:32' }),
  at(1, 99, [130, 2.5], 'loop_fusion'),
  at(1, 98, [129, 20], '7', { group_id: '0', step_name: '7' }),
];

describe('the JAX and TensorFlow trace for TensorBoard', () => {
  it('has kernels, copies and memsets of GPUs with their launches, op, layer and step, to the picosecond', () => {
    const path = written(GPU);
    expect(headerOf(path)).to.deep.include({ format: 'xplane-json', startUnixNs: null });
    expect(headerOf(path).devices.map(({ id, vendor }) => [id, vendor])).to.deep.equal([[0, 'amd']]);
    const [kernel, ...others] = kernelsOf(path);
    expect(others).to.deep.equal([]);
    // The first event is at 100 us.
    expect(kernel).to.deep.include({ name: 'loop_fusion', start: 30_000, dur: 2500, ps: [125, 0], device: 0, stream: 16 });
    expect(kernel).to.deep.include({ op: ['mul'], layer: ['head'], grid: null, registers: null, step: 7, tid: 1234 });
    expect(kernel?.launch).to.deep.equal({ api: 'hipModuleLaunchKernel', start: 10_000, dur: 5000 });
    const [copy, ...more] = ofType(path, 'copy');
    expect(more).to.deep.equal([]);
    expect(copy).to.deep.include({ kind: 'HtoD', bytes: 64, start: 40_000, dur: 1000 });
    expect(ofType(path, 'set').map(({ bytes, start }) => [bytes, start])).to.deep.equal([[32, 42_000]]);
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'line XLA Ops: 1, other events of Stream #16(Kernel): 1' });
    expect(ofType(path, 'range').map((range) => range.text)).to.include('train#step_num=7#');
    expect(diagnosticsOf(path)).to.deep.equal({ 'trace-for-viewers': 1, 'event-not-read': 2, 'activity-without-launch': 1 });
  }); // prettier-ignore

  it('has instructions of TPUs with their program, without the loops that contain them; waits and programs', () => {
    const path = written([
      ...[plane(3, '/device:TPU:1'), line(3, 3, 'XLA Ops'), line(3, 2, 'XLA Modules'), line(3, 6, 'XLA TraceMe')],
      at(3, 3, [10, 20], 'while.1', { long_name: '%while.1 = (f32[8]) while(%t)', hlo_category: 'while' }),
      at(3, 3, [12, 4], 'fusion.3', {
        ...{ long_name: '%fusion.3 = f32[8]{0} fusion(%a), kind=kLoop', hlo_category: 'loop fusion' },
        ...{ tf_op: 'jit(f)/jvp(block)/mul:', source: 'net.py:12' },
      }),
      at(3, 3, [40, 0.000001], 'broadcast.2', { long_name: '%broadcast.2 = f32[] broadcast()' }),
      at(3, 2, [9, 31.5], 'jit_f(14)', { run_id: '77' }),
      at(3, 6, [50, 5], 'dependency-wait'),
    ]);
    expect(headerOf(path).devices.map(({ id, vendor }) => [id, vendor])).to.deep.equal([[1, 'google']]);
    const kernels = kernelsOf(path);
    // The program begins first, at 9 us. One picosecond stands for no duration.
    expect(kernels.map(({ name, start, dur }) => [name, start, dur])).to.deep.equal([['fusion.3', 3000, 4000], ['broadcast.2', 31_000, 0]]); // prettier-ignore
    expect(kernels[0]).to.deep.include({ op: ['mul'], layer: ['block'], dir: 'fprop', trace: ['net.py:12'] });
    expect(kernels[0]?.labels).to.deep.include({ module: 'jit_f', category: 'loop fusion' });
    const samples = ofType(path, 'sample').map(({ metric, value, text: name, start }) => [metric, value, name, start]);
    expect(samples).to.deep.equal([['xla_module', 77, 'jit_f', 0]]);
    expect(ofType(path, 'sync').map(({ kind, start, dur }) => [kind, start, dur])).to.deep.equal([['dependency-wait', 41_000, 5000]]); // prettier-ignore
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'instructions that contain others: 1' });
  });

  it('is named with the XPlane file next to it, which a folder has in its place', async () => {
    const folder = join(freshFolder(), 'plugins', 'profile', '2026_01_02');
    mkdirSync(folder, { recursive: true });
    for (const name of ['node.trace.json.gz', 'perfetto_trace.json.gz'])
      writeFileSync(join(folder, name), gzipSync(text(GPU)));
    const formats = async (): Promise<(string | undefined)[]> => {
      const { stdout } = await runCli('dparse', [folder]);
      return [...stdout.matchAll(/"format":"([\w-]+)"/g)].map(([, format]) => format);
    };
    // JAX writes the events of a host twice.
    expect(await formats()).to.deep.equal(['xplane-json']);
    writeFileSync(join(folder, 'node.xplane.pb'), stepOnGpu());
    expect(await formats()).to.deep.equal(['xplane']);
    const { stdout } = await runCli('dparse', [join(folder, 'node.trace.json.gz')]);
    expect(stdout).to.contain('"xplane":"node.xplane.pb"');
  });

  it('counts names of planes and lines that are missing or no texts, and reads the events without them', () => {
    const damaged = [{}, { args: {} }, { args: { name: 5 } }, { args: { name: ['x'] } }, { args: 'Stream #16' }];
    const named = (args: object): Event => ({ ph: 'M', pid: 1, tid: 16, name: 'thread_name', ...args });
    for (const args of damaged) {
      const path = written(GPU.map((event) => (event['tid'] === 16 && event['ph'] === 'M' ? named(args) : event)));
      expect(kernelsOf(path)).to.deep.equal([]);
      // A kernel, a copy, a set and a release of memory are on this line, and an instruction on another one.
      expect(headerOf(path).facts).to.deep.equal({ not_read: 'line XLA Ops: 1, line without a name: 4' });
      expect(diagnosticsOf(path)).to.deep.include({ 'event-not-read': 5, 'malformed-event': 1 });
    }
    const path = written([...GPU, { ph: 'M', pid: 9, name: 'process_name', args: { name: null } }]);
    expect(kernelsOf(path)).to.have.length(1);
    expect(diagnosticsOf(path)).to.deep.include({ 'malformed-event': 1 });
  });

  it('is read up to a cut, and refused without events', () => {
    const path = freshPath('.trace.json');
    writeFileSync(path, text(GPU).slice(0, text(GPU).indexOf('"Memset"')));
    expect(kernelsOf(path)).to.have.length(1);
    expect(diagnosticsOf(path)).to.deep.include({ 'truncated-input': 1 });
    expect(() => recordsOf(written([plane(1, '/device:GPU:0')])))
      .to.throw()
      .with.property('line')
      .that.matches(/is a trace for TensorBoard without events \(give the \.xplane\.pb of the same run\)/);
  });
});
