import { expect } from 'chai';
import type { CopyLine, KernelLine, ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import {
  instructionEnd,
  instructionStart,
  packet,
  readTrace,
  semaphore,
  throttle,
  type SectionOf,
  type TraceOf,
} from '../../../support/ntff.js';

const [TENSOR, SCALAR, SYNC] = [0, 1, 4];
const INSTRUCTIONS = 0;
const SEMAPHORES = 1;
const DMA = 4;
const THROTTLE = 5;

const instructions = (...records: Buffer[]): SectionOf => ({ kind: INSTRUCTIONS, records });
const dma = (...records: Buffer[]): SectionOf => ({ kind: DMA, group: 1, records });

const kernels = (lines: readonly ProfileLine[]): KernelLine[] => lines.filter((line) => line.type === 'kernel');
const copies = (lines: readonly ProfileLine[]): CopyLine[] => lines.filter((line) => line.type === 'copy');
const samples = (lines: readonly ProfileLine[], metric: string): SampleRecord[] =>
  lines.filter((line) => line.type === 'sample').filter((line) => line.metric === metric);

describe('a device trace of a NeuronCore', () => {
  it('has the device, its program and the execution', () => {
    const { lines } = readTrace({ length: 1_234_567 });
    expect(lines[0]).to.deep.equal({
      type: 'profile',
      v: 1,
      profile: 0,
      format: 'ntff',
      tool: null,
      file: 'made.ntff',
      rank: null,
      startUnixNs: null,
      dur: 1234,
      devices: [{ id: 4, vendor: 'aws', name: 'Trainium2', arch: 'nc-v3', units: null, clockHz: 2.4e9, memBytesPerS: 716e9, memBytes: null }], // prettier-ignore
      facts: {
        instanceType: 'trn2.3xlarge',
        runtimeVersion: '2.30.51 (faafe)',
        driverVersion: '2.26.0 ()',
        totalTimePs: 1_234_567,
        peRows: 128,
        peCols: 128,
        peClockHz: 2.4e9,
        clockHz: 1.2e9,
        dmaBytesPerS: 435e9,
        hbmBytesPerS: 716e9,
        cores: 1,
        model: 'made.neff',
        uuid: '00112233445566778899aabbccddeeff',
        ntffVersion: 6,
      },
    });
  });

  it('leaks nothing of the machine it was made on', () => {
    const text = JSON.stringify(readTrace({}).lines);
    expect(text).not.to.include('secret');
  });

  it('makes a kernel of the two records of an instruction', () => {
    // Start and end are cut to whole ns from the window's start; 123 cycles of 1.2 GHz are 102.5 ns.
    const { lines } = readTrace({
      opcodes: [[0xa4, 0x02]],
      place: 100,
      sections: [instructions(instructionStart(5999, TENSOR, 101, 123), instructionEnd(8001, TENSOR, 101, 7, 0xffff))],
    });
    expect({ ...kernels(lines)[0] }).to.deep.equal({
      type: 'kernel',
      profile: 0,
      id: 1,
      name: 'MATMUL',
      short: 'MATMUL',
      start: 5,
      dur: 2,
      device: 4,
      stream: 0,
      engine: 'Tensor',
      ps: [999, 2],
      counters: { pc: 1, waitNs: 102, crcIn: 7 },
    });
  });

  it('takes addresses modulo 2^21, and ignores the flag above', () => {
    const { lines } = readTrace({
      opcodes: [[0xa4, 0x02]],
      place: 2 ** 21 - 1,
      sections: [instructions(instructionStart(0, TENSOR, 0x200000), instructionEnd(1000, TENSOR, 0))],
    });
    expect(kernels(lines).map(({ name, counters }) => [name, counters?.['pc']])).to.deep.equal([['MATMUL', 1]]);
  });

  it('names opcodes as far as they are known', () => {
    const pair = (place: number): Buffer[] => [instructionStart(place * 1000, TENSOR, place), instructionEnd(place * 1000 + 500, TENSOR, place)]; // prettier-ignore
    const { lines, end } = readTrace({
      opcodes: [[0x01, 0x3f]],
      sections: [instructions(...pair(0), ...pair(1), ...pair(2), instructionStart(9000, SYNC, 3), instructionEnd(9001, SYNC, 3))], // prettier-ignore
    });
    expect(kernels(lines).map(({ name, counters }) => [name, counters?.['pc']])).to.deep.equal([
      ['LDWEIGHTS', 0],
      ['0x3F', 1],
      // Beyond the instructions of the file.
      ['na', 2],
      // Of an engine without a program: not even its address is known.
      ['na', undefined],
    ]);
    expect(end.diagnostics).to.include({ 'unknown-opcode': 3 });
  });

  it('gives an end to the oldest start of its place, whatever is in between', () => {
    const { lines } = readTrace({
      opcodes: [[0x02, 0x02]],
      sections: [
        instructions(
          instructionStart(1000, TENSOR, 0),
          instructionStart(2000, TENSOR, 1),
          instructionStart(3000, TENSOR, 0),
          instructionEnd(4000, TENSOR, 0),
          instructionEnd(5000, TENSOR, 1),
          instructionEnd(9000, TENSOR, 0),
        ),
      ],
    });
    expect(kernels(lines).map(({ id, start, dur, counters }) => [id, start, dur, counters?.['pc']])).to.deep.equal([
      [1, 1, 3, 0],
      [2, 2, 3, 1],
      [3, 3, 6, 0],
    ]);
  });

  it('counts what has no start or no end', () => {
    const { lines, end } = readTrace({
      opcodes: [[0x02], [0x21]],
      sections: [
        instructions(
          instructionEnd(1000, TENSOR, 0),
          instructionStart(2000, TENSOR, 0),
          instructionEnd(3000, SCALAR, 0),
        ),
        dma(packet(1000, 5, 0, 1), packet(2000, 1, 0, 1)),
      ],
    });
    expect(kernels(lines)).to.have.length(0);
    expect(end.diagnostics).to.include({ 'record-without-start': 3, 'record-without-end': 2, 'no-device-activity': 1 });
  });

  it('loses sight of a start that hundreds have overtaken', () => {
    const round = (i: number): Buffer[] => [instructionStart(i * 1000, TENSOR, 1), instructionEnd(i * 1000 + 500, TENSOR, 1)]; // prettier-ignore
    const rounds = Array.from({ length: 400 }, (_, i) => round(i + 1)).flat();
    const { lines, end } = readTrace({
      opcodes: [[0x01, 0x02]],
      sections: [instructions(instructionStart(0, TENSOR, 0), ...rounds, instructionEnd(999_000, TENSOR, 0))],
    });
    expect(kernels(lines)).to.have.length(400);
    expect(end.diagnostics).to.include({ 'record-without-start': 1, 'record-without-end': 1 });
  });

  it('leaves out what began before the execution or ended after it', () => {
    const { lines, end } = readTrace({
      length: 10_000,
      opcodes: [[0x02]],
      sections: [
        instructions(
          instructionStart(-1, TENSOR, 0),
          instructionEnd(500, TENSOR, 0),
          instructionStart(0, TENSOR, 0),
          instructionEnd(10_000, TENSOR, 0),
          instructionStart(9000, TENSOR, 0),
          instructionEnd(10_001, TENSOR, 0),
        ),
        dma(packet(-1, 1, 0, 0), packet(5, 1, 0, 0), packet(6, 5, 0, 0, 1), packet(7000, 5, 0, 0, 2)),
        { kind: SEMAPHORES, records: [semaphore(-1, 1, 1), semaphore(0, 1, 2), semaphore(10_001, 1, 3)] },
      ],
    });
    expect(kernels(lines).map(({ start, dur }) => [start, dur])).to.deep.equal([[0, 10]]);
    expect(copies(lines).map(({ start, dur, bytes }) => [start, dur, bytes])).to.deep.equal([[0, 6, 2]]);
    expect(samples(lines, 'semaphore').map(({ value }) => value)).to.deep.equal([2]);
    expect(end.diagnostics).to.include({ 'outside-execution': 5 });
  });

  it('leaves out what begins behind the execution, whenever it ends', () => {
    const { lines, end } = readTrace({
      length: 10_000,
      opcodes: [[0x02]],
      sections: [
        instructions(instructionStart(2 ** 52, TENSOR, 0), instructionEnd(4000, TENSOR, 0)),
        dma(packet(2 ** 52, 1, 0, 0), packet(5000, 5, 0, 0, 1)),
      ],
    });
    expect([kernels(lines), copies(lines)]).to.deep.equal([[], []]);
    expect(end.diagnostics).to.include({ 'outside-execution': 2 });
  });

  it('keeps an instruction that ends before it starts, its duration unknown', () => {
    const { lines, end } = readTrace({
      opcodes: [[0x02]],
      sections: [instructions(instructionStart(5000, TENSOR, 0), instructionEnd(4000, TENSOR, 0))],
    });
    expect(kernels(lines)[0]).to.include({ start: 5, dur: null }).and.not.to.have.property('ps');
    expect(end.diagnostics).to.include({ 'negative-duration': 1 });
  });

  it('says of a wait that was too long to count', () => {
    const { lines, end } = readTrace({
      opcodes: [[0x02]],
      sections: [instructions(instructionStart(0, TENSOR, 0, 0xffff), instructionEnd(1, TENSOR, 0))],
    });
    // 65535 / 1.2 = 54612.5.
    expect(kernels(lines)[0]?.counters).to.include({ waitNs: 54612 });
    expect(end.diagnostics).to.include({ 'saturated-wait': 1 });
  });

  it('has no waits when their clock is unknown', () => {
    const trace: TraceOf = {
      instance: 'trn9.huge',
      opcodes: [[0x02]],
      sections: [instructions(instructionStart(0, TENSOR, 0, 60), instructionEnd(1, TENSOR, 0))],
    };
    expect(kernels(readTrace(trace).lines)[0]?.counters).to.deep.equal({ pc: 0 });
  });

  it('makes copies of packets, the n-th start of a queue with its n-th end', () => {
    const { lines } = readTrace({
      rings: [
        [64, 0, 'qSPDynamicHW'],
        [65, 1, 'qPoolDynamic'],
        [66, 2, 'qWeights'],
      ],
      sections: [
        dma(
          packet(1000, 1, 0, 0),
          packet(1500, 1, 0, 0),
          packet(2000, 5, 0, 0, 4096, 77),
          packet(2500, 6, 0, 0),
          packet(4000, 5, 0, 0, 512, 78),
          packet(100, 1, 1, 1),
          packet(300, 5, 1, 1, 1),
          packet(100, 1, 2, 2),
          packet(300, 5, 2, 2, 2),
          packet(100, 1, 3, 14),
          packet(300, 5, 3, 14, 3),
        ),
      ],
    });
    const shown = copies(lines).map((line) => [line.start, line.dur, line.bytes, line.stream, line.engine, line.queue, line.queueType]); // prettier-ignore
    expect(shown).to.deep.equal([
      [0, 0, 1, 65, 'E65', 1, 'software_dynamic'],
      [0, 0, 2, 66, 'E66', 2, undefined],
      [0, 0, 3, 67, 'E67', 14, 'instruction'],
      [1, 1, 4096, 64, 'E64', 0, 'hardware_dynamic'],
      [1, 2, 512, 64, 'E64', 0, 'hardware_dynamic'],
    ]);
    expect(copies(lines)[3]?.counters).to.deep.equal({ crc: 77 });
  });

  it('numbers DMA engines by the core without rings: 16 of each', () => {
    const sections = [2, 7].map((core) => ({ ...dma(packet(1, 1, 3, 0), packet(2, 5, 3, 0, 1)), core }));
    // Engines 32 to 47 are of core 2, 112 to 127 of core 7; records have the low five bits.
    expect(copies(readTrace({ sections }).lines).map(({ device, stream }) => [device, stream])).to.deep.equal([
      [2, 35],
      [7, 99],
    ]);
  });

  it('puts semaphores and throttling in order among them, and lets a limit last until the next', () => {
    const { lines, end } = readTrace({
      length: 90_000,
      opcodes: [[0x02]],
      sections: [
        { kind: THROTTLE, records: [throttle(10_000, 8, 8), throttle(30_500, 4, 8, 1), throttle(50_000, 1, 0, 2)] },
        {
          kind: SEMAPHORES,
          records: [semaphore(30_900, 7, 0xffffffff), semaphore(31_000, 2, 5), semaphore(1, 9, 9, 0)],
        },
        instructions(instructionStart(0, TENSOR, 0), instructionEnd(70_000, TENSOR, 0)),
      ],
    });
    const shown = lines
      .filter((line) => line.type === 'sample')
      .map(({ metric, start, dur, value, labels }) => [metric, start, dur, value, labels]);
    expect(shown).to.deep.equal([
      // Core 0 is one of the first device.
      ['nd_idx', null, undefined, 0, { from: 'trace', subgraph: 'sg00' }],
      // All three are within the execution.
      ['event_count', null, undefined, 3, { from: 'trace', subgraph: 'sg00' }],
      ['dma_queue_count', null, undefined, 0, { from: 'trace', subgraph: 'sg00' }],
      ['throttle', 10, 20, 1, { kind: 'activity_0', k: 8, n: 8 }],
      ['semaphore', 30, undefined, 4294967295, { semaphore: 7 }],
      ['throttle', 30, 19, 0.5, { kind: 'activity_1', k: 4, n: 8 }],
      ['semaphore', 31, undefined, 5, { semaphore: 2 }],
      // The last one lasts until the core's last instruction ends; of no cycles at all there is no share.
      ['throttle', 50, 20, null, { kind: 'activity_2', k: 1, n: 0 }],
    ]);
    expect(end.diagnostics).to.include({ 'unknown-record': 1 });
  });

  it('names memory as the tool does, with its sum', () => {
    const { lines } = readTrace({ memory: [['pe', 64], ['something new', 6], ['spill', 0]] }); // prettier-ignore
    expect(samples(lines, 'memory').map(({ value, labels }) => [labels?.['kind'], value])).to.deep.equal([
      ['Tensor Instructions', 64],
      ['something new', 6],
      ['DRAM Spill', 0],
      ['Total', 70],
    ]);
  });

  it('skips unknown sections and records', () => {
    const { end } = readTrace({
      opcodes: [[0x02]],
      sections: [
        { kind: 9, records: [semaphore(0, 1, 1)] },
        { kind: INSTRUCTIONS, group: 2, records: [semaphore(0, 1, 1)] },
        { kind: SEMAPHORES, core: 2 ** 40, records: [semaphore(0, 1, 1)] },
        instructions(instructionStart(0, 9, 0), packet(0, 1, 0, 0)),
        dma(packet(0, 3, 0, 0)),
      ],
    });
    expect(end.diagnostics).to.include({ 'unread-section': 3, 'unknown-record': 3 });
  });

  it('reads a section as far as it lies in the file', () => {
    const records = [semaphore(0, 1, 1), semaphore(1, 1, 2)];
    const read = (section: Partial<SectionOf>): unknown[] => {
      const { lines, end } = readTrace({ sections: [{ kind: SEMAPHORES, records, ...section }] });
      return [samples(lines, 'semaphore').length, end.diagnostics['truncated-input']];
    };
    expect(read({ size: 2 ** 40 })).to.deep.equal([2, 1]);
    expect(read({ size: 2n ** 64n - 1n })).to.deep.equal([2, 1]);
    expect(read({ offset: 16, size: 32 })).to.deep.equal([1, 1]);
    expect(read({ offset: 2n ** 63n })).to.deep.equal([0, 1]);
    expect(read({ size: 31 })).to.deep.equal([1, undefined]);
  });

  it('takes several executions for one span', () => {
    const { lines } = readTrace({
      fields: (fields) => [...fields, [15, [[2, 2n ** 60n + 5_000_007n], [3, 2n ** 60n + 6_000_007n]]]], // prettier-ignore
    });
    expect(lines[0]).to.include({ dur: 6000 }).and.to.have.nested.property('facts.executions', 2);
  });
});
