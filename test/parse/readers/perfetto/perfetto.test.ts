import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { message, type Field } from '../../../../samples/programs/wire.js';
import type { CopyRecord, ProfileLine, RangeRecord, SampleRecord } from '../../../../src/record/record.js';
import { foundIn } from '../../../support/found.js';
import { runCli } from '../../../support/run-cli.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, endOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';
import { ROOT } from '../../../support/shared.js';

const GEMM = join(ROOT, 'samples/gemm_results.pftrace');
const LINEAR = join(ROOT, 'samples/linear.pftrace');

const ofType = <T extends ProfileLine>(path: string, type: T['type']): T[] =>
  recordsOf(path, { ranges: true }).filter((record): record is T => record.type === type);

function written(packets: readonly (readonly Field[])[], tail = Buffer.alloc(0)): string {
  const path = freshPath('.pftrace');
  writeFileSync(path, Buffer.concat([message(packets.map((fields): Field => [1, fields])), tail]));
  return path;
}

const STREAM: readonly Field[] = [[60, [[1, 5], [2, 'STREAM [" 3 "] ']]]]; // prettier-ignore
/** A beginning or an end on track 5. */
const event = (time: number, type: number, name = 'k', category = 'kernel_dispatch', more: readonly Field[] = []): Field[] => [
  [8, time],
  [11, [[9, type], [11, 5], ...(type === 2 ? [] : [[22, category] as const, [23, name] as const]), ...more]],
]; // prettier-ignore

