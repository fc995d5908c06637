import { expect } from 'chai';
import { basename, join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { memorySnapshot, pickled } from '../../../../samples/programs/memory-snapshot.js';
import { checkProfile } from '../../../../src/parse/profile.js';
import { plainPickle } from '../../../../src/parse/readers/torch-memory/plain-pickle.js';
import { Memory, memoryDocument } from '../../../../src/prof/memory/memory-report.js';
import { UserError } from '../../../../src/record/errors.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { ROOT } from '../../../support/shared.js';

const MIB = 2 ** 20;
const SAMPLE = join(ROOT, 'samples', 'memory.pickle');

const write = (bytes: Buffer): string => {
  const path = freshPath('.pickle');
  writeFileSync(path, bytes);
  return path;
};

/** The document of `dprof memory` for a snapshot of one device. */
function documentOf(path: string): ReturnType<typeof memoryDocument> {
  const memory = new Memory();
  for (const record of recordsOf(path)) memory.take(record);
  const [report] = memory.reports;
  if (report === undefined) throw new Error('no memory');
  return memoryDocument(report);
}

/** The line with which a file is refused, or its first record is read. */
function refusal(bytes: Buffer): string {
  const path = write(bytes);
  try {
    checkProfile(path, basename(path));
    recordsOf(path);
  } catch (error) {
    if (error instanceof UserError) return error.line;
    throw error;
  }
  return 'read';
}

/** A snapshot whose dictionary begins with segments, with other bytes as their list. */
const withSegments = (...bytes: readonly (number | string)[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x80, 4, 0x7d, 0x94, 0x28, 0x8c, 8]),
    Buffer.from('segments'),
    ...bytes.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part, 'latin1'))),
    Buffer.from('u.'),
  ]);

const event = (at: number, action: string, addr: number, size: number, more: object = {}) => ({
  ...{ action, addr, size, stream: 0, time_us: 1000 + at, frames: [] },
  ...more,
});

describe("snapshots of PyTorch's memory", () => {
  it('is the sample that its program writes', () => {
    expect(readFileSync(SAMPLE).equals(memorySnapshot())).to.equal(true);
  });

  it('have the peak, its owners by stack, what was never released and what segments hold', () => {
    // 4 MiB of weights from before, then 6 and 8: the peak is 18 MiB at 20 us; later 2 and 1 remain.
    const { peak, owners, kept, segments, series } = documentOf(SAMPLE);
    expect(peak).to.deep.include({ metric: 'memory_allocated', bytes: 18 * MIB, start: 20_000 });
    expect(peak.op).to.equal('backward model.py:27 < step train.py:32');
    expect(owners?.ops.map(({ name, bytes }) => [name, bytes / MIB])).to.deep.equal([
      ['backward model.py:27 < step train.py:32', 8],
      ['forward model.py:20 < step train.py:31', 6],
      ['__init__ model.py:12 < main train.py:5', 4],
    ]);
    expect(kept?.map(({ name, bytes }) => [name, bytes / MIB])).to.deep.equal([
      ['__init__ model.py:12 < main train.py:5', 4],
      ['update optimizer.py:9 < step train.py:33', 2],
      ['log train.py:40', 1],
    ]);
    const [count, freeBlocks] = [2, 2];
    const sizes = { bytes: 24 * MIB, held: 7 * MIB, free: 17 * MIB, largestFree: 12 * MIB };
    expect(segments).to.deep.equal({ count, freeBlocks, ...sizes });
    const allocated = series.find(({ metric }) => metric === 'memory_allocated');
    expect(allocated?.curve.map(([at, bytes]) => [at / 1000, bytes / MIB])).to.deep.equal([
      ...[[0, 4], [10, 10], [20, 18], [30, 12], [40, 14], [45, 15], [50, 7]], // prettier-ignore
    ]);
    expect(series.find(({ metric }) => metric === 'memory_reserved')).to.include({ highest: 24 * MIB, last: 24 * MIB });
  });

  it('say so on the screen, without the folders of the program', async () => {
    const { stdout } = await runCli('dprof', ['-q', 'memory', SAMPLE]);
    expect(stdout).to.include(
      '2 segments of 24 MiB: 7 MiB held\n17 MiB free in 2 blocks next to held memory, the largest 12 MiB',
    );
    expect(stdout).to.include('## Never released');
    expect(stdout).to.not.include('/home/');
  });

  it('name the command that reads them', async () => {
    const { code, stderr } = await runCli('dprof', ['-q', 'summary', SAMPLE]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/: a memory snapshot has no device work \(dprof memory FILE\)\n$/);
  });

  it('without a history are what was held at their time', () => {
    const block = { address: 4096, size: 1024, requested_size: 1000, state: 'active_allocated', frames: [] };
    const path = write(
      pickled({ segments: [{ device: 1, address: 4096, total_size: 2048, blocks: [block] }], device_traces: [[], []] }),
    );
    expect(documentOf(path)).to.deep.include({
      device: 1,
      segments: { count: 1, bytes: 2048, held: 1000, free: 0, freeBlocks: 0, largestFree: 0 },
    });
    expect(documentOf(path).kept).to.deep.equal([{ name: 'no stack recorded', bytes: 1000, allocations: 1 }]);
  });

  it('count blocks that were allocated before the history and released in it', () => {
    const trace = [event(0, 'alloc', 8, 100), event(5, 'free_requested', 16, 50), event(9, 'alloc', 8, 10)];
    const path = write(pickled({ segments: [], device_traces: [trace] }));
    const { peak, series, owners } = documentOf(path);
    expect([peak.bytes, peak.start]).to.deep.equal([150, 0]);
    expect(owners?.ops.map(({ name, bytes }) => [name, bytes])).to.deep.equal([
      ['no stack recorded', 100],
      ['allocated before the history', 50],
    ]);
    // The release of the first block at 8 is not in the history: the second allocation there ends it.
    expect(series.find(({ metric }) => metric === 'memory_allocated')?.last).to.equal(10);
    expect(diagnosticsOf(path)).to.deep.equal({ 'allocation-without-free': 1 });
  });

  it('count events without a time', () => {
    const trace = [event(0, 'alloc', 8, 100, { time_us: null })];
    expect(diagnosticsOf(write(pickled({ segments: [], device_traces: [trace] })))).to.deep.equal({
      'event-without-time': 1,
    });
  });
});

describe('hostile pickles', () => {
  /** Opcodes that name, build or call something, as bytes of the file. */
  const calls: readonly (readonly [name: string, bytes: string])[] = [
    ['GLOBAL', 'cposix\nsystem\n'],
    ['STACK_GLOBAL', '\x8c\x05posix\x8c\x06system\x93'],
    ['REDUCE', 'NNR'],
    ['BUILD', 'NNb'],
    ['INST', '(iposix\nsystem\n'],
    ['OBJ', '(No'],
    ['NEWOBJ', 'NN\x81'],
    ['NEWOBJ_EX', 'NNN\x92'],
    ['EXT1', '\x82\x01'],
    ['EXT2', '\x83\x01\0'],
    ['EXT4', '\x84\x01\0\0\0'],
    ['PERSID', 'Pid\n'],
    ['BINPERSID', 'NQ'],
  ];
  for (const [name, bytes] of calls) {
    it(`${name} refuses the file`, () => {
      expect(refusal(withSegments(bytes))).to.match(
        new RegExp(`is not a pickle of plain data: opcode ${name} is not allowed in plain data`),
      );
    });
  }

  it('are refused in a line: cut off, stacks that are empty, marks, keys, references, lengths', () => {
    expect(refusal(memorySnapshot().subarray(0, 900))).to.match(/is cut off \(copy it again\)/);
    expect(refusal(withSegments('X\xff\xff\xff\xff'))).to.match(/is cut off/);
    expect(refusal(withSegments('\x8d\xff\xff\xff\xff\xff\xff\xff\xff'))).to.match(/is cut off/);
    expect(refusal(withSegments('a'))).to.match(/a value is missing|elements without a list/);
    expect(refusal(withSegments('h\x77'))).to.match(/a value is used before it is known/);
    expect(refusal(withSegments(']', '\x8c\x09__proto__', '}'))).to.match(/a key is not a string or a number/);
    expect(refusal(withSegments(']', 'N', 'N'))).to.match(/a key is not a string or a number/);
    expect(refusal(withSegments('\x8a\xff'))).to.match(/a number of more than 16 bytes/);
    expect(refusal(withSegments('\x7f'))).to.match(/opcode 0x7f is not allowed in plain data/);
    const segment = { device: 2 ** 40, total_size: -1, blocks: [{ state: 'active_allocated', size: 8, frames: [{}] }] };
    expect(documentOf(write(pickled({ segments: [segment], device_traces: [] }))).kept?.[0]?.name).to.equal('? ?:?');
    expect(refusal(withSegments('N'))).to.match(/is not a PyTorch memory snapshot/);
  });

  it('that refer to one list many times are refused before they are read out', () => {
    const blocks = Array.from({ length: 1000 }, () => null).map(() => ({ state: 'inactive', size: 1 }));
    const segment = { device: 0, total_size: 1, blocks };
    const segments = Array.from({ length: 5000 }, () => segment);
    expect(refusal(pickled({ segments, device_traces: [] }))).to.match(/lists that contain each other/);
  });

  it('build nothing but plain data, whatever their keys', () => {
    const value = plainPickle(Buffer.from('\x80\x02}(X\x0b\0\0\0constructorK\x01X\x08\0\0\0toStringK\x02u.', 'latin1'));
    expect(value).to.deep.equal({ constructor: 1, toString: 2 });
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expect(
      plainPickle(
        Buffer.from('\x80\x04(J\xff\xff\xff\xff\x8a\x06\0\0\0\0\x12\x7fG?\xf8\0\0\0\0\0\0\x88N\x85t.', 'latin1'),
      ),
    ).to.deep.equal([...[-1, 0x7f1200000000, 1.5, true, [null]]]);
  });
});