describe('Perfetto reader', () => {
  describe('of rocprofv3', () => {
    it('reads kernels with launch, layer, counters and resources; the product of a grid states no extents', () => {
      const [gemm, scale, ...others] = kernelsOf(GEMM);
      expect(others).to.deep.equal([]);
      // The first event is the range, 9 us after the start of the trace.
      expect(gemm).to.deep.include({ name: 'Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_MI16x16x16x1', start: 16_000, dur: 15_000 });
      expect(gemm).to.deep.include({ device: 1, stream: 1, pid: 4242, tid: 4242, corr: 11, layer: ['head'] });
      expect(gemm).to.deep.include({ grid: null, block: null, registers: 64, sharedBytes: 16_384 });
      expect(gemm?.counters).to.deep.equal({ SQ_WAVES: 1024 });
      expect(gemm?.launch).to.deep.equal({ api: 'hipLaunchKernel', start: 1000, dur: 4000 });
      // It begins where the first ends.
      expect(scale).to.deep.include({ name: 'void scale<float>(float*, int)', start: 31_000, dur: 12_000, tid: 4243 });
      expect(scale).to.deep.include({ layer: [], launch: { api: 'hipLaunchKernel', start: 11_000, dur: 3000 } });
    }); // prettier-ignore

    it('reads copies, counters of devices in bytes, ranges and calls', () => {
      const [copy] = ofType<CopyRecord>(GEMM, 'copy');
      expect(copy).to.deep.include({ kind: 'DtoH', bytes: 65_536, start: 51_000, dur: 4000, device: 1, corr: 13 });
      const samples = ofType<SampleRecord>(GEMM, 'sample');
      expect(samples.map(({ start, device, metric, value, unit }) => [start, device, metric, value, unit])).to.deep.equal([
        [16_000, 1, 'Agent [1] PMC SQ_WAVES', 1024, null],
        [31_000, 1, 'Agent [1] PMC SQ_WAVES', 0, null],
        [51_000, null, 'COPY BYTES to Agent [0] (CPU)', 65_536, 'bytes'],
        [55_000, null, 'COPY BYTES to Agent [0] (CPU)', 0, 'bytes'],
      ]);
      expect(ofType<RangeRecord>(GEMM, 'range').map(({ text, start, dur }) => [text, start, dur])).to.deep.equal([
        ['layer:head', 0, 23_000],
        ['hipLaunchKernel', 1000, 4000],
        ['hipLaunchKernel', 11_000, 3000],
        ['hipMemcpyAsync', 21_000, 1000],
      ]);
      expect(diagnosticsOf(GEMM)).to.deep.equal({});
    }); // prettier-ignore

    it('counts from the Unix time of the clocks, exactly above 2^53 ns', () => {
      // 9,072,000 s after the machine's start, which was at 1,791,000,000 s; the range begins 9 us later.
      expect(headerOf(GEMM)).to.deep.include({ format: 'perfetto', startUnixNs: '1800072000000009000' });
      expect(headerOf(GEMM).devices.map(({ id, vendor }) => [id, vendor])).to.deep.equal([[1, 'amd']]);
    });
  });

  describe("of PyTorch's CUPTI monitor", () => {
    it('reads kernels with grid, launch, and the op with its extents', () => {
      const [kernel, ...others] = kernelsOf(LINEAR);
      expect(others).to.deep.equal([]);
      // The copy's launch is the first event, at 100 ns; ends of all calls come behind the last beginning.
      expect(kernel).to.deep.include({ name: 'ampere_sgemm_64x32_tn', start: 5900, dur: 2500, device: 0, stream: 7 });
      expect(kernel).to.deep.include({ grid: [2, 1, 1], block: [128, 1, 1], registers: 122, sharedBytes: 16_384 });
      expect(kernel?.launch).to.deep.equal({ api: 'cudaLaunchKernel', start: 2900, dur: 2000 });
      expect(kernel?.seq).to.deep.equal([5]);
      const [call] = kernel?.calls ?? [];
      expect(call?.args.map(({ shape }) => shape)).to.deep.equal([[64], [32, 128], [128, 64], undefined, undefined]);
    });

    it('reads copies and memsets, the architecture, and counts what it does not read', () => {
      const records = recordsOf(LINEAR).filter(({ type }) => type === 'copy' || type === 'set');
      expect(records).to.deep.include.deep.members([]);
      const [copy, set] = records;
      expect(copy).to.deep.include({ type: 'copy', bytes: 32_768, start: 700, dur: 400, stream: 7 });
      expect(set).to.deep.include({ type: 'set', bytes: 256, start: 1900, dur: 300 });
      expect(headerOf(LINEAR).devices[0]).to.deep.include({ vendor: 'nvidia', arch: 'sm80' });
      expect(headerOf(LINEAR).facts).to.deep.equal({ not_read: 'gpu_counter_event: 1' });
    });
  });

  describe('of any writer', () => {
    const spansIn = (path: string) => kernelsOf(path).map(({ name, start, dur }) => [name, start, dur]);

    it('joins beginnings and ends behind them, in any order of slices', () => {
      const later = [event(50, 1, 'later'), event(70, 2)];
      const around = [event(10, 1, 'around'), event(20, 1, 'within'), event(30, 2), event(40, 2)];
      expect(spansIn(written([STREAM, ...later, ...around]))).to.deep.equal([
        ['around', 0, 30],
        ['within', 10, 10],
        ['later', 40, 20],
      ]);
    });

    it('joins them in time order where all ends come behind all beginnings', () => {
      // Each ends where the next begins; the last has no duration.
      const begins = [event(10, 1, 'a'), event(20, 1, 'b'), event(30, 1, 'c')];
      const ends = [event(20, 2), event(30, 2), event(30, 2)];
      expect(spansIn(written([STREAM, ...begins, ...ends]))).to.deep.equal([
        ['a', 0, 10],
        ['b', 10, 10],
        ['c', 20, 0],
      ]);
    });

    it('a slice without an end has no duration; an end without a beginning is counted', () => {
      const path = written([STREAM, event(5, 2), event(10, 1, 'open')]);
      expect(spansIn(path)).to.deep.equal([['open', 0, null]]);
      expect(diagnosticsOf(path)).to.deep.include({ 'range-without-start': 1, 'row-without-time': 1 });
    });

    it('unpacks compressed packets', () => {
      const packets = message([event(10, 1), event(30, 2)].map((fields): Field => [1, fields]));
      expect(spansIn(written([STREAM, [[50, deflateSync(packets)]]]))).to.deep.equal([['k', 0, 20]]);
    });

    it('counts compressed packets that are damaged, or unpack to more than a packet may have', () => {
      const bomb = deflateSync(Buffer.alloc(2 ** 26 + 1));
      for (const bytes of [Buffer.from('no zlib'), bomb]) {
        const path = written([STREAM, event(10, 1), event(30, 2), [[50, bytes]]]);
        expect(spansIn(path)).to.deep.equal([['k', 0, 20]]);
        expect(diagnosticsOf(path)).to.deep.include({ 'malformed-event': 1 });
      }
    });

    it('takes no text that begins with an empty line, and no other message, for a trace', () => {
      // The line break is the tag of a packet, `<` its length of 60, and `h` the tag of a known field with a number.
      const page = `\n<html>${' '.repeat(54)}\n</html>\n`;
      const texts = [page, '\n<html></html>', '\n hello\n', `\n@${'a'.repeat(63)}\n`];
      const zone = message([[1, [[13, 5], [2, 'abc']]], [7, 'other']]); // prettier-ignore
      for (const bytes of [...texts.map((text) => Buffer.from(text)), zone]) {
        const path = freshPath('.bin');
        writeFileSync(path, bytes);
        expect(() => recordsOf(path)).to.throw(/^(?!.*Perfetto)/);
      }
    });

    it('has no value for a counter event without one, nor for a sum after an unknown difference', () => {
      const counter = (time: number, ...value: Field[]): Field[] => [[8, time], [11, [[9, 4], [11, 6], ...value]]]; // prettier-ignore
      const track = (incremental: number): Field[] => [[60, [[1, 6], [2, "hits"], [8, [[5, incremental]]]]]]; // prettier-ignore
      const valuesIn = (path: string) => ofType<SampleRecord>(path, 'sample').map(({ start, value }) => [start, value]);
      const rows = [counter(10, [30, 3]), counter(20), counter(30, [30, 4])];
      const [plain, sums] = [0, 1].map((kind) => written([STREAM, track(kind), event(10, 1), event(30, 2), ...rows]));
      expect(valuesIn(plain ?? '')).to.deep.equal([[0, 3], [10, null], [20, 4]]); // prettier-ignore
      expect(valuesIn(sums ?? '')).to.deep.equal([[0, 3], [10, null], [20, null]]); // prettier-ignore
      for (const path of [plain, sums])
        expect(headerOf(path ?? '').facts).to.deep.equal({ not_read: 'counter events without a value: 1' });
    });

    it('drops interned texts where the writer clears its state, and names kernels of unknown numbers so', () => {
      const named = (time: number, more: readonly Field[]): Field[] => [
        ...[[8, time], [10, 1], ...more] as Field[],
        [11, [[9, 1], [11, 5], [22, 'kernel_dispatch'], [10, 7]]],
      ]; // prettier-ignore
      const text: Field = [12, [[2, [[1, 7], [2, 'gemm']]]]]; // prettier-ignore
      const packets = [STREAM, named(10, [text]), event(15, 2), named(20, [[13, 1]]), event(25, 2)];
      expect(spansIn(written(packets))).to.deep.equal([['gemm', 0, 5], ['kernel#na', 10, 5]]); // prettier-ignore
    });

    it('converts clocks of a sequence, with units, to that of the trace', () => {
      // 2000 units of 1000 ns are 5 ms of the default clock.
      const clocks: Field = [6, [[1, [[1, 6], [2, 5_000_000]]], [1, [[1, 65], [2, 2000], [4, 1000]]]]]; // prettier-ignore
      const timed = (units: number, type: number): Field[] => [[58, 65], ...event(units, type)];
      const path = written([STREAM, event(5_000_000, 1, 'a'), event(5_004_000, 2), [clocks], timed(2010, 1), timed(2012, 2)]); // prettier-ignore
      expect(spansIn(path)).to.deep.equal([['a', 0, 4000], ['k', 10_000, 2000]]); // prettier-ignore
    });

    it('counts other categories and packets by kind', () => {
      const other = [event(12, 1, 'x', 'audio'), event(13, 2)];
      const path = written([STREAM, event(10, 1), event(30, 2), ...other, [[1, [[1, 0]]]], [[300, 'x']]]);
      expect(headerOf(path).facts).to.deep.equal({ not_read: 'audio: 1, ftrace_events: 1, packet 300: 1' });
    });

    it('reads a cut file up to the cut, and leaves out damaged packets', () => {
      const whole = readFileSync(GEMM);
      const cut = freshPath('.pftrace');
      writeFileSync(cut, whole.subarray(0, whole.length - 3));
      expect(endOf(cut)).to.deep.include({ counts: { copy: 1, kernel: 2, sample: 3 } });
      expect(diagnosticsOf(cut)).to.deep.equal({ 'truncated-input': 1 });
      const damaged = written([STREAM, event(10, 1), event(30, 2), [[8, 40], [11, Buffer.from([0x4a, 0x7f])]]]); // prettier-ignore
      expect(spansIn(damaged)).to.deep.equal([['k', 0, 20]]);
      expect(diagnosticsOf(damaged)).to.deep.include({ 'malformed-event': 1 });
    });

    it('leaves a trace out of a folder that has the same capture in another format', async () => {
      const folder = freshPath('-folder');
      mkdirSync(folder);
      copyFileSync(GEMM, join(folder, '7_results.pftrace'));
      const names = async () => (await foundIn([folder])).profiles.map(({ source }) => source.file);
      expect(await names()).to.deep.equal(['7_results.pftrace']);
      copyFileSync(join(ROOT, 'samples/softmax_results.json'), join(folder, '7_results.json'));
      copyFileSync(join(ROOT, 'samples/lenet.nsys.sqlite'), join(folder, 'lenet.nsys.sqlite'));
      await runCli('dprof', ['perfetto', '-q', '-o', join(folder, 'a.pftrace'), join(folder, 'lenet.nsys.sqlite')]);
      expect(await names()).to.deep.equal(['7_results.json', 'lenet.nsys.sqlite']);
      const { stderr } = await runCli('dparse', [folder]);
      expect(stderr).to.include('1 file left out, whose run is in 7_results.json: 7_results.pftrace');
      expect(stderr).to.include('1 file left out, whose run is in lenet.nsys.sqlite: a.pftrace');
    });

    it('refuses a trace without work that it knows, in one line', () => {
      for (const packets of [
        [[[8, 1]], [[8, 2]]],
        [
          [
            [8, 1],
            [1, [[1, 0]]],
          ],
        ],
        [STREAM, event(1, 1, 'x', 'audio')],
      ] as Field[][][])
        // prettier-ignore
        expect(() => recordsOf(written(packets)))
          .to.throw()
          .with.property('line')
          .that.matches(/is a Perfetto trace without device work that dparse can read \(give one of rocprofv3/);
      expect(() => recordsOf(written([[[8, 1]], [[8, 2]]], Buffer.from([10, 9, 8]))))
        .to.throw()
        .with.property('line')
        .that.matches(/is a damaged Perfetto trace: no work in it can be read \(copy it again\)$/);
    });
  });
});
